// The consent page: what the client asks for, and the user's yes or no.
#include "web/consent.h"

#include "http/url.h"
#include "store/authorization_requests.h"
#include "store/users.h"
#include "web/csrf.h"
#include "web/permissions.h"

namespace postern::web {
namespace {

/// Where the answer goes, since a name alone can be anybody's: the host, or the scheme of an app on this device.
std::string destination(const std::string& redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url) return redirect_uri;
    return url->host.empty() ? url->scheme + ": (an app on this device)" : url->host;
}

http::Response back_to_authorize(Visit& visit, const Resumed& resumed) {
    return continue_at(visit, visit.context.settings.paths.authorize, resumed.request);
}

void record(Visit& visit, const model::AuthorizationRequest& asked, model::Decision decision) {
    const model::Subject& subject = visit.browser.session->subject;
    store::Transaction transaction(visit.context.store, store::Durability::lazy);
    const bool counts =
        store::record_decision(transaction, oauth::request_key(asked), subject, decision, asked.expires_at);
    transaction.commit();
    if (!counts) return;  // answered before
    const bool given = decision == model::Decision::approved;
    visit.context.trail.add(given ? oauth::AuditEvent::consent_given : oauth::AuditEvent::consent_denied,
                            {oauth::audit::subject(subject),
                             oauth::audit::client(asked.client_id),
                             oauth::audit::session(visit.browser.session->sid),
                             {"scope", asked.scope.to_string()}});
}

}  // namespace

http::Response show_consent(Visit& visit) {
    const auto resumed = resume(visit, visit.request.query, Unbound::refused);
    if (!resumed) return resumed.error();
    if (auto used = refuse_if_used(visit, resumed->request)) return std::move(*used);
    if (!visit.browser.session) return back_to_authorize(visit, *resumed);
    const auto user = store::find_user(visit.context.store, visit.browser.session->subject);

    ConsentPage page;
    page.client_name = resumed->target.client().name;
    page.client_host = destination(resumed->request.redirect_uri);
    page.username = user ? user->username : "";
    page.action = visit.context.settings.url(visit.context.settings.paths.scopes);
    page.csrf = csrf_token(visit.context, Form::consent, visit.browser, resumed->request.id);
    page.resume = oauth::seal_request(visit.context, {resumed->request, visit.browser.binding()});
    page.scopes = permissions(visit.context.settings, resumed->request);
    return visit.pages.consent(page);
}

http::Response submit_consent(Visit& visit) {
    const http::Params& sent = visit.request.form;
    const auto resumed = resume(visit, sent, Unbound::refused);
    if (!resumed) return resumed.error();
    // The session ended while the form was open: nothing is lost but the click, the login comes next.
    if (!visit.browser.session) return back_to_authorize(visit, *resumed);
    if (!is_own_form(visit.context, Form::consent, visit.browser, resumed->request.id, visit.request))
        return refuse_and_offer(visit, PageFault::form_foreign, resumed->request,
                                "the csrf field is missing or not of this browser, session and request");

    const std::string decision = sent.find("decision").value_or("");
    if (decision != "approve" && decision != "deny")
        return refuse_and_offer(visit, PageFault::form_malformed, resumed->request, "field: decision");
    record(visit, resumed->request, decision == "approve" ? model::Decision::approved : model::Decision::denied);
    return back_to_authorize(visit, *resumed);
}

}  // namespace postern::web
