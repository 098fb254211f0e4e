// Has the user proved who that is? One shape for every credential. The functions that look at a credential are called
// attempt_..., because they count failures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"
#include "model/authentication.h"
#include "model/ids.h"
#include "refusal/reason.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::login {

/// Writes, in the transaction of what a credential is for, that it was used. False: it was used, changed or removed
/// meanwhile. The transaction holds the user's row. May run twice, as db/write.h says.
using Spend = std::function<bool(db::Transaction&)>;

/// A credential that was right.
struct Proof {
    model::Subject subject;     ///< whose credential it is
    model::Authentication how;  ///< what the login is worth with it
    Spend spend = [](db::Transaction&) { return true; };
    std::function<void()> note = [] {};  ///< writes to the audit log, once that is committed
    // For a login that begins with it:
    std::int64_t stamp = 0;             ///< users.stamp, before the credential was looked at
    bool must_change_password = false;  ///< before the login is whole (PASSWORD-5)
    // For a second factor:
    bool by_recovery_code = false;
};

enum class ProofFault {
    wrong,       ///< wrong, unknown, disabled, used before: told apart in the log only
    throttled,   ///< too many failures; nothing was looked at, `wait` until something is
    locked,      ///< nothing is looked at from here until a success elsewhere
    busy,        ///< every hash slot of the machine stayed taken for the bounded wait
    unreadable,  ///< this server cannot check it, because a key is missing (TOTP-11); counts nothing
};

enum class StillWorks { nothing, app, recovery_codes };

/// A credential that was not accepted.
struct ProofRefused {
    ProofFault fault = ProofFault::wrong;
    util::Seconds wait{};                                    ///< when throttled
    refusal::Reason reason = refusal::Reason::login_failed;  ///< of a password or a code that is refused
    std::string detail = {};                                 ///< for the log; nothing that was sent
    model::Subject subject = {};                   ///< whose credential it was said to be, if there is such a user
    StillWorks still_works = StillWorks::nothing;  ///< when unreadable
};

using ProofResult = util::Result<Proof, ProofRefused>;

}  // namespace postern::login
