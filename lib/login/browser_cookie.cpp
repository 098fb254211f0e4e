// The names of the cookies that bind requests and forms to a browser.
#include "login/browser_cookie.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "crypto/digest.h"
#include "http/cookie.h"
#include "util/text.h"

namespace postern::login {
namespace {

constexpr std::size_t kSecondDigits = 10;
constexpr std::size_t kValueDigits = 8;

bool are_digits(std::string_view text, std::string_view digits) {
    return text.find_first_not_of(digits) == std::string_view::npos;
}

/// The moment in a name; nullopt for a name that is none of these.
std::optional<util::Time> planted_at(std::string_view name, std::string_view plain) {
    if (!name.starts_with(plain)) return std::nullopt;
    name.remove_prefix(plain.size());
    if (name.empty()) return util::Time::max();
    if (name.size() != 1 + kSecondDigits + 1 + kValueDigits) return std::nullopt;
    const std::string_view second = name.substr(1, kSecondDigits);
    const bool is_ours = name[0] == '-' && name[1 + kSecondDigits] == '-' && are_digits(second, "0123456789") &&
                         are_digits(name.substr(name.size() - kValueDigits), "0123456789abcdef");
    if (!is_ours) return std::nullopt;
    return util::from_epoch(*util::parse_digits(second, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

std::string browser_cookie_name(const std::string& plain, std::string_view value, util::Time now) {
    std::string second = std::to_string(util::to_epoch(now));
    second.insert(0, kSecondDigits - std::min(kSecondDigits, second.size()), '0');
    return plain + "-" + second + "-" + crypto::sha256_hex(value).substr(0, kValueDigits);
}

bool is_browser_cookie(std::string_view name, std::string_view plain) { return planted_at(name, plain).has_value(); }

std::vector<BrowserCookie> find_browser_cookies(std::string_view header, const std::string& plain) {
    std::vector<BrowserCookie> found;
    for (http::NamedCookie& cookie : http::find_cookies(header, plain))
        if (const auto when = planted_at(cookie.name, plain))
            found.push_back({std::move(cookie.name), std::move(cookie.value), *when});
    std::ranges::stable_sort(found, {}, &BrowserCookie::planted_at);
    return found;
}

}  // namespace postern::login
