// A new passkey: whether the answer to a registration is accepted (WebAuthn §7.1), and what is stored of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crypto/key.h"
#include "factor/ceremony.h"
#include "factor/passkey_fault.h"
#include "util/result.h"

namespace postern::factor {

/// The fields of the form, decoded from base64url.
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

/// Attestation is not verified: `fmt` and `attStmt` must be there and are ignored, since none is asked for. Not
/// checked here: that the challenge is unspent, and that no user has this credential id.
util::Result<NewPasskey, PasskeyFault> verify_registration(const RegistrationResponse& response,
                                                           const Expected& expected);

}  // namespace postern::factor
