// The public key of a passkey: whether it is fit to be stored, and whether a signature is that of its private key.
#pragma once

#include <optional>
#include <string_view>

#include "crypto/key.h"

namespace postern::crypto {

inline constexpr std::size_t kMaxCredentialRsaBits = 4096;

/// Made elsewhere and sent by a stranger, so an unfit one is a value. PublicKey is for keys of our own: its signatures
/// of ES256 have another spelling, and it refuses exponents that authenticators have.
class CredentialKey {
public:
    /// nullopt: RSA under 2048 or above 4096 bits, with an even modulus, an exponent that is even, below 3 or above
    /// 2^32-1, or a number with leading zero bytes; a point that is not on P-256; a wrong length.
    static std::optional<CredentialKey> from_members(const PublicMembers& members);

    Algorithm algorithm() const { return algorithm_; }

    /// True only for a correct signature over `message`: PKCS#1 v1.5, ECDSA in DER, Ed25519 (WebAuthn §6.5.5).
    bool verify(std::string_view message, std::string_view signature) const;

private:
    CredentialKey(Algorithm algorithm, Pkey key);
    Algorithm algorithm_;
    Pkey key_;
};

}  // namespace postern::crypto
