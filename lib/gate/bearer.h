// Access tokens at a site that lets them pass (RFC 6750): programs that call an application behind the gate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/check.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::gate {

/// Returns the bearer token of an Authorization header, if the site lets tokens pass; nullopt for every other scheme,
/// which belongs to the application.
std::optional<std::string_view> bearer_token_of(const model::Site& site,
                                                const std::optional<std::string>& authorization);

/// Checks a token in place of a cookie, by the same rules: invalid_token unless it is of a user, active, and for
/// exactly the site's URL. Verdict::sign_in: the login behind it is too old or worth too little (RFC 9470 §3).
oauth::Outcome<Checked> check_bearer(oauth::Context& context, const Found& found, std::string_view token);

}  // namespace postern::gate
