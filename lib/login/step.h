// The next step of a login. Pure policy: no HTTP, no storage, no clock of its own. docs/decisions/0069-levels.md,
// docs/decisions/0114-login-is-one-step.md
#pragma once

#include <optional>
#include <variant>

#include "model/authorization.h"
#include "model/client.h"
#include "model/session.h"
#include "oauth/settings.h"
#include "store/second_factor.h"

namespace postern::login {

/// The time after the password in which the second factor can be given.
inline constexpr util::Seconds kHalfLoginTtl{300};
/// The time in which an app can be set up, which may have to be installed first: as long as its form may turn it on.
inline constexpr util::Seconds kEnrolmentTtl{600};
/// The time after a link was used in which its user may set up a first second factor, whatever `login.enrolment` says.
inline constexpr util::Seconds kEnrolAfterLink{1800};

/// Users who may set up a first second factor behind their password (POLICY-4).
enum class MayEnrol { nobody, after_link, everybody };

/// The configuration, as far as it decides about logins.
struct LoginPolicy {
    model::Level highest = model::Level::unknown;  ///< that any login can have here
    bool requires_second_factor = false;           ///< of every user
    MayEnrol may_enrol = MayEnrol::everybody;
    bool remembers_devices = false;
    bool has_account = true;      ///< there is a page on which a password is changed
    int level_of_web_server = 0;  ///< `login.remoteLevel`
    util::Seconds reauthentication{600};
    util::Seconds request_ttl{600};
};
/// Returns the policy of the configuration.
LoginPolicy policy_of(const oauth::Settings& settings);

/// The level that a user must reach, and the level that the user can reach.
struct Standing {
    model::Level demanded = model::Level::unknown;  ///< by the configuration or the operator (POLICY-1)
    model::Level within_reach = model::Level::password;
    bool may_enrol = false;  ///< the user may set up a first second factor behind the password
};
/// Returns the standing of a user. `how`: a login that is there already; a remembered device satisfies what is demanded
/// of its user (DEVICE-3).
Standing standing_of(const LoginPolicy& policy, const store::SecondFactorState& user, util::Time now,
                     const model::Authentication& how = {});

/// Everything the decision depends on.
struct LoginInput {
    LoginPolicy policy;
    store::SecondFactorState user;
    /// The request of the login. Its `half_login` holds the proof that was given before: by a password, by the web
    /// server, or in a session that is raised.
    const model::AuthorizationRequest& request;
    const model::Client* client = nullptr;  ///< nullptr: the login is for a page of the account
    /// The worth of the login with the proof that was given just now: a second factor, a remembered device or a passkey
    /// alone.
    std::optional<model::Authentication> proved = std::nullopt;
    const model::Session* session = nullptr;  ///< the browser's; the one that is raised, if one is
    util::Time now{};
};

struct AskPassword {};
struct AskSecondFactor {
    bool code = false;    ///< a code would help
    bool device = false;  ///< a remembered device is enough
};
struct Enrol {
    bool app = false;  ///< an app would do; a passkey always does
};
struct ChooseNewPassword {
    bool then_enrol = false;
};
struct StartSession {
    model::Authentication how;
    bool is_for_request = false;  ///< it counts as the login that the client has asked for
};
struct RaiseSession {
    model::Authentication how;
};
/// The reason why a login ends here. The user is told, the client is not.
enum class LoginFault {
    second_factor_missing,    ///< the user must have one and has none, and the password sets none up
    passkey_suspended,        ///< and no other second factor is there: a password does not take its place
    password_change_nowhere,  ///< the password must be changed, and there is no page for it
};
struct TellUser {
    LoginFault fault;
};

using LoginStep =
    std::variant<AskPassword, AskSecondFactor, Enrol, ChooseNewPassword, StartSession, RaiseSession, TellUser>;

/// Decides the next step.
LoginStep next_step(const LoginInput& input);

/// Returns when the session's user logged in, for changes that are allowed only a while after that. Where the web
/// server does not tell the time, `login.remoteLevel` lets its word count from when the session began.
util::Time login_time_of(const LoginPolicy& policy, const model::Session& session);

/// Returns whether a login at that time, or at an unknown one, was made for this request: `prompt=login` and a stale
/// `max_age` want that the user was asked after the client had asked for it.
bool is_made_for(const LoginPolicy& policy, const model::AuthorizationRequest& request,
                 std::optional<util::Time> auth_time);

/// Returns whether a half login that a request has brought is too old, or asks for what this configuration does not
/// have.
bool is_over(const LoginPolicy& policy, const model::HalfLogin& half, util::Time now);

}  // namespace postern::login
