// A new passkey (WebAuthn §7.1) and a login with one (§7.2): whether the browser's answer is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key.h"
#include "factor/client_data.h"
#include "util/result.h"

namespace postern::factor {

/// The fields of the form that adds a passkey, decoded from base64url.
struct RegistrationResponse {
    std::string_view id;
    std::string_view client_data;
    std::string_view attestation_object;
};

struct NewPasskey {
    std::string credential_id;  ///< raw bytes
    std::string cose_key;       ///< as it came, for verify_assertion()
    crypto::Algorithm algorithm = crypto::Algorithm::ES256;
    std::uint32_t sign_count = 0;
    bool user_verified = false;
    bool backup_eligible = false;
    bool backed_up = false;
    std::string aaguid;  ///< 16 bytes; the model of the authenticator, if it says the truth
};

/// Verifies a new passkey. Attestation is not verified: `fmt` and `attStmt` must be there and are ignored, since none
/// is asked for. Not checked here: that the challenge is unspent, and that no user has this credential id.
util::Result<NewPasskey, PasskeyFault> verify_registration(const RegistrationResponse& response,
                                                           const Expected& expected);

/// The fields of the form that uses a passkey, decoded from base64url.
struct AssertionResponse {
    std::string_view id;
    std::string_view client_data;
    std::string_view authenticator_data;
    std::string_view signature;
    std::string_view user_handle;  ///< empty: none came
};

/// The passkey that `id` names, as the database has it.
struct StoredPasskey {
    std::string_view credential_id;
    std::string_view cose_key;
    std::string_view user_handle;  ///< of its owner
};

enum class PasskeyRole {
    alone,        ///< says which user it is: user verification and the user handle are needed
    second_step,  ///< after a password: a touch is enough, and a user handle that comes must be right
};

struct PasskeyUse {
    std::uint32_t sign_count = 0;
    bool user_verified = false;  ///< of this login; the level follows from it, not from the registration
    bool backup_eligible =
        false;  ///< may differ from the registration's: WebAuthn §7.2 would refuse, 0072 says why not
    bool backed_up = false;
};

/// Verifies a use of a passkey. Not checked here: that the challenge is unspent, that the passkey and its owner may be
/// used, and its counter. Throws CryptoError when the stored key cannot be read.
util::Result<PasskeyUse, PasskeyFault> verify_assertion(const AssertionResponse& response, const StoredPasskey& stored,
                                                        const Expected& expected, PasskeyRole role);

/// Compares the counters (WebAuthn §6.1.1): true when `received` is greater than the stored one, and when both are 0,
/// which means that none is kept. False tells of a copy of the passkey.
bool has_counter_grown(std::uint32_t stored, std::uint32_t received);

inline constexpr std::size_t kMaxTransports = 8;
inline constexpr std::size_t kMaxTransportBytes = 32;

/// Returns the words between blanks that have a-z, 0-9 and hyphens only, in their order, at most kMaxTransports. All
/// others are dropped; a word that is not known is kept.
std::vector<std::string> parse_transports(std::string_view words);

}  // namespace postern::factor
