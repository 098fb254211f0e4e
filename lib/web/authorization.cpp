// The authorization endpoint as a browser sees it.
#include "web/authorization.h"

#include <variant>

#include "gate/state.h"
#include "http/url.h"
#include "login/levels.h"
#include "oauth/acr.h"
#include "oauth/authorization_request.h"
#include "oauth/client_demands.h"
#include "oauth/client_document.h"
#include "oauth/issue_front.h"
#include "oauth/issue_grant.h"
#include "oauth/next_step.h"
#include "oauth/pushed_request.h"
#include "oauth/request_use.h"
#include "oauth/signed_response.h"
#include "oidc/id_token.h"
#include "oidc/userinfo.h"
#include "store/authorization_requests.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/consents.h"
#include "web/authorization_response.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

/// RFC 6749 §4.2.2, OpenID Connect Core §3.3.2.5. The scope is told with each access token; an empty one has no
/// spelling (§3.3) and is left out.
http::Parameters parameters_of(const oauth::FrontTokens& tokens) {
    http::Parameters parameters;
    if (tokens.access_token) {
        parameters = {{"access_token", *tokens.access_token},
                      {"token_type", "Bearer"},
                      {"expires_in", std::to_string(tokens.expires_in.count())},
                      {"scope", tokens.scope.empty() ? std::nullopt : std::optional(tokens.scope.to_string())}};
    }
    if (tokens.code) parameters.emplace_back("code", *tokens.code);
    if (tokens.id_token) parameters.emplace_back("id_token", *tokens.id_token);
    return parameters;
}

/// Issues the code and the tokens of the response type, as the client is told them.
util::Result<http::Parameters, oauth::NotIssued> issue(oauth::Context& context, const oauth::VerifiedRedirect& target,
                                                       const oauth::Approval& approval) {
    if (approval.request.response_type == model::ResponseType::code) {
        ASSIGN_OR_RETURN(const auto code, oauth::issue_code(context, approval));
        return http::Parameters{{"code", code}};
    }
    const auto id_tokens = oidc::front_id_tokens_with(context, oidc::database_claims(context));
    ASSIGN_OR_RETURN(const auto tokens, oauth::issue_front_tokens(context, target, approval, id_tokens));
    return parameters_of(tokens);
}

/// A consent to what the client's document said before it changed does not count.
std::optional<model::Consent> find_remembered(const Interaction& interaction, const Resumed& asked,
                                              const model::Subject& subject) {
    if (asked.target.document()) {
        const auto stored = store::find_client(interaction.context.store, asked.request.client_id);
        if (!stored || !oauth::looks_the_same(*stored, asked.target.client())) return std::nullopt;
    }
    return store::find_consent(interaction.context.store, asked.request.client_id, subject);
}

/// `restricted`: whether the client is, as far as this process knows.
oauth::AuthorizationInput read_input(const Interaction& interaction, const Resumed& asked, bool restricted) {
    const auto& session = interaction.browser.session;
    oauth::AuthorizationInput input{.request = asked.request,
                                    .client = asked.target.client(),
                                    .released_claims = interaction.context.settings.released_claims,
                                    .session = session,
                                    .progress = {},
                                    .consent = {},
                                    .now = interaction.context.now(),
                                    .may_use = true};
    // With a new id there can be none.
    if (!asked.sealed.empty())
        input.progress = store::find_progress(interaction.context.store, oauth::request_key(asked.request));
    input.is_push_used = oauth::is_push_used(interaction.context.store, asked.request);
    if (session) {
        input.consent = find_remembered(interaction, asked, session->subject);
        input.may_use =
            !restricted || store::may_use(interaction.context.store, asked.request.client_id, session->subject);
    }
    return input;
}

oauth::ConsentSource consent_source(const oauth::AuthorizationInput& input) {
    const bool approved_now = input.session && input.progress && input.progress->subject == input.session->subject &&
                              input.progress->decision == model::Decision::approved;
    if (approved_now) return oauth::ConsentSource::given_now;
    return input.client.first_party ? oauth::ConsentSource::not_asked : oauth::ConsentSource::remembered;
}

