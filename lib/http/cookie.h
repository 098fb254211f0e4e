// Cookies as RFC 6265 has them, read defensively and written one way only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::http {

/// Returns the value of the cookie `name` in a Cookie header. nullopt when absent, given twice, over 128 bytes or
/// holding anything but base64url characters: an attacker who floods or plants cookies only makes a user anonymous.
std::optional<std::string> find_cookie(std::string_view header, std::string_view name);

struct NamedCookie {
    std::string name;
    std::string value;
};

/// Returns the cookies whose names begin with `prefix` and that find_cookie finds, sorted by name.
std::vector<NamedCookie> find_cookies(std::string_view header, std::string_view prefix);

enum class CookieSecurity {
    https,          ///< `Secure`, and the name carries `__Host-`
    loopback_http,  ///< neither: browsers drop such cookies over http
};

/// Writes `name=value; Path=/; HttpOnly; SameSite=Lax` and `; Secure` on https: a session cookie, which ends with the
/// browser at the latest.
std::string set_cookie(std::string_view name, std::string_view value, CookieSecurity security);
/// Writes a cookie like set_cookie that stays for `age`, which is above 0, when the browser is closed.
std::string set_lasting_cookie(std::string_view name, std::string_view value, CookieSecurity security,
                               std::chrono::seconds age);
/// Writes the Set-Cookie value that removes a cookie.
std::string clear_cookie(std::string_view name, CookieSecurity security);

}  // namespace postern::http
