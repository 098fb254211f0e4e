// The second half of a login: who needs one, and how it is completed. docs/decisions/0069-levels.md
#pragma once

#include <functional>
#include <optional>

#include "login/browser.h"
#include "model/authorization.h"
#include "model/client.h"
#include "store/second_factor.h"
#include "web/interaction.h"

namespace postern::web {

/// So long after the password the second half can be given.
inline constexpr util::Seconds kHalfLoginTtl{300};
/// Or an app can be set up, which may have to be installed first: as long as its form may turn it on.
inline constexpr util::Seconds kEnrolmentTtl{600};

/// What is missing behind a right password.
enum class SecondHalf {
    none,
    code,       ///< or a passkey: what the user has set up
    enrolment,  ///< the user must have a second factor, has none, and sets one up
    link,       ///< the same, and may not set one up without a link (POLICY-4)
    suspended,  ///< the user has a passkey that is suspended and nothing else: no password takes its place
};

/// Of a user in that state, for the login of that visit. A user who has a second factor is asked for it whatever is
/// demanded.
SecondHalf missing_half(const oauth::Context& context, const store::SecondFactorState& state, const LoginVisit& visit);
/// The same where a second factor is demanded: never `none`.
SecondHalf demanded_half(const oauth::Context& context, const store::SecondFactorState& state);

/// So long after a link was used the user may set up a first second factor, whatever `login.enrolment` says.
inline constexpr util::Seconds kEnrolAfterLink{1800};

/// Whether every user who must have a second factor and has none sets one up behind the password (POLICY-4).
bool can_enrol(const oauth::Settings& settings);
/// Whether this user does now: because all do, or because of a link that was just used.
bool can_enrol(const oauth::Context& context, const store::SecondFactorState& state);
/// Whether there is a page on which some user does.
bool offers_enrolment(const oauth::Settings& settings);

/// That a login can have with what the user has set up.
model::Level level_within_reach(const oauth::Settings& settings, const store::SecondFactorState& state);

/// When the session's user logged in, for what may be changed only a while after that. Where the web server does not
/// tell the time, `login.remoteLevel` lets its word count from when the session began.
util::Time login_time_of(const oauth::Settings& settings, const model::Session& session);

/// Whether a login whose time is that, or not known, was made for this request: `prompt=login` and a stale `max_age`
/// want that the user was asked after the client had asked for it.
bool is_made_for(const oauth::Settings& settings, const model::AuthorizationRequest& request,
                 std::optional<util::Time> auth_time);

/// What the configuration and the operator demand of a user in that state.
model::Level demanded_of_user(const oauth::Settings& settings, const store::SecondFactorState& state);
/// The same of a session that began with such a login: a remembered device satisfies it, as long as there are any
/// (DEVICE-3).
model::Level demanded_of_session(const oauth::Settings& settings, const store::SecondFactorState& state,
                                 const model::Authentication& how);

/// A right password, now.
model::HalfLogin begin_half_login(const oauth::Context& context, const model::Subject& subject, std::int64_t stamp);

/// `request`, whose half login is over, fills the login form with the name that was typed for that one: it need not be
/// typed again (A11Y-4). A session that was to be raised had no name typed, and none is told.
void keep_typed_name(oauth::Context& context, const model::HalfLogin& over, model::AuthorizationRequest& request);

/// 303 to the page of the second half, with the half login in the seal. Where a new password comes first (PASSWORD-5),
/// it does so as soon as everything is proved that the login demands. With nothing set up, the page on which the user
/// sets it up, or the page that says whom to ask: where that needs a link, or the only passkey is suspended.
http::Response continue_with_half(Interaction& interaction, model::AuthorizationRequest request, model::HalfLogin half,
                                  SecondHalf missing);

/// The browser's session is not worth enough for `request`: 303 to the page whose half raises it. nullopt: a factor is
/// to be set up, and the password is too old to allow that, so the login comes first.
std::optional<http::Response> raise_login(Interaction& interaction, model::AuthorizationRequest request,
                                          SecondHalf missing, std::int64_t stamp);

/// The login page of the same request, for another user or from the beginning.
std::string first_page_url(Interaction& interaction, const LoginVisit& visit);
/// 303 to it.
http::Response start_over(Interaction& interaction, const LoginVisit& visit);

/// Spends what the second half was, in the transaction that completes the login; false: it was spent meanwhile.
using SpendSecondHalf = std::function<bool(db::Transaction&)>;

/// The least that the login of that visit must be worth for the client and its request.
model::Level demanded_by(const LoginVisit& visit);

/// The session of a login that is whole, worth `how`. Password, stamp and user are looked at again; with them the
/// counter of failures is cleared and the place remembered; a session that is raised was not a password typed now.
/// nullopt: something has changed meanwhile, and nothing is written.
std::optional<login::StartedSession> complete_login(Interaction& interaction, const LoginVisit& visit,
                                                    const model::Authentication& how, const SpendSecondHalf& spend);

/// The answer to a completed login: on to the application or the page of the account, with the session's cookie.
http::Response go_on_with(Interaction& interaction, const LoginVisit& visit, const login::StartedSession& started);

}  // namespace postern::web
