// The next step of a login: the second factor before a new password, a new password before the first second factor,
// and all of them before the session.
#include "login/step.h"

#include <algorithm>

#include "oauth/acr.h"
#include "oauth/next_step.h"

namespace postern::login {
namespace {

using model::Level;

MayEnrol who_may_enrol(const oauth::Settings& settings) {
    if (!settings.paths.account) return MayEnrol::nobody;
    if (settings.login.enrolment == Enrolment::login) return MayEnrol::everybody;
    return settings.paths.recover ? MayEnrol::after_link : MayEnrol::nobody;
}

const model::HalfLogin& half_of(const LoginInput& s) { return *s.request.half_login; }
bool raises_session(const LoginInput& s) { return !half_of(s).sid.empty(); }
Standing standing(const LoginInput& s) { return standing_of(s.policy, s.user, s.now); }

/// By the client and its request: a page of the account demands nothing, and the page for devices what the client of
/// the device does.
Level demanded_by_client(const LoginInput& s) {
    return s.client != nullptr ? oauth::demanded_of_request(*s.client, s.request) : s.request.acr.demanded;
}

/// An essential acr for which nothing can be set up is answered by authorize, which tells the client (LEVEL-5).
bool is_client_told(const LoginInput& s) {
    return s.client != nullptr && !standing(s).may_enrol && s.client->level < Level::second_factor;
}

bool must_have_second_factor(const LoginInput& s) {
    const Level by_client = is_client_told(s) ? Level::unknown : demanded_by_client(s);
    return std::max(by_client, standing(s).demanded) >= Level::second_factor;
}

/// Whether the request wants a whole login (STEP-8): by `prompt=login`, by a `max_age` for which the browser's session
/// is too old, or by a `max_age` of 0, with a session or without one.
bool asks_anew(const LoginInput& s) {
    if (s.request.prompt.contains(model::Prompt::login)) return true;
    if (!s.request.max_age) return false;
    return s.request.max_age->count() == 0 ||
           (s.session != nullptr && oauth::is_stale_login(s.session->auth_time, *s.request.max_age, s.now));
}

/// A client gets the level that it wishes for of a user who has it (LEVEL-4); the same page would come a moment later.
bool is_device_enough(const LoginInput& s) {
    return s.policy.remembers_devices && !half_of(s).must_change_password && !raises_session(s) && !asks_anew(s) &&
           std::max(demanded_by_client(s), s.request.acr.wished) < Level::second_factor;
}

/// Only where a code would help: the user has one to give, has not given one yet, and it is not a passkey that is
/// needed.
bool is_code_worth_it(const LoginInput& s) {
    const auto done = model::methods_of(half_of(s).done.amr);
    return s.user.code && demanded_by_client(s) < Level::phishing_resistant &&
           std::ranges::find(done, "otp") == done.end();
}

LoginStep set_up(const LoginInput& s) {
    if (s.user.suspended) return TellUser{LoginFault::passkey_suspended};
    if (!standing(s).may_enrol) return TellUser{LoginFault::second_factor_missing};
    return Enrol{.app = demanded_by_client(s) <= Level::second_factor};
}

LoginStep second_factor(const LoginInput& s) {
    if (!s.user.available) return set_up(s);
    return AskSecondFactor{.code = is_code_worth_it(s), .device = is_device_enough(s)};
}

/// A user who has a second factor is asked for it whatever is demanded (POLICY-2), and no password takes the place of a
/// passkey that is suspended.
bool is_second_factor_missing(const LoginInput& s) {
    if (s.policy.highest < Level::second_factor || half_of(s).done.level >= Level::second_factor) return false;
    return s.user.available || s.user.suspended || must_have_second_factor(s);
}

LoginStep finish(const LoginInput& s, const model::Authentication& how) {
    const model::HalfLogin& half = half_of(s);
    if (half.must_change_password)
        return s.policy.has_account ? LoginStep(ChooseNewPassword{}) : TellUser{LoginFault::password_change_nowhere};
    if (raises_session(s)) return RaiseSession{how};
    const bool is_made_now = !half.auth_time || is_made_for(s.policy, s.request, half.auth_time);
    return StartSession{.how = how, .is_for_request = s.client != nullptr && is_made_now};
}

/// The request or the page demands more than the session is worth. A password is worth the first second factor for a
/// while only.
LoginStep raise(const LoginInput& s) {
    if (s.user.available) return second_factor(s);
    const bool is_recent =
        s.session != nullptr && s.now - login_time_of(s.policy, *s.session) < s.policy.reauthentication;
    return is_recent ? set_up(s) : AskPassword{};
}

}  // namespace

LoginPolicy policy_of(const oauth::Settings& settings) {
    const Settings& login = settings.login;
    const Level highest = oauth::highest_level(settings);
    return {.highest = highest,
            .requires_second_factor = login.second_factor == SecondFactor::required,
            .may_enrol = who_may_enrol(settings),
            .remembers_devices = login.remember_device.count() > 0 && highest > Level::password,
            .has_account = settings.paths.account.has_value(),
            .level_of_web_server = login.remote_level,
            .reauthentication = settings.account.reauthentication,
            .request_ttl = settings.authorization_request_ttl};
}

Standing standing_of(const LoginPolicy& policy, const store::SecondFactorState& user, util::Time now,
                     const model::Authentication& how) {
    const bool is_demanded = policy.highest >= Level::second_factor && (policy.requires_second_factor || user.demanded);
    const bool is_satisfied = how.remembered && policy.remembers_devices;
    Standing standing;
    if (is_demanded && !is_satisfied) standing.demanded = Level::second_factor;
    standing.within_reach = user.passkey ? Level::phishing_resistant
                            : user.code  ? Level::second_factor
                                         : std::max(Level::password, static_cast<Level>(policy.level_of_web_server));
    standing.may_enrol =
        policy.may_enrol == MayEnrol::everybody || (policy.may_enrol == MayEnrol::after_link && now < user.enrol_until);
    return standing;
}

util::Time login_time_of(const LoginPolicy& policy, const model::Session& session) {
    const bool counts_at_its_begin = session.auth_time == model::kAuthTimeUnknown && policy.level_of_web_server > 0;
    return counts_at_its_begin ? session.created_at : session.auth_time;
}

bool is_made_for(const LoginPolicy& policy, const model::AuthorizationRequest& request,
                 std::optional<util::Time> auth_time) {
    return auth_time && *auth_time >= request.expires_at - policy.request_ttl;
}

bool is_over(const LoginPolicy& policy, const model::HalfLogin& half, util::Time now) {
    const bool is_asked_for = half.must_change_password || policy.highest > Level::password;
    return !is_asked_for || now >= half.expires_at;
}

LoginStep next_step(const LoginInput& s) {
    // Password, factors or the user have changed since the half was proved, or the user is gone.
    if (!s.request.half_login || s.user.stamp != half_of(s).stamp) return AskPassword{};
    if (s.proved) return finish(s, *s.proved);
    if (raises_session(s) && !half_of(s).must_change_password) return raise(s);
    if (!is_second_factor_missing(s)) return finish(s, half_of(s).done);
    const LoginStep missing = second_factor(s);
    // The first second factor is nothing that the user could have proved before (PASSWORD-5).
    if (!half_of(s).must_change_password || !std::holds_alternative<Enrol>(missing)) return missing;
    return s.policy.has_account ? LoginStep(ChooseNewPassword{.then_enrol = true})
                                : TellUser{LoginFault::password_change_nowhere};
}

}  // namespace postern::login
