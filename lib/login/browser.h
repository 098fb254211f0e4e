// Who is in front of this browser? The cookies and what they prove.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/cookie.h"
#include "http/message.h"
#include "login/browser_cookie.h"
#include "model/session.h"
#include "oauth/context.h"

namespace postern::login {

/// Names carry the issuer's tag, so that two issuers on one host do not end each other's sessions.
struct CookieNames {
    std::string browser;   ///< plain (browser_cookie.h); binds sealed requests and CSRF tokens; means no user
    std::string session;   ///< the session; a new value at each login
    std::string device;    ///< remembered: behind a right password of its user, in place of the second factor
    std::string language;  ///< the one that was chosen on a page: no secret
    http::CookieSecurity security = http::CookieSecurity::https;
};
CookieNames cookie_names(const oauth::Settings& settings);

struct Browser {
    CookieNames names;                               ///< of this issuer
    std::optional<std::string> id;                   ///< value of the oldest browser cookie; nullopt: none came back
    std::vector<BrowserCookie> later = {};           ///< the others, of tabs that started at the same moment
    std::optional<model::Session> session;           ///< live, of an enabled user
    std::optional<model::ValueHash> session_cookie;  ///< digest of the session cookie, live or not
    std::optional<model::ValueHash> device_cookie;   ///< digest of the device cookie, where devices are remembered
    // What a session that begins now keeps for the account's pages; "" where there are none, or not of this.
    std::string user_agent = {};  ///< of which agent_label is kept
    std::string address = {};
    bool posts = false;  ///< its request is a POST

    /// Returns the binding that new sealed requests keep in place of `id`: a digest, so that a seal does not hold the
    /// cookie. "" without one.
    std::string binding() const;
    /// Whether a request with that binding was sealed for this browser, by any of its ids.
    bool is_bound_by(std::string_view sealed_binding) const;
    /// The values of its cookies that count: `id`, to which everything new is bound, and those of `later`.
    std::vector<std::string> ids() const;
};

/// The CGI variable that the login, the account and the page of links read, so that no other program takes it.
inline constexpr const char* kUserAgentVariable = "HTTP_USER_AGENT";

/// The cookie that means no user, and nothing else: for a page that no session counts for. No database is read.
Browser recognise_browser(const oauth::Settings& settings, const http::Request& request);

/// Unknown cookie values are anonymous and never adopted.
Browser recognise(oauth::Context& context, const http::Request& request);

/// For a logout: before a user is told that a session has ended, it is certain that there is none. A server that was
/// replaced as the primary may not know it (db::find_surely).
void recognise_surely(oauth::Context& context, Browser& browser);

/// Gives the browser an id when it has none; the response sets the cookie. Ends later cookies to which no open page can
/// be bound any more.
void ensure_browser_id(oauth::Context& context, Browser& browser, http::Response& response);

struct StartedSession {
    std::string cookie;  ///< the cookie's value
    model::Session session;
    std::optional<model::Session> replaced;  ///< of another user, who was logged in here until now
};

/// Starts a session for `subject`, who was authenticated at `auth_time` in that way: a new cookie value always, the
/// inner id kept for the same user. The old session of this browser is removed in the same transaction, which holds the
/// user's row. It is a line of the activity. Beyond store::kMaxSessions the user's least recently used sessions end.
StartedSession start_session(oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject, util::Time auth_time, const model::Authentication& how);

/// The browser's session, which is that one, with a new cookie value and the login worth `how`. nullopt: it has ended.
std::optional<StartedSession> raise_session(oauth::Context& context, db::Transaction& transaction,
                                            const Browser& browser, const model::Sid& sid,
                                            const model::Authentication& how);

/// The response sets the cookie of the session that has been started or raised.
void send_session(const Browser& browser, const StartedSession& started, http::Response& response);

/// For the audit log, once the session is committed: that a user has logged in, and which user was logged out by it.
void note_login(oauth::Context& context, const StartedSession& started, std::string_view method,
                const model::ClientId& client);

}  // namespace postern::login
