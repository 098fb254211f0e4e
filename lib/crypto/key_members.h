// Between the public members of a JWK and an OpenSSL key: a part of crypto/key.h of its own. Callers hold an
// openssl::Use.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "crypto/key_parts.h"

struct evp_pkey_ctx_st;

namespace postern::crypto {

inline constexpr std::size_t kMinRsaBits = 2048;     ///< RFC 7518 §3.3
inline constexpr std::size_t kCoordinateBytes = 32;  ///< P-256 and Ed25519 alike

/// Returns the algorithm that a key of this shape is for. Throws CryptoError for a weak or malformed key.
Algorithm check_members(const PublicMembers& members);

/// Returns null for members that are not a key, such as a point that is not on the curve.
Pkey find_public(const PublicMembers& members, const char* key_type);

/// Throws CryptoError for members that are not a key, such as a point that is not on the curve.
Pkey make_public(const PublicMembers& members, const char* key_type);

PublicMembers members_of(const evp_pkey_st* key, Algorithm algorithm);

struct KeyKind {
    Algorithm algorithm;
    const char* name;      ///< RFC 7518 §3.1, RFC 8037 §3.1
    const char* key_type;  ///< as EVP_PKEY_is_a knows it; "RSA" is not "RSA-PSS"
    const char* digest;    ///< null: Ed25519 hashes for itself
};
/// The algorithm of a key that is marked for none is the first one of its type.
inline constexpr std::array<KeyKind, 4> kKeyKinds = {{
    {Algorithm::RS256, "RS256", "RSA", "SHA256"},
    {Algorithm::ES256, "ES256", "EC", "SHA256"},
    {Algorithm::EdDSA, "EdDSA", "ED25519", nullptr},
    {Algorithm::PS256, "PS256", "RSA", "SHA256"},
}};

const KeyKind& kind_of(Algorithm algorithm);

/// Returns `marked` if it is for keys of the type that `first` is for, else `first`.
Algorithm chosen_algorithm(Algorithm first, std::optional<Algorithm> marked);

/// Sets what the algorithm has beside its digest: the padding of PS256. `what` is said of a failure.
void set_padding(evp_pkey_ctx_st* context, Algorithm algorithm, const char* what);

/// Returns true only for a correct signature over `message`, and false for everything else. A signature of ES256 is in
/// DER.
bool is_signature_of(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature);

/// Returns whether a number has no leading zero, so that one key has one spelling (RFC 7518 §2, RFC 8230 §4). False for
/// "".
constexpr bool is_shortest(std::string_view number) { return !number.empty() && number.front() != '\0'; }

/// Returns whether a number that is_shortest() is odd.
constexpr bool is_odd(std::string_view number) { return (static_cast<unsigned char>(number.back()) & 1) != 0; }

/// Returns the bits of a number that is_shortest().
constexpr std::size_t bits_of(std::string_view number) {
    std::size_t bits = (number.size() - 1) * 8;
    for (auto first = static_cast<unsigned char>(number.front()); first != 0; first >>= 1) ++bits;
    return bits;
}

}  // namespace postern::crypto
