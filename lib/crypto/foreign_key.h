// The public key of somebody who signs JWTs for this server: a client, or a program that proves that it has a key.
#pragma once

#include <optional>
#include <string_view>

#include "crypto/key_parts.h"

namespace postern::crypto {

/// A key that a stranger has chosen, so an unfit one is a value and not an exception. CredentialKey is for passkeys,
/// whose signatures have another spelling.
class ForeignKey {
public:
    /// Returns nullopt for RSA under 2048 or above 4096 bits, with an even modulus, with an exponent that is even,
    /// below 65537 or above 2^32-1, or with a number that has leading zero bytes; for a point that is not on P-256; for
    /// a wrong length (KEY-5).
    static std::optional<ForeignKey> from_members(const PublicMembers& members);

    /// Returns true only for a correct JWS signature over `message` by an algorithm that is for keys of this type (RFC
    /// 7518 §3: ES256 is the 64 bytes r||s, PS256 has a salt of 32 bytes), and false for everything else.
    bool verify(Algorithm algorithm, std::string_view message, std::string_view signature) const;

private:
    ForeignKey(PublicMembers members, Pkey key);
    PublicMembers members_;
    Pkey key_;
};

/// Returns whether the algorithm is for keys of this type.
bool fits(Algorithm algorithm, const PublicMembers& members);

/// Returns whether `der` is an X.509 certificate of the key.
bool is_certificate_of(std::string_view der, const PublicMembers& members);

}  // namespace postern::crypto
