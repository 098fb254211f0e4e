// How users are authenticated, as tokens and discovery say it (OpenID Connect Core §2, RFC 8176 §2).
#pragma once

#include <string_view>

#include "oauth/settings.h"

namespace postern::oauth {

/// `acr` of every ID token, and the one entry of `acr_values_supported`: a password over a protected transport, the
/// only way to log in here (SAML 2.0 Authentication Context §3.4.9, a registered name with which no other meaning can
/// collide).
inline constexpr std::string_view kAcr = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

/// `amr`, its one method (RFC 8176 §2).
inline constexpr std::string_view kAmr = "pwd";

/// False where the web server lets people in: how it does that is not known here, and nothing is said of it.
inline bool knows_how_users_log_in(const Settings& settings) { return settings.login.method == LoginMethod::password; }

/// Sets `acr` and `amr`, where they are known.
inline void add_authentication(const Settings& settings, json::Object& claims) {
    if (!knows_how_users_log_in(settings)) return;
    claims.set("acr", kAcr);
    claims.set("amr", json::strings({std::string(kAmr)}));
}

}  // namespace postern::oauth
