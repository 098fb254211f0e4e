// Who is in front of this browser?
#include "login/browser.h"

#include <chrono>
#include <utility>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "login/activity.h"
#include "login/agent_label.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/session_life.h"
#include "store/sessions.h"
#include "util/base64.h"

namespace postern::login {

CookieNames cookie_names(const oauth::Settings& settings) {
    const bool https = settings.issuer.starts_with("https://");
    const std::string prefix = https ? "__Host-postern" : "postern";
    return CookieNames{prefix + "-browser-" + settings.cookie_tag, prefix + "-" + settings.cookie_tag,
                       prefix + "-device-" + settings.cookie_tag, prefix + "-language-" + settings.cookie_tag,
                       https ? http::CookieSecurity::https : http::CookieSecurity::loopback_http};
}

namespace {

std::string binding_of(const std::string& id) { return util::base64url_encode(crypto::sha256(id)); }

}  // namespace

std::string Browser::binding() const { return id ? binding_of(*id) : std::string(); }

bool Browser::is_bound_by(std::string_view sealed_binding) const {
    bool is_bound = false;
    for (const std::string& value : ids())
        if (crypto::equal_constant_time(sealed_binding, binding_of(value))) is_bound = true;
    return is_bound;
}

std::vector<std::string> Browser::ids() const {
    std::vector<std::string> all;
    if (!id) return all;
    all.push_back(*id);
    for (const BrowserCookie& cookie : later)
        if (all.size() < kMostBrowserCookies) all.push_back(cookie.value);
    return all;
}

namespace {

/// Beyond the time of its last request, for forms that stay open without one.
constexpr util::Seconds kLaterCookieTtl = std::chrono::hours(24);

std::optional<model::Session> find_session(oauth::Context& context, const model::ValueHash& cookie) {
    const util::Time now = context.now();
    return store::find_session(context.store, cookie, oauth::session_life(context.settings, now));
}

/// Nothing was bound to them since the older one came back, some seconds after they were planted.
void end_later_cookies(const oauth::Context& context, Browser& browser, http::Response& response) {
    const util::Time oldest = context.now() - context.settings.authorization_request_ttl - kLaterCookieTtl;
    std::size_t place = 0;
    std::erase_if(browser.later, [&](const BrowserCookie& cookie) {
        const bool counts = ++place < kMostBrowserCookies && cookie.planted_at > oldest;
        if (!counts) response.add("Set-Cookie", http::clear_cookie(cookie.name, browser.names.security));
        return !counts;
    });
}

}  // namespace

Browser recognise_browser(const oauth::Settings& settings, const http::Request& request) {
    Browser browser;
    browser.names = cookie_names(settings);
    browser.later = find_browser_cookies(request.cookie, browser.names.browser);
    browser.posts = request.method == http::Method::post;
    if (!browser.later.empty()) {
        browser.id = std::move(browser.later.front().value);
        browser.later.erase(browser.later.begin());
    }
    if (settings.paths.account) {
        const auto agent = request.server_variables.find(kUserAgentVariable);
        if (agent != request.server_variables.end()) browser.user_agent = agent->second;
        if (settings.account.addresses) browser.address = request.remote_address;
    }
    return browser;
}

Browser recognise(oauth::Context& context, const http::Request& request) {
    Browser browser = recognise_browser(context.settings, request);
    if (const auto value = http::find_cookie(request.cookie, browser.names.session)) {
        browser.session_cookie = oauth::hash_of(*value);
        browser.session = find_session(context, *browser.session_cookie);
    }
    if (context.settings.login.remember_device.count() > 0)
        if (const auto value = http::find_cookie(request.cookie, browser.names.device))
            browser.device_cookie = oauth::hash_of(*value);
    return browser;
}

void recognise_surely(oauth::Context& context, Browser& browser) {
    if (browser.session || !browser.session_cookie) return;
    const model::ValueHash& cookie = *browser.session_cookie;
    browser.session = db::find_surely(context.store, [&] { return find_session(context, cookie); });
}

void ensure_browser_id(oauth::Context& context, Browser& browser, http::Response& response) {
    const CookieNames& names = browser.names;
    if (browser.id) return end_later_cookies(context, browser, response);
    browser.id = crypto::random_token(context.random);
    // A page of another site can post to us as often as it likes, always without cookies: one name, which does not add
    // up until the header is longer than web servers take.
    const std::string name =
        browser.posts ? names.browser : browser_cookie_name(names.browser, *browser.id, context.now());
    response.add("Set-Cookie", http::set_cookie(name, *browser.id, names.security));
}

StartedSession start_session(oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject, util::Time auth_time, const model::Authentication& how) {
    const util::Time now = context.now();
    std::string value = crypto::random_token(context.random);
    model::Session session;
    session.cookie_hash = oauth::hash_of(value);
    const bool removed = browser.session_cookie && store::remove_session(transaction, *browser.session_cookie);
    const bool was_of_user = browser.session && browser.session->subject == subject;
    // Of two logins at once one takes the old session's place; a session id names one session.
    const bool same_user = removed && was_of_user;
    session.sid = same_user ? browser.session->sid : model::Sid(crypto::random_id(context.random));
    session.subject = subject;
    session.auth_time = auth_time;
    session.created_at = now;
    session.last_seen_at = now;
    session.expires_at = now + context.settings.session_ttl;
    session.agent = agent_label(browser.user_agent);
    session.address = browser.address;
    session.how = how;
    store::insert_session(transaction, session);
    store::end_surplus_sessions(transaction, session);
    note_activity(context, transaction, browser, subject, model::Happened::signed_in, how.amr);
    StartedSession started{std::move(value), std::move(session), std::nullopt};
    if (removed && !was_of_user) started.replaced = browser.session;
    return started;
}

std::optional<StartedSession> raise_session(oauth::Context& context, db::Transaction& transaction,
                                            const Browser& browser, const model::Sid& sid,
                                            const model::Authentication& how) {
    if (!browser.session || browser.session->sid != sid) return std::nullopt;
    // Another tab may have raised it or logged out meanwhile.
    if (!store::remove_session(transaction, browser.session->cookie_hash)) return std::nullopt;
    StartedSession raised{crypto::random_token(context.random), *browser.session, std::nullopt};
    raised.session.cookie_hash = oauth::hash_of(raised.cookie);
    raised.session.last_seen_at = context.now();
    raised.session.how = how;
    store::insert_session(transaction, raised.session);
    return raised;
}

void send_session(const Browser& browser, const StartedSession& started, http::Response& response) {
    const CookieNames& names = browser.names;
    response.add("Set-Cookie", http::set_cookie(names.session, started.cookie, names.security));
}

void note_login(oauth::Context& context, const StartedSession& started, std::string_view method,
                const model::ClientId& client) {
    if (const auto& old = started.replaced)
        context.trail.add(audit::Event::session_replaced, {audit::subject(old->subject), audit::session(old->sid)});
    context.trail.add(audit::Event::login_succeeded,
                      {{"method", std::string(method)},
                       audit::subject(started.session.subject),
                       {"amr", started.session.how.amr},
                       {"acr", oauth::acr_of_login(context.settings, started.session.how.level, {})},
                       audit::client(client),
                       audit::session(started.session.sid)});
}

}  // namespace postern::login
