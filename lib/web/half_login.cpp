// The second half of a login. Nothing is stored before it is whole.
#include "web/half_login.h"

#include <algorithm>

#include "db/write.h"
#include "http/url.h"
#include "login/activity.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/next_step.h"
#include "oauth/sealed_request.h"
#include "store/authorization_requests.h"
#include "store/factors.h"
#include "store/users.h"
#include "web/remembered_device.h"

namespace postern::web {
namespace {

/// The request as the first page of a login and every other endpoint get it.
model::AuthorizationRequest without_half(model::AuthorizationRequest request) {
    request.half_login.reset();
    return request;
}

/// The rest of it raises this session.
model::HalfLogin half_login_of(const oauth::Context& context, const model::Session& session, std::int64_t stamp) {
    return {.subject = session.subject,
            .stamp = stamp,
            .expires_at = context.now() + kHalfLoginTtl,
            .done = session.how,
            .sid = session.sid};
}

}  // namespace

bool can_enrol(const oauth::Settings& settings) {
    return settings.login.enrolment == oauth::Enrolment::login && settings.paths.account;
}

bool can_enrol(const oauth::Context& context, const store::SecondFactorState& state) {
    return can_enrol(context.settings) || (offers_enrolment(context.settings) && context.now() < state.enrol_until);
}

bool offers_enrolment(const oauth::Settings& settings) {
    return can_enrol(settings) || (settings.paths.account && settings.paths.recover);
}

model::Level demanded_of_user(const oauth::Settings& settings, const store::SecondFactorState& state) {
    if (oauth::highest_level(settings) < model::Level::second_factor) return model::Level::unknown;
    const bool required = settings.login.second_factor == oauth::SecondFactor::required || state.demanded;
    return required ? model::Level::second_factor : model::Level::unknown;
}

model::Level demanded_of_session(const oauth::Settings& settings, const store::SecondFactorState& state,
                                 const model::Authentication& how) {
    if (how.remembered && remembers_devices(settings)) return model::Level::unknown;
    return demanded_of_user(settings, state);
}

model::Level level_within_reach(const oauth::Settings& settings, const store::SecondFactorState& state) {
    if (state.passkey) return model::Level::phishing_resistant;
    const auto alone = std::max(model::Level::password, static_cast<model::Level>(settings.login.remote_level));
    return state.code ? model::Level::second_factor : alone;
}

util::Time login_time_of(const oauth::Settings& settings, const model::Session& session) {
    const bool counts_at_its_begin = session.auth_time == model::kAuthTimeUnknown && settings.login.remote_level > 0;
    return counts_at_its_begin ? session.created_at : session.auth_time;
}

bool is_made_for(const oauth::Settings& settings, const model::AuthorizationRequest& request,
                 std::optional<util::Time> auth_time) {
    return auth_time && *auth_time >= request.expires_at - settings.authorization_request_ttl;
}

model::Level demanded_by(const LoginVisit& visit) {
    return visit.target ? oauth::demanded_of_request(visit.target->client(), visit.request) : model::Level::unknown;
}

SecondHalf demanded_half(const oauth::Context& context, const store::SecondFactorState& state) {
    if (state.available) return SecondHalf::code;
    if (state.suspended) return SecondHalf::suspended;
    return can_enrol(context, state) ? SecondHalf::enrolment : SecondHalf::link;
}

SecondHalf missing_half(const oauth::Context& context, const store::SecondFactorState& state, const LoginVisit& visit) {
    const oauth::Settings& settings = context.settings;
    if (oauth::highest_level(settings) < model::Level::second_factor) return SecondHalf::none;
    const SecondHalf half = demanded_half(context, state);
    if (half == SecondHalf::code || half == SecondHalf::suspended) return half;
    // An essential acr for which nothing can be set up is answered by authorize, which tells the client (LEVEL-5).
    const bool is_client_told =
        visit.target && half == SecondHalf::link && visit.target->client().level < model::Level::second_factor;
    const model::Level demanded = is_client_told ? model::Level::unknown : demanded_by(visit);
    const bool is_demanded = std::max(demanded, demanded_of_user(settings, state)) >= model::Level::second_factor;
    return is_demanded ? half : SecondHalf::none;
}

model::HalfLogin begin_half_login(const oauth::Context& context, const model::Subject& subject, std::int64_t stamp) {
    const util::Time now = context.now();
    return {
        .subject = subject, .stamp = stamp, .expires_at = now + kHalfLoginTtl, .done = model::by_password(), .sid = {}};
}

void keep_typed_name(oauth::Context& context, const model::HalfLogin& over, model::AuthorizationRequest& request) {
    if (over.sid.empty()) request.login_hint = store::find_username(context.store, over.subject);
}

namespace {

http::Response continue_with_new_password(Interaction& interaction, model::AuthorizationRequest request,
                                          model::HalfLogin half) {
    const oauth::Settings& settings = interaction.context.settings;
    if (!settings.paths.account)
        return interaction.refuse(pages::PageFault::password_change_missing, request.client_id.str(),
                                  "the user must choose another password, and paths.account is null");
    half.expires_at = interaction.context.now() + kEnrolmentTtl;
    request.half_login = std::move(half);
    return continue_at(interaction, *settings.paths.account + kPasswordChangeSuffix, request, "");
}

}  // namespace

http::Response continue_with_half(Interaction& interaction, model::AuthorizationRequest request, model::HalfLogin half,
                                  SecondHalf missing) {
    const oauth::Settings& settings = interaction.context.settings;
    if (missing == SecondHalf::link)
        return interaction.refuse(pages::PageFault::second_factor_missing, request.client_id.str(),
                                  "the user has no second factor, and login.enrolment does not let a password set one "
                                  "up");
    if (missing == SecondHalf::suspended)
        return interaction.refuse(pages::PageFault::passkey_suspended, request.client_id.str(),
                                  "the user has no other second factor than a suspended passkey");
    const bool is_proved = missing == SecondHalf::none || missing == SecondHalf::enrolment;
    if (half.must_change_password && is_proved)
        return continue_with_new_password(interaction, std::move(request), std::move(half));
    request.half_login = std::move(half);
    if (missing == SecondHalf::enrolment) request.half_login->expires_at = interaction.context.now() + kEnrolmentTtl;
    const std::string path =
        missing == SecondHalf::enrolment ? *settings.paths.account + kEnrolmentSuffix : settings.paths.login;
    return continue_at(interaction, path, request, "");
}

std::optional<http::Response> raise_login(Interaction& interaction, model::AuthorizationRequest request,
                                          SecondHalf missing, std::int64_t stamp) {
    const oauth::Context& context = interaction.context;
    const model::Session& session = interaction.browser.session.value();
    const util::Seconds age = context.now() - login_time_of(context.settings, session);
    if (missing != SecondHalf::code && age >= context.settings.account.reauthentication) return std::nullopt;
    return continue_with_half(interaction, std::move(request), half_login_of(context, session, stamp), missing);
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

std::optional<login::StartedSession> complete_login(Interaction& interaction, const LoginVisit& visit,
                                                    const model::Authentication& how, const SpendSecondHalf& spend) {
    oauth::Context& context = interaction.context;
    const model::HalfLogin& half = visit.request.half_login.value();
    const auto complete = [&](db::Transaction& transaction) -> std::optional<login::StartedSession> {
        const auto user = store::find_user_to_change(transaction, half.subject);
        if (!user || !user->enabled) return std::nullopt;
        if (store::find_stamp(transaction.database(), half.subject) != half.stamp) return std::nullopt;
        if (!spend(transaction)) return std::nullopt;
        const login::SuccessKeys keys =
            login::success_keys(context, user->username, interaction.request.remote_address);
        if (half.sid.empty()) login::note_success(transaction, keys, context.now());
        if (how.level >= model::Level::second_factor) login::remember_code_place(transaction, keys, context.now());
        // The login is whole now: `max_age` counts from here (OpenID Connect Core §2, auth_time).
        auto started = half.sid.empty()
                           ? login::start_session(context, transaction, interaction.browser, half.subject,
                                                  half.auth_time.value_or(context.now()), how)
                           : login::raise_session(context, transaction, interaction.browser, half.sid, how);
        if (!started) return std::nullopt;
        if (!half.sid.empty())
            login::note_activity(context, transaction, interaction.browser, half.subject,
                                 model::Happened::second_step_done, how.amr);
        // A session that was raised is not a login for this request: its password is as old as it was.
        const bool is_login_for_it =
            half.sid.empty() && (!half.auth_time || is_made_for(context.settings, visit.request, half.auth_time));
        if (visit.target && is_login_for_it)
            store::record_login(transaction, oauth::request_key(visit.request), half.subject, visit.request.expires_at);
        transaction.commit();
        return started;
    };
    return db::write(context.store, db::Durability::full, complete);
}

http::Response go_on_with(Interaction& interaction, const LoginVisit& visit, const login::StartedSession& started) {
    http::Response response = visit.request.half_login
                                  ? continue_after_login(interaction, {without_half(visit.request), visit.target, ""})
                                  : continue_after_login(interaction, visit);
    login::send_session(interaction.browser, started, response);
    return response;
}

}  // namespace postern::web
