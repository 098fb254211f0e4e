// The beginning of a sign-in to a site: the authorization request that a browser is sent to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/cookies.h"
#include "gate/site_url.h"
#include "model/client.h"
#include "oauth/context.h"

namespace postern::gate {

/// The time between two steps of a sign-in, and for the browser cookie behind the last.
inline constexpr util::Seconds kBrowserCookieTtl{3600};

/// The page to come back to.
struct Target {
    std::string_view path;   ///< as the browser sent it
    std::string_view query;  ///< ""; none
};

enum class Account {
    any,
    other,  ///< the user wants to sign in as another one
};

struct SignIn {
    std::string location;                        ///< the authorization endpoint, with the request
    std::optional<std::string> set_cookie = {};  ///< nullopt: the browser has its cookie
};

/// Begins a sign-in. A target whose state would be too long for the authorization endpoint is cut to its path, and
/// then to the site's URL (GATE-15).
SignIn begin_sign_in(oauth::Context& context, const model::Client& client, const SiteUrl& site, const Target& target,
                     std::string_view cookie_header, Account account = Account::any);

}  // namespace postern::gate