/// What has become of a client that the operator did not register, as the user is told.
constexpr struct {
    oauth::NotIssued why;
    refusal::Reason reason;
    const char* detail;
} kClientRefusals[] = {
    {oauth::NotIssued::client_changed, refusal::Reason::client_document_changed, ""},
    {oauth::NotIssued::client_gone, refusal::Reason::client_unknown, "it was removed while the user signed in"},
    {oauth::NotIssued::too_many_clients, refusal::Reason::client_document_no_room, ""},
    {oauth::NotIssued::too_many_of_user, refusal::Reason::client_document_no_room_for_user,
     "the user has brought as many as one user may"},
};

/// Carries out a step. nullopt: the session, the approval or the right to use the client has ended meanwhile, so
/// another step comes next.
struct CarryOut {
    Interaction& interaction;
    const Resumed& asked;
    oauth::ConsentSource consent;
    bool& restricted;                      ///< set when the client has become so
    const store::SecondFactorState& user;  ///< of the session, where the step is about it

    using Answer = std::optional<http::Response>;

    Answer operator()(oauth::ShowLogin) const {
        return continue_at(interaction, interaction.context.settings.paths.login, asked);
    }
    Answer operator()(oauth::ShowConsent) const {
        return continue_at(interaction, interaction.context.settings.paths.scopes, asked);
    }
    Answer operator()(oauth::ShowSecondStep) const { return raise(); }
    Answer operator()(oauth::ShowEnrolment) const { return raise(); }
    Answer operator()(oauth::ShowMayNotUse) const { return refuse_access(interaction, asked); }
    /// A second press on a button, before the application has answered, gets the answer of the first.
    Answer operator()(oauth::AlreadyUsed) const {
        const auto& session = interaction.browser.session;
        const auto code =
            session ? oauth::find_issued_code(interaction.context, asked.request, *session) : std::nullopt;
        if (code)
            return authorization_response(interaction.context, interaction.pages(), asked.target, {{"code", *code}});
        return refuse_and_offer(interaction, refusal::Reason::already_used, asked.request);
    }
    Answer operator()(oauth::IssueCode) const {
        const model::Client& client = asked.target.client();
        oauth::check_can_answer(interaction.context, asked.target);
        const auto issued =
            issue(interaction.context, asked.target,
                  {asked.request, *interaction.browser.session, consent,
                   client.origin == model::Origin::operator_ ? nullptr : &client, interaction.browser.address});
        if (issued) return authorization_response(interaction.context, interaction.pages(), asked.target, *issued);
        if (issued.error() == oauth::NotIssued::request_used) return (*this)(oauth::AlreadyUsed{});
        for (const auto& [why, reason, detail] : kClientRefusals)
            if (issued.error() == why) return refuse(reason, detail);
        if (issued.error() == oauth::NotIssued::may_not_use) restricted = true;
        if (issued.error() == oauth::NotIssued::session_ended) interaction.browser.session.reset();
        return std::nullopt;
    }
    Answer operator()(const oauth::Refuse& refuse) const {
        // The user who denied it or went back has read where the answer goes; no other error waits for that.
        const bool was_chosen = refuse.ends_request && refuse.error.code == oauth::ErrorCode::access_denied;
        // Of two equal requests at the same time one is answered with the error; neither is when a code was issued.
        if (refuse.ends_request && !oauth::end_request(interaction.context, asked.request, *interaction.browser.session,
                                                       was_chosen ? oauth::Ends::push : oauth::Ends::opening))
            return refuse_and_offer(interaction, refusal::Reason::already_used, asked.request);
        if (!was_chosen) return early_error(interaction, asked.target, refuse.error);
        return authorization_error(interaction.context, interaction.pages(), asked.target, refuse.error);
    }

private:
    Answer raise() const {
        if (auto answer = raise_login(interaction, asked.request, &asked.target.client(), user)) return answer;
        return (*this)(oauth::ShowLogin{});
    }

    Answer refuse(refusal::Reason fault, const std::string& detail = {}) const {
        return interaction.refuse(fault, asked.request.client_id.str(), detail);
    }
};

/// Returns the error with which a page has sent the browser back, in place of the step that would come: kGoesBack, also
/// when another user has signed in since, or kUnproved. nullopt: it has sent none, or nobody is there to decide it.
std::optional<oauth::Refuse> find_sent_refusal(std::string_view back, const oauth::AuthorizationInput& input) {
    if (back == kGoesBack && input.session) return oauth::Refuse{oauth::may_not_use(), true};
    if (back == kUnproved) return oauth::Refuse{oauth::login_unproved(), input.session.has_value()};
    return std::nullopt;
}

