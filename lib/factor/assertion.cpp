// Decides whether a login with a passkey is accepted: WebAuthn §7.2.
#include "factor/assertion.h"

#include <string>

#include "crypto/digest.h"
#include "crypto/error.h"
#include "factor/authenticator_data.h"
#include "factor/client_data.h"
#include "factor/cose_key.h"

namespace postern::factor {
namespace {

util::Result<void, PasskeyFault> check_user_handle(std::string_view received, std::string_view stored,
                                                   PasskeyRole role) {
    if (received.empty()) {
        if (role == PasskeyRole::alone) return PasskeyFault::user_handle_missing;
        return {};
    }
    if (received != stored) return PasskeyFault::user_handle;
    return {};
}

util::Result<void, PasskeyFault> check_signature(const AssertionResponse& response, std::string_view cose_key) {
    const auto key = parse_cose_key(cose_key);
    if (!key) throw crypto::CryptoError("the stored key of a passkey cannot be read");
    const std::string message = std::string(response.authenticator_data) + crypto::sha256(response.client_data);
    if (!key->verify(message, response.signature)) return PasskeyFault::signature;
    return {};
}

}  // namespace

util::Result<PasskeyUse, PasskeyFault> verify_assertion(const AssertionResponse& response, const StoredPasskey& stored,
                                                        const Expected& expected, PasskeyRole role) {
    if (response.id != stored.credential_id) return PasskeyFault::credential_id;
    RETURN_IF_ERROR(check_user_handle(response.user_handle, stored.user_handle, role));
    RETURN_IF_ERROR(check_client_data(response.client_data, Ceremony::assertion, expected));
    ASSIGN_OR_RETURN(const AuthenticatorData data, parse_authenticator_data(response.authenticator_data));
    RETURN_IF_ERROR(check_authenticator_data(data, Ceremony::assertion, expected.rp_id));
    if (role == PasskeyRole::alone && !data.user_verified) return PasskeyFault::user_not_verified;
    RETURN_IF_ERROR(check_signature(response, stored.cose_key));
    return PasskeyUse{.sign_count = data.sign_count,
                      .user_verified = data.user_verified,
                      .backup_eligible = data.backup_eligible,
                      .backed_up = data.backed_up};
}

bool has_counter_grown(std::uint32_t stored, std::uint32_t received) {
    return received > stored || (received == 0 && stored == 0);
}

}  // namespace postern::factor
