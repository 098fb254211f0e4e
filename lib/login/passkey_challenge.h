// The challenge of a passkey (WebAuthn §13.4.3): it travels through the browser sealed, and nothing is stored of it
// before an answer to it is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "factor/client_data.h"
#include "login/browser.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::login {

/// The use of the field `challenge` of a form. An answer is accepted in the very situation for which it was asked.
struct ChallengeUse {
    factor::Ceremony ceremony = factor::Ceremony::assertion;
    const Browser& browser;       ///< without an id there are no challenges
    model::Subject subject = {};  ///< whose passkey it is; "": any user's, at a login that begins with the passkey
    std::string occasion;         ///< the key of the login's request, or the sid of the session that adds a passkey
};

struct Challenge {
    std::string bytes;        ///< 32, random
    std::string handle = {};  ///< of a registration: `user.id` of its options, which is stored with the first passkey
    util::Time issued_at{};
    util::Time expires_at{};  ///< for store::spend_challenge
    std::int64_t stamp = 0;   ///< of a registration: `users.stamp` then; another change of factors ends this one
};

enum class ChallengeFault {
    foreign,  ///< not made by this server for this use, or made before its seal key was renewed
    expired,
};

/// A new challenge, for the options of the ceremony and for the form.
struct SealedChallenge {
    std::string bytes;   ///< 32, random: `challenge` of the options
    std::string sealed;  ///< the field `challenge`
};
/// Makes a challenge for that use. Stores nothing.
SealedChallenge make_challenge(oauth::Context& context, const ChallengeUse& use, util::Time expires_at,
                               const std::string& handle = "", std::int64_t stamp = 0);

/// Opens a field that came back. It may have been spent: store::spend_challenge decides that, in the transaction that
/// accepts the answer.
util::Result<Challenge, ChallengeFault> open_challenge(oauth::Context& context, std::string_view sealed,
                                                       const ChallengeUse& use);

}  // namespace postern::login
