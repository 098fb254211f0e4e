// Decides whether a new passkey is accepted: WebAuthn §7.1, without attestation.
#include "factor/registration.h"

#include "factor/authenticator_data.h"
#include "factor/cbor.h"
#include "factor/client_data.h"
#include "factor/cose_key.h"

namespace postern::factor {
namespace {

/// `authData` of an attestation object (WebAuthn §6.5.4).
util::Result<std::string_view, PasskeyFault> parse_attestation_object(std::string_view bytes) {
    const auto map = take_cbor_map(bytes);
    if (!map || !bytes.empty()) return PasskeyFault::attestation_object;
    const auto data = map->find("authData").bytes();
    const bool is_whole = map->find("fmt").text() && map->find("attStmt").type() == CborType::map && data;
    if (!is_whole) return PasskeyFault::attestation_object;
    return *data;
}

}  // namespace

util::Result<NewPasskey, PasskeyFault> verify_registration(const RegistrationResponse& response,
                                                           const Expected& expected) {
    RETURN_IF_ERROR(check_client_data(response.client_data, Ceremony::registration, expected));
    ASSIGN_OR_RETURN(const std::string_view bytes, parse_attestation_object(response.attestation_object));
    ASSIGN_OR_RETURN(const AuthenticatorData data, parse_authenticator_data(bytes));
    RETURN_IF_ERROR(check_authenticator_data(data, Ceremony::registration, expected.rp_id));
    const AttestedCredential& credential = data.credential.value();
    if (credential.id != response.id) return PasskeyFault::credential_id;
    ASSIGN_OR_RETURN(const crypto::CredentialKey key, parse_cose_key(credential.key));
    return NewPasskey{.credential_id = std::string(credential.id),
                      .cose_key = std::string(credential.key),
                      .algorithm = key.algorithm(),
                      .sign_count = data.sign_count,
                      .user_verified = data.user_verified,
                      .backup_eligible = data.backup_eligible,
                      .backed_up = data.backed_up,
                      .aaguid = std::string(credential.aaguid)};
}

}  // namespace postern::factor
