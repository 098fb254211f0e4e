// The public key of a passkey as its authenticator sends it and the database has it: a COSE_Key (RFC 9052 §7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crypto/credential_key.h"
#include "factor/client_data.h"
#include "util/result.h"

namespace postern::factor {

inline constexpr std::size_t kCoseKeyMembers = 8;

/// The number of an algorithm in the registry of COSE, which pages offer: -7, -8, -257.
std::int64_t cose_algorithm(crypto::Algorithm algorithm);

/// Parses a key for ES256 on P-256, EdDSA on Ed25519 or RS256, fit as crypto::CredentialKey says, in one CBOR map
/// without a byte left over. Members that are not needed are ignored.
util::Result<crypto::CredentialKey, PasskeyFault> parse_cose_key(std::string_view bytes);

}  // namespace postern::factor
