// Who is in front of this browser? The cookies and what they prove, and the label by which its user knows it again.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/headers.h"
#include "http/message.h"
#include "model/session.h"
#include "oauth/context.h"
#include "text/message.h"
#include "util/clock.h"

namespace postern::login {

/// The names of the cookies. They carry the issuer's tag, so that two issuers on one host do not end each other's
/// sessions.
struct CookieNames {
    std::string browser;   ///< plain (BrowserCookie); binds sealed requests and CSRF tokens; means no user
    std::string session;   ///< the session; a new value at each login
    std::string device;    ///< remembered: behind a right password of its user, in place of the second factor
    std::string language;  ///< the one that was chosen on a page: no secret
    http::CookieSecurity security = http::CookieSecurity::https;
};
/// Returns the cookie names of the issuer.
CookieNames cookie_names(const oauth::Settings& settings);

/// A cookie that binds requests and forms to a browser. A browser without one may load several pages at the same
/// moment, and each answer plants one: their names differ, so that the browser keeps them all and every page goes on
/// (docs/decisions/0088).
struct BrowserCookie {
    std::string name;
    std::string value;      ///< random; means no user
    util::Time planted_at;  ///< as its name says; Time::max() for the plain name
};

/// The number of browser cookies that count, the oldest: a person's tabs, and no more than a fourth of the 8 KiB of a
/// header.
inline constexpr std::size_t kMostBrowserCookies = 20;

/// Returns the name of a cookie that is planted now: `plain`, the second, and digits that follow from `value`.
std::string browser_cookie_name(const std::string& plain, std::string_view value, util::Time now);

/// Returns whether `name` is that of a browser cookie: the plain name, or one with the end of browser_cookie_name().
bool is_browser_cookie(std::string_view name, std::string_view plain);

/// Returns the browser cookies of a Cookie header, the oldest first and the one of the plain name last: a page of
/// another site can have it replaced, so nothing new is bound to it while there is another.
std::vector<BrowserCookie> find_browser_cookies(std::string_view header, const std::string& plain);

/// A browser, by the cookies that its request brought.
struct Browser {
    CookieNames names;                               ///< of this issuer
    std::optional<std::string> id;                   ///< value of the oldest browser cookie; nullopt: none came back
    std::vector<BrowserCookie> later = {};           ///< the others, of tabs that started at the same moment
    std::optional<model::Session> session;           ///< live, of an enabled user
    std::optional<model::ValueHash> session_cookie;  ///< digest of the session cookie, live or not
    std::optional<model::ValueHash> device_cookie;   ///< digest of the device cookie, where devices are remembered
    // The browser, system and address that a new session keeps for the account pages; "" if absent or not kept.
    std::string user_agent = {};  ///< of which agent_label is kept
    std::string address = {};
    bool posts = false;  ///< its request is a POST

    /// Returns the binding that new sealed requests keep in place of `id`: a digest, so that a seal does not hold the
    /// cookie. "" without one.
    std::string binding() const;
    /// Returns whether a request with that binding was sealed for this browser, by any of its ids.
    bool is_bound_by(std::string_view sealed_binding) const;
    /// Returns the values of its cookies that count: `id`, to which everything new is bound, and those of `later`.
    std::vector<std::string> ids() const;
};

/// The CGI variable that the login, the account and the page of links read, so that no other program takes it.
inline constexpr const char* kUserAgentVariable = "HTTP_USER_AGENT";

/// Reads the browser cookies alone, for a page that no session counts for. No database is read.
Browser recognise_browser(const oauth::Settings& settings, const http::Request& request);

/// Reads all cookies of the request. Unknown values are anonymous and never adopted.
Browser recognise(oauth::Context& context, const http::Request& request);

/// Looks for the session again, for a logout: before a user is told that a session has ended, it is certain that there
/// is none. A server that was replaced as the primary may not know it (db::find_surely).
void recognise_surely(oauth::Context& context, Browser& browser);

/// Gives the browser an id when it has none; the response sets the cookie. Ends later cookies to which no open page can
/// be bound any more.
void ensure_browser_id(oauth::Context& context, Browser& browser, http::Response& response);
/// Returns the page of `make`, with the cookie that ensure_browser_id() sets. `make` is called once the id is known, to
/// which the page's forms are bound.
http::Response with_browser_id(oauth::Context& context, Browser& browser, const std::function<http::Response()>& make);

/// Returns browser and system, such as "Firefox on Linux", from a User-Agent header as browsers send it (RFC 9110
/// §10.1.5). An unknown one is left out: "Firefox", "A browser on Linux", or "" when neither is known. Never a part of
/// the header.
std::string agent_label(std::string_view user_agent);

/// Returns a label as a page shows it: "A browser" for "".
text::Message shown_agent(const std::string& label);

}  // namespace postern::login
