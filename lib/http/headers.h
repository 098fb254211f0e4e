// The syntax of the headers Authorization, Content-Type, Cookie and Set-Cookie. Cookies (RFC 6265) are read defensively
// and written one way only.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::http {

/// The two parts of an Authorization header's value, as views into it.
struct SchemeAndCredentials {
    std::string_view scheme;       ///< in the sender's spelling; compare it without case
    std::string_view credentials;  ///< "" if the scheme came alone
};

/// Splits an Authorization header at the blanks behind the scheme, of which there may be several: 1*SP (RFC 9110
/// §11.4). White space around the value is not part of it (§5.5). Checks neither part.
SchemeAndCredentials split_credentials(std::string_view value);

enum class FormType {
    form,           ///< application/x-www-form-urlencoded that can be read as UTF-8
    other_charset,  ///< the same type, in an encoding in which these bytes may mean something else
    other,          ///< any other type, or none
};

/// Reads a Content-Type header (RFC 9110 §8.3). Parameters of a form mean nothing (clients add `boundary`), except
/// `charset`: other names of UTF-8 and ASCII are accepted for every body, an encoding that contains ASCII for a body
/// that is all ASCII, also where it is percent-encoded.
FormType form_type(std::string_view content_type, std::string_view body);

/// Returns true for the media type application/json, whatever its parameters: JSON has one encoding (RFC 8259 §8.1).
bool is_json_type(std::string_view content_type);

/// Returns the value of the cookie `name` in a Cookie header. nullopt when absent, given twice, over 128 bytes or
/// holding anything but base64url characters: an attacker who floods or plants cookies only makes a user anonymous.
std::optional<std::string> find_cookie(std::string_view header, std::string_view name);

struct NamedCookie {
    std::string name;
    std::string value;
};

/// Returns the cookies whose names begin with `prefix` and that find_cookie finds, sorted by name.
std::vector<NamedCookie> find_cookies(std::string_view header, std::string_view prefix);

/// Returns the values of the cookies `name` in the order of the header, at most `most` of them: each not empty, of at
/// most `longest` base64url characters. For values that prove themselves, so that a planted one does no harm.
std::vector<std::string> find_cookie_values(std::string_view header, std::string_view name, std::size_t longest,
                                            std::size_t most);

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
/// A cookie of a part of a host.
struct PathCookie {
    std::string name;
    std::string value;
    std::string path;
    CookieSecurity security = CookieSecurity::https;
    std::optional<std::chrono::seconds> age = std::nullopt;  ///< 0 removes it; nullopt: until the browser is closed
};
/// Writes a cookie like set_cookie for its own path.
std::string set_path_cookie(const PathCookie& cookie);
/// Writes the Set-Cookie value that removes a cookie.
std::string clear_cookie(std::string_view name, CookieSecurity security);

}  // namespace postern::http
