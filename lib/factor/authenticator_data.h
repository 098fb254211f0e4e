// The data of an authenticator about a ceremony, which it signs (WebAuthn §6.1), and the public key in them: a COSE_Key
// (RFC 9052 §7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "crypto/key.h"
#include "factor/client_data.h"
#include "util/result.h"

namespace postern::factor {

inline constexpr std::size_t kMaxCredentialId = 1023;  ///< bytes, WebAuthn §7.1

/// The attested credential data (WebAuthn §6.5.1). The views point into the authenticator data.
struct AttestedCredential {
    std::string_view aaguid;  ///< 16 bytes
    std::string_view id;      ///< 1 to kMaxCredentialId bytes
    std::string_view key;     ///< a CBOR map, which may still be no key
};

struct AuthenticatorData {
    std::string_view rp_id_hash;   ///< SHA-256
    bool user_present = false;     ///< UP
    bool user_verified = false;    ///< UV
    bool backup_eligible = false;  ///< BE
    bool backed_up = false;        ///< BS
    std::uint32_t sign_count = 0;
    std::optional<AttestedCredential> credential;  ///< AT
};

/// Parses authenticator data, syntax only. Extensions must be one CBOR map, whose content is ignored. No byte may be
/// left over.
util::Result<AuthenticatorData, PasskeyFault> parse_authenticator_data(std::string_view bytes);

/// Checks that the data are for this RP ID, the user was present, a passkey that is backed up may be, and there is a
/// credential at registration and none in an assertion.
util::Result<void, PasskeyFault> check_authenticator_data(const AuthenticatorData& data, Ceremony ceremony,
                                                          std::string_view rp_id);

inline constexpr std::size_t kCoseKeyMembers = 8;

/// The number of an algorithm in the registry of COSE, which pages offer: -7, -8, -257.
std::int64_t cose_algorithm(crypto::Algorithm algorithm);

/// Parses a key for ES256 on P-256, EdDSA on Ed25519 or RS256, fit as crypto::CredentialKey says, in one CBOR map
/// without a byte left over. Members that are not needed are ignored.
util::Result<crypto::CredentialKey, PasskeyFault> parse_cose_key(std::string_view bytes);

}  // namespace postern::factor
