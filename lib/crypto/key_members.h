// Between the public members of a JWK and an OpenSSL key: a part of crypto/key.h of its own. Callers hold an
// openssl::Use.
#pragma once

#include <cstddef>

#include "crypto/key_parts.h"

namespace postern::crypto {

inline constexpr std::size_t kMinRsaBits = 2048;     ///< RFC 7518 §3.3
inline constexpr std::size_t kCoordinateBytes = 32;  ///< P-256 and Ed25519 alike

/// The algorithm that a key of this shape is for. Throws CryptoError for a weak or malformed one.
Algorithm check_members(const PublicMembers& members);

/// Null for members that are not a key, such as a point that is not on the curve.
Pkey find_public(const PublicMembers& members, const char* key_type);

/// Throws CryptoError for members that are not a key, such as a point that is not on the curve.
Pkey make_public(const PublicMembers& members, const char* key_type);

PublicMembers members_of(const evp_pkey_st* key, Algorithm algorithm);

}  // namespace postern::crypto
