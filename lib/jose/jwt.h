// JWT claims of our own tokens, trusted after the signature and nothing before it (RFC 7519 §7.2).
#pragma once

#include <string_view>

#include "jose/jws.h"
#include "util/clock.h"

namespace postern::jose {

/// A reason for an `error_description`: constant ASCII text.
std::string_view describe(JwtFault fault);

enum class Expiry {
    enforced,  ///< `now >= exp` is expired; our own clock, so no leeway. `iat` more than a minute ahead is refused
    ignored,   ///< an expired token can still be revoked, or hint at a user
};

struct VerifiedJwt {
    Claims claims;           ///< `iss` (equal to the issuer asked for) and integer `exp` and `iat` are there
    util::Time issued_at{};  ///< `iat`
    std::string digest;      ///< SHA-256 of the whole token, 32 bytes
};

util::Result<VerifiedJwt, JwtFault> verify_jwt(Verifier& verifier, std::string_view token, TokenType type,
                                               std::string_view issuer, util::Time now, Expiry expiry);

}  // namespace postern::jose
