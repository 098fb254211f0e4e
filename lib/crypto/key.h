// Signing keys: owning wrappers over EVP_PKEY for exactly the three algorithms we offer (RFC 7518 §3, RFC 8037 §3.1).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "util/secret.h"

struct evp_pkey_st;
struct evp_md_ctx_st;

namespace postern::crypto {

enum class Algorithm { RS256, ES256, EdDSA };
std::string_view to_string(Algorithm algorithm);
std::optional<Algorithm> parse_algorithm(std::string_view name);

/// The public members of a JWK, raw big-endian bytes: RSA n, e (RFC 7518 §6.3); EC P-256 x, y of 32 bytes (§6.2);
/// Ed25519 x of 32 bytes (RFC 8037 §2).
struct RsaPublic {
    std::string n, e;
};
struct EcPublic {
    std::string x, y;
};
struct OkpPublic {
    std::string x;
};
using PublicMembers = std::variant<RsaPublic, EcPublic, OkpPublic>;

struct PkeyDeleter {
    void operator()(evp_pkey_st*) const;
};
using Pkey = std::unique_ptr<evp_pkey_st, PkeyDeleter>;
struct DigestContextDeleter {
    void operator()(evp_md_ctx_st*) const;
};
using DigestContext = std::unique_ptr<evp_md_ctx_st, DigestContextDeleter>;

/// Never changes once made, so copies share one EVP_PKEY.
class PublicKey {
public:
    /// Throws CryptoError for a key unfit for the algorithm it implies: RSA under 2048 bits or with an even or small
    /// exponent
    /// (< 65537), a number with leading zero bytes, a point that is not on P-256, a wrong length.
    static PublicKey from_members(const PublicMembers& members);

    Algorithm algorithm() const { return algorithm_; }
    const PublicMembers& members() const { return members_; }

    /// True only for a correct JWS signature (RFC 7518 §3: ES256 is the 64 bytes r||s) over `message`. Everything else
    /// is false.
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
    /// PKCS#8 or traditional PEM, unencrypted. Throws CryptoError for anything else, an encrypted key included (never
    /// prompts).
    static PrivateKey from_pem(const util::Secret& pem);

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

}  // namespace postern::crypto
