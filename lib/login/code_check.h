// Is this a code of the user's second factor? Guessing is slowed down, and stops (NIST SP 800-63B-4 §3.2.2).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"
#include "factor/typed_code.h"
#include "login/browser.h"
#include "login/proof.h"
#include "model/authorization.h"
#include "oauth/context.h"
#include "refusal/reason.h"

namespace postern::login {

enum class CodeOutcome {
    right,
    wrong,       ///< wrong, used before, of another time: told apart in the log only
    throttled,   ///< ten or more failures in a row; the code was not looked at, `wait` until one is
    locked,      ///< a hundred in a row from places not known: no code is looked at there until a success elsewhere
    unreadable,  ///< factor.key is missing, or another one than that of the user's app or codes (TOTP-11); counts
                 ///< nothing
};

struct CodeVerdict {
    CodeOutcome outcome = CodeOutcome::wrong;
    util::Seconds wait{};                                            ///< when throttled
    std::string log_detail = {};                                     ///< why, unless it is right; never the code
    refusal::Reason reason = refusal::Reason::second_factor_failed;  ///< likewise
    factor::CodeKind kind = factor::CodeKind::none;                  ///< of what was typed
    std::int64_t failures_in_row = 0;  ///< with this one, of the place's counter, when it was counted
    bool is_place_known = false;
    bool other_kind_works = false;  ///< when unreadable: a recovery code or, in place of one, a code of the app
    bool ends_lock = false;         ///< places not known are locked, and this code is right in a known one
    std::int64_t step = 0;          ///< of a right code of the app
    std::string code_hash = {};     ///< of a right recovery code
};

/// Runs in the transaction that counts a wrong code, which holds the user's row.
using OnWrongCode = std::function<void(db::Transaction&, const CodeVerdict&)>;

/// Looks at the code and counts a failure, which is durable before this returns. Text that is not a code at all is
/// wrong and does not count. `place_key` is SuccessKeys::code_place: places in which the user has logged in with a code
/// of late count apart from all others. Tries of one user run one after the other.
CodeVerdict look_at_code(oauth::Context& context, const model::Subject& subject, const std::string& typed,
                         const std::string& place_key, const OnWrongCode& on_wrong = {});

/// A code as the second factor of a half login.
struct CodeAttempt {
    oauth::Context& context;
    const Browser& browser;
    const model::HalfLogin& half;
    model::Authentication done;  ///< what was proved before
    model::ClientId client;      ///< of the login, for the audit log
    std::string address;         ///< of the browser
};
/// Looks at the code, and counts a failure, of which the user is told. A recovery code that is spent is a line of the
/// activity.
ProofResult attempt_code(const CodeAttempt& attempt, const std::string& typed);

/// Whether the user has recovery codes that are not used and were made under the factor.key that is there.
bool has_live_codes(oauth::Context& context, const model::Subject& subject);

/// True, with the code spent and the counter of its kind of place cleared, when it was still unspent. Asked inside the
/// transaction that gives what the code was for.
bool spend_code(db::Transaction& transaction, const model::Subject& subject, const CodeVerdict& verdict,
                util::Time now);

}  // namespace postern::login
