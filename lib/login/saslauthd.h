// What saslauthd says of a name and a password: its protocol, and one conversation in it (docs/decisions/0078).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "oauth/settings.h"
#include "refusal/reason.h"
#include "util/secret.h"

namespace postern::login {

/// saslauthd gave no answer that counts: it is not there, was silent for 5 s, or said something else. 503.
struct SaslauthdError : std::runtime_error {
    SaslauthdError(refusal::Reason why, const std::string& what) : std::runtime_error(what), reason(why) {}
    refusal::Reason reason;
};

/// What saslauthd takes for each part of a request; more is refused there too, without a look.
inline constexpr std::size_t kLongestSaslauthdPart = 255;

/// Name, password, service and realm, each behind its length in two bytes, the most significant first. None is longer
/// than kLongestSaslauthdPart: throws std::logic_error.
util::Secret saslauthd_request(std::string_view username, const util::Secret& password, std::string_view service,
                               std::string_view realm);

enum class SaslauthdReply {
    incomplete,  ///< so far it may become any of the others
    yes,
    no,
    unusable,
};

/// The bytes that have come: a length in two bytes, and the word OK or NO, perhaps with a blank and an explanation
/// behind it. Nothing may follow.
SaslauthdReply parse_saslauthd_reply(std::string_view received);

/// The most bytes that a reply that can be used has.
inline constexpr std::size_t kLongestSaslauthdReply = 1026;

/// Whether the password is that of the name. At most 5 s. Name and password have 1 to 255 bytes, none of them NUL.
/// Throws SaslauthdError.
bool ask_saslauthd(const Saslauthd& saslauthd, std::string_view username, const util::Secret& password);

}  // namespace postern::login
