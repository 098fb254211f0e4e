// The cookies of a site: who is signed in to it, and which browser began to sign in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/site_url.h"
#include "http/headers.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "util/clock.h"

namespace postern::gate {

/// The names of a site's cookies, with the issuer's tag as in those of the provider (GATE-20).
struct CookieNames {
    std::string signed_in;  ///< the seal of SignedIn
    std::string browser;    ///< random; binds the state of a sign-in to this browser
    std::string path;
    http::CookieSecurity security = http::CookieSecurity::https;
};
CookieNames cookie_names(const oauth::Settings& settings, const SiteUrl& site);

/// The proof in a site's cookie. It is worth what the session is worth at the moment.
struct SignedIn {
    model::ClientId client;
    model::Sid sid;
    model::Subject subject;
    util::Time at{};  ///< of the callback
};

/// The length of a cookie's value at most; a longer one is not looked at.
inline constexpr std::size_t kMaxCookieBytes = 200;
/// The cookies of one name that are tried: other sites of the host may plant some.
inline constexpr std::size_t kTriedCookies = 4;

/// Returns the value of the cookie of a user who has signed in.
std::string seal_signed_in(oauth::Context& context, const SignedIn& signed_in);

/// The cookies of a site in one header.
struct FoundCookies {
    std::vector<SignedIn> signed_in;  ///< in the order of the header; genuine
    bool has_forged = false;          ///< one came that this server did not make, for this site or another
};
FoundCookies find_signed_in(oauth::Context& context, const CookieNames& names, const model::ClientId& client,
                            std::string_view header);

/// Returns Set-Cookie for a user who has signed in; `ttl` as model::Site has it.
std::string keep_signed_in(const CookieNames& names, const std::string& value, std::optional<util::Seconds> ttl);
/// Returns the Set-Cookie that removes the cookie of a signed-in user.
std::string forget_signed_in(const CookieNames& names);

}  // namespace postern::gate
