// The way from a proved first half to the session, and the one transaction that completes a login.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"
#include "login/browser.h"
#include "login/proof.h"
#include "login/step.h"
#include "model/authorization.h"
#include "oauth/context.h"

namespace postern::login {

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
/// is not, or `write` said so, and nothing is written.
bool write_for_unchanged(oauth::Context& context, const model::HalfLogin& half, const Spend& write);

}  // namespace postern::login
