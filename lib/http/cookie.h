// Cookies as RFC 6265 has them, read defensively and written one way only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::http {

/// The value of the cookie `name` in a Cookie header. nullopt when absent, given twice, over 128 bytes or holding
/// anything but base64url characters: an attacker who floods or plants cookies only makes a user anonymous.
std::optional<std::string> find_cookie(std::string_view header, std::string_view name);

struct NamedCookie {
    std::string name;
    std::string value;
};

/// The cookies whose names begin with `prefix`, sorted by name, each with the value that find_cookie gives. The others
/// are left out.
std::vector<NamedCookie> find_cookies(std::string_view header, std::string_view prefix);

enum class CookieSecurity {
    https,          ///< `Secure`, and the name carries `__Host-`
    loopback_http,  ///< neither: browsers drop such cookies over http
};

/// `name=value; Path=/; HttpOnly; SameSite=Lax` and `; Secure` on https. A session cookie: it ends with the browser,
/// the server's own expiry rules.
std::string set_cookie(std::string_view name, std::string_view value, CookieSecurity security);
/// The same of one that stays when the browser is closed, for `age`, which is more than nothing.
std::string set_lasting_cookie(std::string_view name, std::string_view value, CookieSecurity security,
                               std::chrono::seconds age);
/// The Set-Cookie value that removes it.
std::string clear_cookie(std::string_view name, CookieSecurity security);

}  // namespace postern::http
