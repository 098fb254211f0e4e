// Is this a code of the user's second factor? Guessing is slowed down, and stops (NIST SP 800-63B-4 §3.2.2).
#pragma once

#include <string>

#include "login/browser.h"
#include "login/proof.h"
#include "model/authorization.h"
#include "oauth/context.h"

namespace postern::login {

/// A code as the second factor of a half login.
struct CodeAttempt {
    oauth::Context& context;
    const Browser& browser;
    const model::HalfLogin& half;
    model::Authentication done;  ///< what was proved before
    model::ClientId client;      ///< of the login, for the audit log
    std::string address;         ///< of the browser
};

/// Looks at the code and counts a failure, of which the user is told, durably before it returns. Text that is not a
/// code at all is wrong and does not count. After the tenth failure in a row codes wait (throttled), and after the
/// hundredth from places not known no code is looked at there until a success elsewhere (locked). Places in which the
/// user has logged in with a code of late (SuccessKeys::code_place) count apart from all others. A code under another
/// factor.key, or without one, is unreadable and counts nothing (TOTP-11). Tries of one user run one after the other.
/// The proof's `spend` spends the code and clears the counter of its kind of place; a recovery code is a line of the
/// activity.
ProofResult attempt_code(const CodeAttempt& attempt, const std::string& typed);

/// Returns whether the user has recovery codes that are not used and were made under the factor.key that is there.
bool has_live_codes(oauth::Context& context, const model::Subject& subject);

}  // namespace postern::login
