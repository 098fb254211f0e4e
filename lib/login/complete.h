// The way from a proved first half to the session, and the one transaction that completes a login.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "login/browser.h"
#include "login/proof.h"
#include "login/step.h"
#include "model/authorization.h"
#include "oauth/context.h"

namespace postern::login {

/// A session that was started or raised, with the new value of its cookie.
struct StartedSession {
    std::string cookie;  ///< the cookie's value
    model::Session session;
    std::optional<model::Session> replaced;  ///< of another user, who was logged in here until now
};

/// Starts a session for `subject`, who was authenticated at `auth_time` in that way: a new cookie value always, the
/// inner id kept for the same user. The old session of this browser is removed in the same transaction, which holds the
/// user's row. Writes a line of the activity. Beyond store::kMaxSessions the user's least recently used sessions end.
StartedSession start_session(oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                             const model::Subject& subject, util::Time auth_time, const model::Authentication& how);

/// Gives the browser's session with that `sid` a new cookie value and the login worth `how`. nullopt: it has ended.
std::optional<StartedSession> raise_session(oauth::Context& context, db::Transaction& transaction,
                                            const Browser& browser, const model::Sid& sid,
                                            const model::Authentication& how);

/// Sets the cookie of the session that has been started or raised.
void send_session(const Browser& browser, const StartedSession& started, http::Response& response);

/// Writes to the audit log, once the session is committed, that a user has logged in, and which user was logged out by
/// it.
void note_login(oauth::Context& context, const StartedSession& started, std::string_view method,
                const model::ClientId& client);

/// Reads what LoginInput::user is about.
store::SecondFactorState find_factor_state(const oauth::Context& context, db::Database& database,
                                           const model::Subject& subject);

/// Returns the half login that begins with the proof.
model::HalfLogin begin_login(const oauth::Context& context, const Proof& proof);
/// Returns the half login whose rest raises the session.
model::HalfLogin begin_raise(const oauth::Context& context, const model::Session& session, std::int64_t stamp);

/// Returns whether the user is enabled, and neither password nor factors have changed since the half was proved.
bool is_unchanged(const oauth::Context& context, const model::HalfLogin& half);

/// A login that needs nothing more.
struct WholeLogin {
    const model::AuthorizationRequest& request;  ///< with its half login
    LoginStep step;                              ///< StartSession or RaiseSession
    std::string address;                         ///< of the browser
};

/// Starts or raises the session, in one durable transaction: the user is locked and unchanged, `spend` is true, the
/// counter of failures is cleared and the place remembered where a credential was typed, a line of the activity says
/// it, and the login is recorded for its request. nullopt: something has changed meanwhile, and nothing is written.
std::optional<StartedSession> complete_login(oauth::Context& context, const Browser& browser, const WholeLogin& whole,
                                             const Spend& spend);

/// Runs `write` in a durable transaction that holds the row of the half login's user, who is unchanged. False: the user
/// has changed, or `write` returned false, and nothing is written.
bool write_for_unchanged(oauth::Context& context, const model::HalfLogin& half, const Spend& write);

}  // namespace postern::login
