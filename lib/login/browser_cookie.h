// The cookies that bind requests and forms to a browser. A browser without one may load several pages at the same
// moment, and each answer plants one: their names differ, so that the browser keeps them all and every page goes on
// (docs/decisions/0088).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "util/clock.h"

namespace postern::login {

struct BrowserCookie {
    std::string name;
    std::string value;      ///< random; means no user
    util::Time planted_at;  ///< as its name says; Time::max() for the plain name
};

/// So many count, the oldest: a person's tabs, and no more than a fourth of the 8 KiB of a header.
inline constexpr std::size_t kMostBrowserCookies = 20;

/// The name of a cookie that is planted now: `plain`, the second, and digits that follow from `value`.
std::string browser_cookie_name(const std::string& plain, std::string_view value, util::Time now);

/// Returns whether a cookie of this name is one of these: the plain name, or one with such an end.
bool is_browser_cookie(std::string_view name, std::string_view plain);

/// The browser's cookies of a Cookie header, the oldest first and the one of the plain name last: a page of another
/// site can have it replaced, so nothing new is bound to it while there is another.
std::vector<BrowserCookie> find_browser_cookies(std::string_view header, const std::string& plain);

}  // namespace postern::login
