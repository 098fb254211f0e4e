// Keys: owning wrappers over EVP_PKEY for exactly the four algorithms we offer (RFC 7518 §3, RFC 8037 §3.1), to sign
// with and to verify, also with the public key of a passkey.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/key_parts.h"
#include "util/secret.h"

namespace postern::crypto {

/// A public key. It never changes once made, so copies share one EVP_PKEY.
class PublicKey {
public:
    /// The key is for `marked` if keys of its type can be, else for the first algorithm of its type: RS256, ES256 or
    /// EdDSA. Throws CryptoError for an unfit key: RSA under 2048 bits or with an even or small exponent (< 65537), a
    /// number with leading zero bytes, a point that is not on P-256, a wrong length.
    static PublicKey from_members(const PublicMembers& members, std::optional<Algorithm> marked = std::nullopt);

    Algorithm algorithm() const { return algorithm_; }
    const PublicMembers& members() const { return members_; }

    /// Returns true only for a correct JWS signature (RFC 7518 §3: ES256 is the 64 bytes r||s) over `message`, and
    /// false for everything else.
    bool verify(std::string_view message, std::string_view signature) const;

private:
    PublicKey(Algorithm algorithm, PublicMembers members, Pkey key);
    Algorithm algorithm_;
    PublicMembers members_;
    std::shared_ptr<evp_pkey_st> key_;
};

class PrivateKey {
public:
    static PrivateKey generate(Algorithm algorithm);  ///< RSA: 2048 bits
    /// Reads an unencrypted key in PKCS#8 or traditional PEM, for `marked` as PublicKey::from_members has it. Throws
    /// CryptoError for anything else, an encrypted key included (never prompts).
    static PrivateKey from_pem(const util::Secret& pem, std::optional<Algorithm> marked = std::nullopt);

    Algorithm algorithm() const { return algorithm_; }
    util::Secret to_pem() const;  ///< PKCS#8
    PublicKey public_key() const;
    std::string sign(std::string_view message) const;  ///< the raw JWS signature

private:
    PrivateKey(Algorithm algorithm, Pkey key);
    Algorithm algorithm_;
    Pkey key_;
    DigestContext prepared_;  ///< for signing: each signature begins with a copy of it
};

/// Returns `raw` in DER, or nullopt unless it is exactly 64 bytes with r and s in 1..n-1.
std::optional<std::string> ecdsa_raw_to_der(std::string_view raw);

/// Returns r||s of an ECDSA signature in DER. Throws CryptoError for other bytes.
std::string ecdsa_der_to_raw(std::string_view der);

inline constexpr std::size_t kMaxCredentialRsaBits = 4096;

/// A public key that was made elsewhere and sent by a stranger, so an unfit one is a value and not an exception.
/// PublicKey is for keys of our own: its signatures of ES256 have another spelling, and it refuses exponents that
/// authenticators have.
class CredentialKey {
public:
    /// Returns nullopt for RSA under 2048 or above 4096 bits, with an even modulus, with an exponent that is even,
    /// below 3 or above 2^32-1, or with a number that has leading zero bytes; for a point that is not on P-256; for a
    /// wrong length.
    static std::optional<CredentialKey> from_members(const PublicMembers& members);

    Algorithm algorithm() const { return algorithm_; }

    /// Returns true only for a correct signature over `message`: PKCS#1 v1.5, ECDSA in DER, Ed25519 (WebAuthn §6.5.5).
    bool verify(std::string_view message, std::string_view signature) const;

private:
    CredentialKey(Algorithm algorithm, Pkey key);
    Algorithm algorithm_;
    Pkey key_;
};

}  // namespace postern::crypto