/// `back`: the value of kGoBack, or "".
http::Response proceed(Interaction& interaction, const Resumed& asked, std::string_view back = {}) {
    bool restricted = asked.target.client().restricted;
    while (true) {
        oauth::AuthorizationInput input = read_input(interaction, asked, restricted);
        const store::SecondFactorState user = login::read_levels(interaction.context, input);
        const CarryOut carry_out{interaction, asked, consent_source(input), restricted, user};
        oauth::NextStep step = oauth::next_step(input);
        const bool is_open = !std::holds_alternative<oauth::AlreadyUsed>(step);
        if (auto refusal = is_open ? find_sent_refusal(back, input) : std::nullopt) step = *std::move(refusal);
        if (auto answer = std::visit(carry_out, step)) return std::move(*answer);
    }
}

/// A request by POST: sealed for no browser, so that any browser may open it by the GET that follows.
http::Response continue_by_get(Interaction& interaction, const model::AuthorizationRequest& asked) {
    const std::string sealed = oauth::seal_request(interaction.context, asked, "");
    return http::see_other(http::with_query(
        interaction.context.settings.url(interaction.context.settings.paths.authorize), {{"resume", sealed}}));
}

/// RFC 9126 §4. `params` as the browser brought them, of which nothing else counts.
http::Response start_pushed(Interaction& interaction, const http::Params& params) {
    oauth::Context& context = interaction.context;
    auto asked = oauth::open_pushed_request(context, params);
    if (!asked) return pages::refusal_page(interaction.pages(), interaction.request, asked.error());
    interaction.ui_locales = asked->ui_locales;
    auto target = oauth::verify_redirect(context, *asked, interaction.request.remote_address);
    if (!target) return pages::refusal_page(interaction.pages(), interaction.request, target.error());
    const auto allowed = oauth::check_registration(context.settings, target->client(), *asked);
    if (!allowed) return early_error(interaction, *target, allowed.error());
    if (interaction.request.method == http::Method::post) return continue_by_get(interaction, *asked);
    return proceed(interaction, {std::move(*asked), std::move(*target)});
}

}  // namespace

http::Response start_authorization(Interaction& interaction) {
    const bool posted = interaction.request.method == http::Method::post;
    if (interaction.request.body == http::BodyKind::other)
        return interaction.refuse(refusal::Reason::request_malformed, "",
                                  "the body is not application/x-www-form-urlencoded");
    const http::Params& params = posted ? interaction.request.form : interaction.request.query;
    if (oauth::names_pushed_request(interaction.context.settings, params)) return start_pushed(interaction, params);
    interaction.ui_locales = params.find("ui_locales");
    auto target = oauth::verify_redirect(interaction.context, params, interaction.request.remote_address);
    if (!target) return pages::refusal_page(interaction.pages(), interaction.request, target.error());
    if (const auto foreign = gate::foreign_request_problem(interaction.context, target->client(), params))
        return interaction.refuse(refusal::Reason::request_malformed, target->client().id.str(), *foreign);
    const auto may_be_direct = oauth::check_may_be_direct(interaction.context.settings, target->client());
    if (!may_be_direct) return early_error(interaction, *target, may_be_direct.error());
    auto asked = oauth::parse_authorization_request(interaction.context, *target, params);
    if (!asked) return early_error(interaction, *target, asked.error());
    if (posted) return continue_by_get(interaction, *asked);
    return proceed(interaction, {std::move(*asked), std::move(*target)});
}

http::Response resume_authorization(Interaction& interaction) {
    ASSIGN_OR_RETURN(const auto resumed, resume(interaction, interaction.request.query, AllowUnbound::yes));
    const auto allowed =
        oauth::check_registration(interaction.context.settings, resumed.target.client(), resumed.request);
    if (!allowed) return early_error(interaction, resumed.target, allowed.error());
    // Not of a request that any browser may open: a client could send its users past the page.
    const bool is_bound = !resumed.sealed.empty();
    return proceed(interaction, resumed, is_bound ? interaction.request.query.find(kGoBack).value_or("") : "");
}

}  // namespace postern::web
