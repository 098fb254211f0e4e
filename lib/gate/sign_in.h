// The beginning of a sign-in to a site: the authorization request that a browser is sent to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/cookies.h"
#include "gate/location.h"
#include "gate/site_url.h"
#include "model/client.h"
#include "oauth/context.h"

namespace postern::gate {

/// The time that a browser keeps the cookie to which the sign-ins that it begins are bound.
inline constexpr util::Seconds kBrowserCookieTtl{3600};
/// The length of that cookie's value; one of another length is not looked at.
inline constexpr std::size_t kBrowserCookieBytes = 43;

enum class Account {
    any,
    other,  ///< the user wants to sign in as another one
};

/// The way in which a sign-in begins.
struct Beginning {
    Account account = Account::any;
    bool is_second = false;  ///< as State has it
};

struct SignIn {
    std::string location;                        ///< the authorization endpoint, with the request
    std::optional<std::string> set_cookie = {};  ///< nullopt: the browser has its cookie
};

/// Begins a sign-in. A target whose state would be too long for the authorization endpoint is cut to its path, and
/// then to the site's URL (GATE-15).
SignIn begin_sign_in(oauth::Context& context, const model::Client& client, const SiteUrl& site, const Target& target,
                     std::string_view cookie_header, const Beginning& beginning = {});

}  // namespace postern::gate
