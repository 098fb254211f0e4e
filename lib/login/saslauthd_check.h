// Is this the password of a user, as saslauthd knows it? (docs/decisions/0078)
#pragma once

#include <chrono>
#include <string>

#include "login/password_check.h"
#include "oauth/context.h"
#include "util/secret.h"

namespace postern::login {

/// Whether saslauthd can be asked: a name that a user can have, and a password of 1 to 255 bytes without NUL.
bool can_ask_saslauthd(const std::string& username, const util::Secret& password);

/// The name by which saslauthd is asked: that of the user whose name differs from what was typed in the case of the
/// letters A to Z at most, if there is one alone. Most directories take any case; one that does not answers for the
/// user who is let in, and for no other (docs/decisions/0101).
std::string account_name(oauth::Context& context, const std::string& typed);

/// Asks, for every name alike, and finds the user of a name that was right, who is made now where `autoCreate` says so.
/// Wrong are also a user who is disabled here and a name without a user. The caller holds a hash slot and has asked
/// can_ask_saslauthd. Throws SaslauthdError.
ProofResult compare_by_saslauthd(oauth::Context& context, const std::string& username, const util::Secret& password);

/// How long a refusal still has to wait. saslauthd is 20 times faster for names that it does not know.
inline constexpr std::chrono::milliseconds kRefusalTakes{500};
std::chrono::nanoseconds rest_of_refusal(std::chrono::nanoseconds since_request);

}  // namespace postern::login
