// Which cookie of a request counts, and how ours are written.
#include "http/cookie.h"

#include <algorithm>
#include <utility>

#include "util/base64.h"
#include "util/text.h"

namespace postern::http {
namespace {

constexpr std::size_t kMaxValue = 128;

bool is_usable(std::string_view value) {
    return !value.empty() && value.size() <= kMaxValue && util::is_base64url(value);
}

/// Calls `use` with name and value of each pair that has an equals sign.
template <class Use>
void for_each_cookie(std::string_view header, Use use) {
    while (!header.empty()) {
        const std::string_view pair = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(pair.size() + 1, header.size()));
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        use(util::trim(pair.substr(0, equals)), util::trim(pair.substr(equals + 1)));
    }
}

}  // namespace

std::optional<std::string> find_cookie(std::string_view header, std::string_view name) {
    std::optional<std::string_view> found;
    bool is_twice = false;
    for_each_cookie(header, [&](std::string_view of, std::string_view value) {
        if (of != name) return;
        // Which of two is ours cannot be told: a neighbouring subdomain may have planted the other.
        is_twice = found.has_value();
        found = value;
    });
    if (!found || is_twice || !is_usable(*found)) return std::nullopt;
    return std::string(*found);
}

std::vector<NamedCookie> find_cookies(std::string_view header, std::string_view prefix) {
    using Pair = std::pair<std::string_view, std::string_view>;
    std::vector<Pair> all;
    for_each_cookie(header, [&](std::string_view name, std::string_view value) {
        if (name.starts_with(prefix)) all.emplace_back(name, value);
    });
    std::ranges::sort(all);
    std::vector<NamedCookie> found;
    for (auto first = all.begin(); first != all.end();) {
        const auto next = std::find_if(first, all.end(), [&](const Pair& pair) { return pair.first != first->first; });
        if (next - first == 1 && is_usable(first->second))
            found.push_back({std::string(first->first), std::string(first->second)});
        first = next;
    }
    return found;
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
