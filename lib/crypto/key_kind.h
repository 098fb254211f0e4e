// The differences between the algorithms for OpenSSL: a part of crypto/key.h of its own. Callers hold an openssl::Use.
#pragma once

#include <array>
#include <string_view>

#include "crypto/key_parts.h"

namespace postern::crypto {

struct KeyKind {
    Algorithm algorithm;
    const char* name;      ///< RFC 7518 §3.1, RFC 8037 §3.1
    const char* key_type;  ///< as EVP_PKEY_is_a knows it; "RSA" is not "RSA-PSS"
    const char* digest;    ///< null: Ed25519 hashes for itself
};
inline constexpr std::array<KeyKind, 3> kKeyKinds = {{
    {Algorithm::RS256, "RS256", "RSA", "SHA256"},
    {Algorithm::ES256, "ES256", "EC", "SHA256"},
    {Algorithm::EdDSA, "EdDSA", "ED25519", nullptr},
}};

const KeyKind& kind_of(Algorithm algorithm);

/// True only for a correct signature over `message`; of ES256 in DER. Everything else is false.
bool is_signature_of(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature);

}  // namespace postern::crypto
