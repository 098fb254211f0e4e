// Carries out what login/step decides.
#include "web/login_step.h"

#include "http/url.h"
#include "oauth/sealed_request.h"

namespace postern::web {
namespace {

/// The request as the first page of a login and every other endpoint get it.
model::AuthorizationRequest without_half(model::AuthorizationRequest request) {
    request.half_login.reset();
    return request;
}

const model::Client* client_of(const LoginVisit& visit) { return visit.target ? &visit.target->client() : nullptr; }

login::LoginInput input_of(const Interaction& interaction, const model::AuthorizationRequest& request,
                           const model::Client* client, const store::SecondFactorState& user) {
    const auto& session = interaction.browser.session;
    return {.policy = login::policy_of(interaction.context.settings),
            .user = user,
            .request = request,
            .client = client,
            .session = session ? &*session : nullptr,
            .now = interaction.context.now()};
}

/// How a user learns of a login that ends.
struct FaultAnswer {
    refusal::Reason page;
    const char* detail;
};
FaultAnswer answer_to(login::LoginFault fault) {
    switch (fault) {
        case login::LoginFault::passkey_suspended:
            return {refusal::Reason::passkey_suspended, "the user has no other second factor than a suspended passkey"};
        case login::LoginFault::password_change_nowhere:
            return {refusal::Reason::password_change_missing,
                    "the user must choose another password, and paths.account is null"};
        case login::LoginFault::second_factor_missing:
            break;
    }
    return {refusal::Reason::second_factor_missing,
            "the user has no second factor, and login.enrolment does not let a password set one up"};
}

/// Leads to the page of a step that asks.
struct AskFor {
    Interaction& interaction;
    model::AuthorizationRequest& request;

    http::Response operator()(const login::AskSecondFactor&) const { return continue_at(settings().paths.login); }
    http::Response operator()(const login::Enrol&) const { return continue_in_account(kEnrolmentSuffix); }
    http::Response operator()(const login::ChooseNewPassword&) const {
        return continue_in_account(kPasswordChangeSuffix);
    }
    http::Response operator()(const login::TellUser& step) const {
        const FaultAnswer answer = answer_to(step.fault);
        return interaction.refuse(answer.page, request.client_id.str(), answer.detail);
    }
    /// The login is at its beginning, or has no step that asks.
    template <class OtherStep>
    http::Response operator()(const OtherStep&) const {
        request.half_login.reset();
        return continue_at(settings().paths.login);
    }

private:
    const oauth::Settings& settings() const { return interaction.context.settings; }
    http::Response continue_at(const std::string& path) const {
        return web::continue_at(interaction, path, request, "");
    }
    http::Response continue_in_account(const char* suffix) const {
        request.half_login->expires_at = interaction.context.now() + login::kEnrolmentTtl;
        return continue_at(*settings().paths.account + suffix);
    }
};

}  // namespace

login::LoginStep find_login_step(const Interaction& interaction, db::Database& database, const LoginVisit& visit,
                                 std::optional<model::Authentication> proved) {
    const auto user = login::find_factor_state(interaction.context, database, visit.request.half_login->subject);
    login::LoginInput input = input_of(interaction, visit.request, client_of(visit), user);
    input.proved = std::move(proved);
    return login::next_step(input);
}

http::Response ask_for(Interaction& interaction, model::AuthorizationRequest request, const login::LoginStep& step) {
    return std::visit(AskFor{interaction, request}, step);
}

BegunLogin begin(Interaction& interaction, const LoginVisit& visit, const login::Proof& first) {
    BegunLogin begun{find_login_step(interaction, interaction.context.store, visit)};
    const auto* ask = std::get_if<login::AskSecondFactor>(&begun.step);
    login::DeviceCookie fresh;
    const auto device = ask != nullptr && ask->device ? login::attempt_device(interaction.context, interaction.browser,
                                                                              *visit.request.half_login, fresh)
                                                      : std::nullopt;
    if (device) {
        const auto whole = find_login_step(interaction, interaction.context.store, visit, device->how);
        begun.started = complete(interaction, visit, whole, [&](db::Transaction& transaction) {
            return first.spend(transaction) && device->spend(transaction);
        });
        if (begun.started) begun.device = std::move(fresh);
    }
    if (!std::holds_alternative<login::StartSession>(begun.step)) return begun;
    begun.started = complete(interaction, visit, begun.step, first.spend);
    if (!begun.started) begun.step = login::AskPassword{};
    return begun;
}

std::optional<login::StartedSession> complete(Interaction& interaction, const LoginVisit& visit,
                                              const login::LoginStep& step, const login::Spend& spend) {
    return login::complete_login(interaction.context, interaction.browser,
                                 {visit.request, step, interaction.request.remote_address}, spend);
}

std::optional<http::Response> raise_login(Interaction& interaction, const model::AuthorizationRequest& request,
                                          const model::Client* client, const store::SecondFactorState& user) {
    model::AuthorizationRequest raising = request;
    raising.half_login = login::begin_raise(interaction.context, *interaction.browser.session, user.stamp);
    const login::LoginStep step = login::next_step(input_of(interaction, raising, client, user));
    if (std::holds_alternative<login::AskPassword>(step)) return std::nullopt;
    return ask_for(interaction, std::move(raising), step);
}

std::string first_page_url(Interaction& interaction, const LoginVisit& visit) {
    const oauth::Settings& settings = interaction.context.settings;
    model::AuthorizationRequest first = without_half(visit.request);
    first.login_hint.reset();  // it may be this user's name
    const std::string sealed = oauth::seal_request(interaction.context, first, interaction.browser.binding());
    return http::with_query(settings.url(settings.paths.login), {{"resume", sealed}});
}

http::Response start_over(Interaction& interaction, const LoginVisit& visit) {
    return continue_at(interaction, interaction.context.settings.paths.login, without_half(visit.request), "");
}

http::Response go_on_with(Interaction& interaction, const LoginVisit& visit, const login::StartedSession& started) {
    http::Response response = visit.request.half_login
                                  ? continue_after_login(interaction, {without_half(visit.request), visit.target, ""})
                                  : continue_after_login(interaction, visit);
    login::send_session(interaction.browser, started, response);
    return response;
}

http::Response answer_refused(http::Response form, const login::ProofRefused& refused, http::Refusal why) {
    const bool waits = refused.fault == login::ProofFault::throttled;
    if (waits || refused.fault == login::ProofFault::locked) form.status = 429;
    if (refused.fault == login::ProofFault::unreadable) form.status = 503;
    if (waits) form.set("Retry-After", std::to_string(refused.wait.count()));
    form.refusal = std::move(why);
    return form;
}

}  // namespace postern::web
