// Which cookie of a request counts, and how ours are written.
#include "http/cookie.h"

#include <algorithm>

#include "util/base64.h"
#include "util/text.h"

namespace postern::http {
namespace {

constexpr std::size_t kMaxValue = 128;

}  // namespace

std::optional<std::string> find_cookie(std::string_view header, std::string_view name) {
    std::optional<std::string_view> value;
    while (!header.empty()) {
        const std::string_view pair = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(pair.size() + 1, header.size()));
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || util::trim(pair.substr(0, equals)) != name) continue;
        // Which of two is ours cannot be told: a neighbouring subdomain may have planted the other.
        if (value) return std::nullopt;
        value = util::trim(pair.substr(equals + 1));
    }
    if (!value || value->empty() || value->size() > kMaxValue || !util::is_base64url(*value)) return std::nullopt;
    return std::string(*value);
}

std::string set_cookie(std::string_view name, std::string_view value, CookieSecurity security) {
    std::string text(name);
    text.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Lax");
    // `__Host-` names are refused by browsers without Secure, and over http with it (RFC 6265bis §4.1.3.2).
    if (security == CookieSecurity::https) text += "; Secure";
    return text;
}

std::string set_lasting_cookie(std::string_view name, std::string_view value, CookieSecurity security,
                               std::chrono::seconds age) {
    return set_cookie(name, value, security) + "; Max-Age=" + std::to_string(age.count());
}

std::string clear_cookie(std::string_view name, CookieSecurity security) {
    return set_cookie(name, "", security) + "; Max-Age=0";  // it needs the attributes that set it
}

}  // namespace postern::http
