// The parts of a signing key: its algorithm, its public members, and the handles of OpenSSL that own it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

struct evp_pkey_st;
struct evp_md_ctx_st;

namespace postern::crypto {

/// An algorithm of signatures (RFC 7518 §3.1, RFC 8037 §3.1).
enum class Algorithm { RS256, ES256, EdDSA, PS256 };
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

}  // namespace postern::crypto
