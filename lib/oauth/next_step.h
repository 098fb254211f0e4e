// The next step of an authorization request. Pure policy: no HTTP, no storage, no clock of its own.
#pragma once

#include <optional>
#include <variant>

#include "model/authorization.h"
#include "model/client.h"
#include "model/session.h"
#include "model/standard_claims.h"
#include "oauth/error.h"

namespace postern::oauth {

/// Everything the decision depends on.
struct AuthorizationInput {
    const model::AuthorizationRequest& request;
    const model::Client& client;
    const model::ReleasedClaims& released_claims;
    std::optional<model::Session> session;                 ///< the browser's live session
    std::optional<model::AuthorizationProgress> progress;  ///< what was done about this request before
    std::optional<model::Consent> consent;                 ///< remembered, of the session's user for this client
    util::Time now{};
    bool may_use = true;        ///< the session's user this client
    bool is_push_used = false;  ///< a request of the same push was answered, by another opening of its address
    // The levels of logins (model::Level), docs/decisions/0069-levels.md:
    model::Level level = model::Level::unknown;         ///< of the session's
    model::Level highest = model::Level::unknown;       ///< that any login can have here
    model::Level demanded = model::Level::unknown;      ///< of this user, by the configuration or the operator
    model::Level within_reach = model::Level::unknown;  ///< with what the user has set up
    bool may_set_up = true;                             ///< the user a first second factor, behind the password
};

struct ShowLogin {};
/// The session's login is not worth enough: the second half of one is missing.
struct ShowSecondStep {};
/// The session's login is not worth enough, and the user has no second factor set up.
struct ShowEnrolment {};
struct ShowConsent {};
/// The user may not use the client, and is told first: only the user can choose another account.
struct ShowMayNotUse {};
struct IssueCode {};
/// The client is told.
struct Refuse {
    OAuthError error;
    bool ends_request = false;  ///< the user took part: going back must not revive it
};
/// A code or a refusal was delivered before: the user is told, the client is not (a replay is not its doing).
struct AlreadyUsed {};

using NextStep =
    std::variant<ShowLogin, ShowMayNotUse, ShowSecondStep, ShowEnrolment, ShowConsent, IssueCode, Refuse, AlreadyUsed>;

NextStep next_step(const AuthorizationInput& input);

/// The least that a login must be worth for this request, whatever is demanded of the user: of the client, and of an
/// essential `acr`.
model::Level demanded_of_request(const model::Client& client, const model::AuthorizationRequest& request);

/// Returns the error for a client that the user may not use: access_denied (RFC 6749 §4.1.2.1).
OAuthError may_not_use();
/// Returns the error for a login of the web server's that does not prove what the request requires: login_required.
OAuthError login_unproved();

/// A remembered approval is worth any part of what was approved, for each API apart, in scopes and single claims
/// (OpenID Connect Core §3.1.2.4).
bool is_approved(const model::Consent& consent, const model::AuthorizationRequest& request,
                 const model::ReleasedClaims& released_claims);

/// Returns whether a login is older than `max_age`, in whole seconds: now > auth_time + max_age. A login that lies more
/// than a minute ahead is stale too: a clock that went back must not make old logins fresh. A login at an unknown time
/// is always stale. docs/decisions/0005
inline bool is_stale_login(util::Time auth_time, util::Seconds max_age, util::Time now) {
    constexpr util::Seconds kClockTolerance{60};
    if (auth_time == model::kAuthTimeUnknown) return true;
    return now > auth_time + max_age || auth_time > now + kClockTolerance;
}

}  // namespace postern::oauth
