// The authorization endpoint as a browser sees it.
#include "web/authorization.h"

#include "http/url.h"
#include "oauth/authorization_request.h"
#include "oauth/issue_code.h"
#include "oauth/issue_token.h"
#include "oauth/next_step.h"
#include "store/authorization_requests.h"
#include "store/consents.h"
#include "web/authorization_response.h"

namespace postern::web {
namespace {

http::Response proceed(Interaction& interaction, const model::AuthorizationRequest& asked, const oauth::VerifiedRedirect& target);

/// RFC 6749 §4.2.2. The scope is always told; an empty one has no spelling (§3.3) and is left out.
http::Parameters token_parameters(const oauth::ImplicitToken& token) {
    return {{"access_token", token.value},
            {"token_type", "Bearer"},
            {"expires_in", std::to_string(token.expires_in.count())},
            {"scope", token.scope.empty() ? std::nullopt : std::optional(token.scope.to_string())}};
}

/// Carries out what `decide` decided.
struct Answer {
    Interaction& interaction;
    const model::AuthorizationRequest& asked;
    const oauth::VerifiedRedirect& target;
    oauth::ConsentSource consent;

    http::Response operator()(oauth::ShowLogin) const {
        return continue_at(interaction, interaction.context.settings.paths.login, asked);
    }
    http::Response operator()(oauth::ShowConsent) const {
        return continue_at(interaction, interaction.context.settings.paths.scopes, asked);
    }
    http::Response operator()(oauth::AlreadyUsed) const {
        return refuse_and_offer(interaction, PageFault::already_used, asked);
    }

    http::Response operator()(oauth::IssueCode) const {
        const auto issued = issue({asked, *interaction.browser.session, consent});
        if (issued) return authorization_response(interaction.pages, target, *issued);
        if (issued.error() == oauth::NotIssued::request_used) return (*this)(oauth::AlreadyUsed{});
        // As for anybody who is not logged in, or has not approved it.
        if (issued.error() == oauth::NotIssued::session_ended) interaction.browser.session.reset();
        return proceed(interaction, asked, target);
    }

    http::Response operator()(const oauth::Refuse& refuse) const {
        // Sent twice at the same time it is answered once, and not at all beside a code.
        if (refuse.ends_request && !oauth::end_request(interaction.context, asked, *interaction.browser.session))
            return (*this)(oauth::AlreadyUsed{});
        return authorization_error(interaction.pages, target, refuse.error);
    }

    /// What the response type asks for, as the client is told it.
    util::Result<http::Parameters, oauth::NotIssued> issue(const oauth::Approval& approval) const {
        if (asked.response_type == model::ResponseType::code) {
            const auto code = oauth::issue_code(interaction.context, approval);
            if (!code) return code.error();
            return http::Parameters{{"code", *code}};
        }
        const auto token = oauth::issue_token(interaction.context, approval);
        if (!token) return token.error();
        return token_parameters(*token);
    }
};

http::Response proceed(Interaction& interaction, const model::AuthorizationRequest& asked, const oauth::VerifiedRedirect& target) {
    oauth::AuthorizationInput input{asked,        target.client(), interaction.browser.session,
                               std::nullopt, std::nullopt,    interaction.context.now()};
    input.progress = store::find_progress(interaction.context.store, oauth::request_key(asked));
    if (input.session)
        input.consent = store::find_consent(interaction.context.store, asked.client_id, input.session->subject);
    const bool approved_now = input.session && input.progress &&
                              input.progress->subject == input.session->subject &&
                              input.progress->decision == model::Decision::approved;
    const auto unasked = target.client().first_party ? oauth::ConsentSource::not_asked : oauth::ConsentSource::remembered;
    const auto consent = approved_now ? oauth::ConsentSource::given_now : unasked;
    return std::visit(Answer{interaction, asked, target, consent}, oauth::next_step(input));
}

/// A request by POST: sealed for no browser, and opened by the GET that follows in whichever browser follows.
http::Response continue_by_get(Interaction& interaction, const model::AuthorizationRequest& asked) {
    const std::string sealed = oauth::seal_request(interaction.context, {asked, ""});
    return http::see_other(
        http::with_query(interaction.context.settings.url(interaction.context.settings.paths.authorize), {{"resume", sealed}}));
}

}  // namespace

http::Response start_authorization(Interaction& interaction) {
    const bool posted = interaction.request.method == http::Method::post;
    if (interaction.request.body == http::BodyKind::other)
        return interaction.refuse(PageFault::request_malformed, "", "the body is not application/x-www-form-urlencoded");
    const http::Params& params = posted ? interaction.request.form : interaction.request.query;
    const auto target = oauth::verify_redirect(interaction.context, params);
    if (!target) return refusal_page(interaction.pages, interaction.request, target.error());
    const auto asked = oauth::parse_authorization_request(interaction.context, *target, params);
    if (!asked) return authorization_error(interaction.pages, *target, asked.error());
    return posted ? continue_by_get(interaction, *asked) : proceed(interaction, *asked, *target);
}

http::Response resume_authorization(Interaction& interaction) {
    const auto resumed = resume(interaction, interaction.request.query, AllowUnbound::yes);
    if (!resumed) return resumed.error();
    const auto allowed = oauth::check_registration(interaction.context.settings, resumed->target.client(), resumed->request);
    if (!allowed) return authorization_error(interaction.pages, resumed->target, allowed.error());
    return proceed(interaction, resumed->request, resumed->target);
}

}  // namespace postern::web
