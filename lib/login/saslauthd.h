// Is this the password of a user, as saslauthd knows it? (docs/decisions/0078)
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "login/proof.h"
#include "oauth/context.h"
#include "refusal/reason.h"
#include "util/secret.h"

namespace postern::login {

/// saslauthd gave no answer that counts: it is not there, was silent for 5 s, or said something else. 503.
struct SaslauthdError : std::runtime_error {
    SaslauthdError(refusal::Reason why, const std::string& what) : std::runtime_error(what), reason(why) {}
    refusal::Reason reason;
};

/// The most bytes that saslauthd takes for each part of a request; it refuses more without a look.
inline constexpr std::size_t kLongestSaslauthdPart = 255;

/// Returns name, password, service and realm, each behind its length in two bytes, the most significant first. Throws
/// std::logic_error when a part is longer than kLongestSaslauthdPart.
util::Secret saslauthd_request(std::string_view username, const util::Secret& password, std::string_view service,
                               std::string_view realm);

enum class SaslauthdReply {
    incomplete,  ///< so far it may become any of the others
    yes,
    no,
    unusable,
};

/// Reads the bytes that have come: a length in two bytes, and the word OK or NO, perhaps with a blank and an
/// explanation behind it. Bytes that follow make the reply unusable.
SaslauthdReply parse_saslauthd_reply(std::string_view received);

/// The most bytes of a reply that can be used.
inline constexpr std::size_t kLongestSaslauthdReply = 1026;

/// Returns whether the password is that of the name. Takes at most 5 s. Name and password have 1 to 255 bytes, none of
/// them NUL. Throws SaslauthdError.
bool ask_saslauthd(const Saslauthd& saslauthd, std::string_view username, const util::Secret& password);

/// Returns whether saslauthd can be asked: a name that a user can have, and a password of 1 to 255 bytes without NUL.
bool can_ask_saslauthd(const std::string& username, const util::Secret& password);

/// Returns the name by which saslauthd is asked: that of the user whose name differs from what was typed in the case of
/// the letters A to Z at most, if there is one alone. Most directories take any case; one that does not answers for the
/// user who is let in, and for no other (docs/decisions/0101).
std::string account_name(oauth::Context& context, const std::string& typed);

/// Asks saslauthd, for every name alike, and returns the user of a name that was right, who is made now where
/// `autoCreate` says so. Refuses a user who is disabled here, and a name without a user. The caller holds a hash slot
/// and has asked can_ask_saslauthd. Throws SaslauthdError.
util::Result<model::Subject, ProofRefused> find_user_by_saslauthd(oauth::Context& context, const std::string& username,
                                                                  const util::Secret& password);

/// The time that a refusal takes. saslauthd is 20 times faster for names that it does not know.
inline constexpr std::chrono::milliseconds kRefusalTakes{500};
/// Returns how long a refusal still has to wait.
std::chrono::nanoseconds rest_of_refusal(std::chrono::nanoseconds since_request);

}  // namespace postern::login
