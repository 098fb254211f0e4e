// The hint with which the gate sends a user of a site to the logout endpoint: as good as an ID token, which no site
// has.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "oauth/context.h"
#include "util/clock.h"

namespace postern::oidc {

/// The parameter of the logout endpoint.
inline constexpr const char* kSiteHint = "site_hint";

struct SiteHint {
    model::ClientId client;
    model::Subject subject;
};

/// Returns the hint, which is good for a minute.
std::string seal_site_hint(oauth::Context& context, const SiteHint& hint);
/// Opens a hint; nullopt: it is forged, or older than a minute.
std::optional<SiteHint> open_site_hint(oauth::Context& context, std::string_view text);

}  // namespace postern::oidc
