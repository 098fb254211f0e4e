// The authorization endpoint as a browser sees it.
#include "web/authorization.h"

#include "http/url.h"
#include "oauth/authorization_request.h"
#include "oauth/decide.h"
#include "oauth/issue_code.h"
#include "oauth/issue_token.h"
#include "store/authorization_requests.h"
#include "store/consents.h"
#include "web/authorization_response.h"

namespace postern::web {
namespace {

http::Response proceed(Visit& visit, const model::AuthorizationRequest& asked, const oauth::VerifiedRedirect& target);

/// RFC 6749 §4.2.2. The scope is always told; an empty one has no spelling (§3.3) and is left out.
http::Parameters token_parameters(const oauth::ImplicitToken& token) {
    return {{"access_token", token.value},
            {"token_type", "Bearer"},
            {"expires_in", std::to_string(token.expires_in.count())},
            {"scope", token.scope.empty() ? std::nullopt : std::optional(token.scope.to_string())}};
}

/// Carries out what `decide` decided.
struct Answer {
    Visit& visit;
    const model::AuthorizationRequest& asked;
    const oauth::VerifiedRedirect& target;
    oauth::Consent consent;

    http::Response operator()(oauth::ShowLogin) const {
        return continue_at(visit, visit.context.settings.paths.login, asked);
    }
    http::Response operator()(oauth::ShowConsent) const {
        return continue_at(visit, visit.context.settings.paths.scopes, asked);
    }
    http::Response operator()(oauth::AlreadyUsed) const {
        return refuse_and_offer(visit, PageFault::already_used, asked);
    }

    http::Response operator()(oauth::IssueCode) const {
        const auto issued = issue({asked, *visit.browser.session, consent});
        if (issued) return authorization_response(visit.pages, target, *issued);
        if (issued.error() == oauth::NotIssued::request_used) return (*this)(oauth::AlreadyUsed{});
        // As for anybody who is not logged in, or has not approved it.
        if (issued.error() == oauth::NotIssued::session_ended) visit.browser.session.reset();
        return proceed(visit, asked, target);
    }

    http::Response operator()(const oauth::Refuse& refuse) const {
        // Sent twice at the same time it is answered once, and not at all beside a code.
        if (refuse.ends_request && !oauth::end_request(visit.context, asked, *visit.browser.session))
            return (*this)(oauth::AlreadyUsed{});
        return authorization_error(visit.pages, target, refuse.error);
    }

    /// What the response type asks for, as the client is told it.
    util::Result<http::Parameters, oauth::NotIssued> issue(const oauth::Approval& approval) const {
        if (asked.response_type == model::ResponseType::code) {
            const auto code = oauth::issue_code(visit.context, approval);
            if (!code) return code.error();
            return http::Parameters{{"code", *code}};
        }
        const auto token = oauth::issue_token(visit.context, approval);
        if (!token) return token.error();
        return token_parameters(*token);
    }
};

http::Response proceed(Visit& visit, const model::AuthorizationRequest& asked, const oauth::VerifiedRedirect& target) {
    oauth::Situation situation{asked,        target.client(), visit.browser.session,
                               std::nullopt, std::nullopt,    visit.context.now()};
    situation.progress = store::find_progress(visit.context.store, oauth::request_key(asked));
    if (situation.session)
        situation.consent = store::find_consent(visit.context.store, asked.client_id, situation.session->subject);
    const bool approved_now = situation.session && situation.progress &&
                              situation.progress->subject == situation.session->subject &&
                              situation.progress->decision == model::Decision::approved;
    const auto unasked = target.client().first_party ? oauth::Consent::not_asked : oauth::Consent::remembered;
    const auto consent = approved_now ? oauth::Consent::given_now : unasked;
    return std::visit(Answer{visit, asked, target, consent}, oauth::decide(situation));
}

/// A request by POST: sealed for no browser, and opened by the GET that follows in whichever browser follows.
http::Response continue_by_get(Visit& visit, const model::AuthorizationRequest& asked) {
    const std::string sealed = oauth::seal_request(visit.context, {asked, ""});
    return http::see_other(
        http::with_query(visit.context.settings.url(visit.context.settings.paths.authorize), {{"resume", sealed}}));
}

}  // namespace

http::Response start_authorization(Visit& visit) {
    const bool posted = visit.request.method == http::Method::post;
    if (visit.request.body == http::BodyKind::other)
        return visit.refuse(PageFault::request_malformed, "", "the body is not application/x-www-form-urlencoded");
    const http::Params& params = posted ? visit.request.form : visit.request.query;
    const auto target = oauth::verify_redirect(visit.context, params);
    if (!target) return refusal_page(visit.pages, visit.request, target.error());
    const auto asked = oauth::parse_authorization_request(visit.context, *target, params);
    if (!asked) return authorization_error(visit.pages, *target, asked.error());
    return posted ? continue_by_get(visit, *asked) : proceed(visit, *asked, *target);
}

http::Response resume_authorization(Visit& visit) {
    const auto resumed = resume(visit, visit.request.query, Unbound::accepted);
    if (!resumed) return resumed.error();
    const auto allowed = oauth::check_registration(visit.context.settings, resumed->target.client(), resumed->request);
    if (!allowed) return authorization_error(visit.pages, resumed->target, allowed.error());
    return proceed(visit, resumed->request, resumed->target);
}

}  // namespace postern::web
