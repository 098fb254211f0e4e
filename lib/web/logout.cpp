// The logout endpoint as a browser sees it.
#include "web/logout.h"

#include "crypto/digest.h"
#include "http/url.h"
#include "oidc/end_session.h"
#include "oidc/logout_request.h"
#include "oidc/sealed_logout.h"
#include "store/clients.h"
#include "store/users.h"
#include "util/percent.h"
#include "web/csrf.h"

namespace postern::web {
namespace {

using oidc::LogoutFault;
using oidc::LogoutRequest;

/// The browser is back from the web server's own logout.
constexpr const char* kSignedOut = "signed_out";

PageFault fault_of(LogoutFault fault) {
    switch (fault) {
        case LogoutFault::malformed:
            return PageFault::logout_malformed;
        case LogoutFault::hint_invalid:
            return PageFault::logout_hint_invalid;
        case LogoutFault::client_mismatch:
            return PageFault::logout_client_mismatch;
        case LogoutFault::redirect_unregistered:
            break;
    }
    return PageFault::logout_redirect_unregistered;
}

http::Response refuse(const Visit& visit, const oidc::LogoutRefusal& refusal) {
    return visit.refuse(fault_of(refusal.fault), refusal.client_id, refusal.log_detail);
}

std::string endpoint(const Visit& visit) {
    const oauth::Settings& settings = visit.context.settings;
    return settings.url(settings.paths.logout.value());
}

std::string username_of(const Visit& visit) {
    const auto user = store::find_user(visit.context.store, visit.browser.session->subject);
    return user ? user->username : "";
}

/// Who sent the browser here, where a hint shows it: a bare client_id can be in anybody's link, and no page of ours
/// vouches for it.
std::string client_name_of(const Visit& visit, const LogoutRequest& asked) {
    if (!asked.hinted_subject || !asked.client_id) return "";
    const auto client = store::find_client(visit.context.store, *asked.client_id, visit.context.now());
    return client && client->enabled ? client->name : "";
}

http::Response ask(Visit& visit, const LogoutRequest& asked) {
    http::Response cookies;
    ensure_browser_id(visit.context, visit.browser, cookies);
    LogoutPage page;
    page.client_name = client_name_of(visit, asked);
    page.username = username_of(visit);
    page.action = endpoint(visit);
    page.csrf = csrf_token(visit.context, Form::logout, visit.browser, asked.id);
    page.resume = oidc::seal_logout(visit.context, {asked, visit.browser.binding()});
    http::Response response = visit.pages.logout(page);
    for (const auto& [name, value] : cookies.headers) response.add(name, value);
    return response;
}

/// The login that stands outside must end as well, or the next sign-in asks nothing. From there the browser goes on
/// where it would have gone from here, if the web server can be told where that is.
std::string through_web_server(const Visit& visit, const oidc::AfterLogout& after) {
    std::string url = *visit.context.settings.login.logout_redirect;
    const auto mark = url.find(oauth::kReturnMark);
    if (mark == std::string::npos) return url;
    const std::string back = after.url().value_or(http::with_query(endpoint(visit), {{kSignedOut, "1"}}));
    return url.replace(mark, std::string_view(oauth::kReturnMark).size(), util::percent_encode(back));
}

http::Response lead_on(const Visit& visit, const oidc::AfterLogout& after) {
    const oauth::LoginSettings& login = visit.context.settings.login;
    if (login.method == oauth::LoginMethod::remote_user && login.logout_redirect)
        return http::see_other(through_web_server(visit, after));
    return after.url() ? http::see_other(*after.url()) : visit.pages.logged_out();
}

/// The session, if there is one, ends; the cookie goes whatever it was.
http::Response finish(Visit& visit, const LogoutRequest& asked, const oidc::AfterLogout& after) {
    if (visit.browser.session) oidc::end_session(visit.context, *visit.browser.session);
    http::Response response = lead_on(visit, after);
    const CookieNames names = cookie_names(visit.context.settings.issuer);
    response.add("Set-Cookie", http::clear_cookie(names.session, names.security));
    // no-store does not keep browsers from holding a page that was left for the way back, with the user's name on it.
    // Only whoever brings the cookie: other sites cannot send it along, and so cannot empty the cache of everything else
    // that lives at this origin by a picture with our address.
    if (visit.browser.session_cookie) response.set("Clear-Site-Data", "\"cache\"");
    if (const auto& reason = after.not_followed())
        response.refusal = http::Refusal{reason->error, "the user is signed out and was not sent on", reason->detail,
                                         asked.client_id ? asked.client_id->str().substr(0, 128) : ""};
    return response;
}

/// The address is judged before anything is done: a request is carried out whole or not at all.
http::Response proceed(Visit& visit, const LogoutRequest& asked) {
    const auto after = oidc::verify_post_logout_redirect(visit.context, asked);
    if (!after) return refuse(visit, after.error());
    // Without the hint of this very user anybody may have sent the browser here (§2, §6).
    const auto& session = visit.browser.session;
    if (session && asked.hinted_subject != session->subject) return ask(visit, asked);
    return finish(visit, asked, *after);
}

bool is_of_this_browser(const Visit& visit, const oidc::SealedLogout& sealed) {
    return visit.browser.id && crypto::equal_constant_time(sealed.browser, visit.browser.binding());
}

util::Result<LogoutRequest, http::Response> open(const Visit& visit, const http::Params& params, Unbound unbound) {
    const auto sealed = oidc::open_logout(visit.context, params.find("resume").value_or(""));
    if (!sealed)
        return visit.refuse(sealed.error() == oauth::SealFault::expired ? PageFault::logout_resume_expired
                                                                        : PageFault::logout_resume_invalid);
    const bool is_free = sealed->browser.empty() && unbound == Unbound::accepted;
    if (!is_free && !is_of_this_browser(visit, *sealed))
        return visit.refuse(PageFault::logout_form_foreign, "",
                            "the form belongs to another browser, or no cookie came back");
    return sealed->request;
}

}  // namespace

http::Response start_logout(Visit& visit) {
    const bool posted = visit.request.method == http::Method::post;
    if (!posted && !visit.browser.session && visit.request.query.find(kSignedOut)) return visit.pages.logged_out();
    if (visit.request.body == http::BodyKind::other)
        return refuse(visit, {LogoutFault::malformed, "", "the body is not application/x-www-form-urlencoded"});
    const auto asked = oidc::parse_logout_request(visit.context, posted ? visit.request.form : visit.request.query);
    if (!asked) return refuse(visit, asked.error());
    if (!posted) return proceed(visit, *asked);
    // Refused now rather than later: an address that nobody registered is not carried on.
    const auto after = oidc::verify_post_logout_redirect(visit.context, *asked);
    if (!after) return refuse(visit, after.error());
    return http::see_other(
        http::with_query(endpoint(visit), {{"resume", oidc::seal_logout(visit.context, {*asked, ""})}}));
}

http::Response resume_logout(Visit& visit) {
    const auto asked = open(visit, visit.request.query, Unbound::accepted);
    return asked ? proceed(visit, *asked) : asked.error();
}

http::Response answer_logout(Visit& visit) {
    const auto asked = open(visit, visit.request.form, Unbound::refused);
    if (!asked) return asked.error();
    const bool is_logged_in = visit.browser.session.has_value();
    // With the session gone there is nothing that a forged answer could end.
    if (is_logged_in && !is_own_form(visit.context, Form::logout, visit.browser, asked->id, visit.request))
        return visit.refuse(PageFault::logout_form_foreign, "",
                            "the csrf field is missing or not of this browser, session and request");

    const std::string decision = visit.request.form.find("decision").value_or("");
    if (decision != "logout" && decision != "cancel")
        return refuse(visit, {LogoutFault::malformed, "", "field: decision"});
    if (decision == "cancel" && is_logged_in) return visit.pages.still_logged_in(username_of(visit));
    const auto after = oidc::verify_post_logout_redirect(visit.context, *asked);
    if (!after) return refuse(visit, after.error());
    return finish(visit, *asked, *after);
}

}  // namespace postern::web
