// Decides whether a new passkey (WebAuthn §7.1, without attestation) or a login with one (§7.2) is accepted.
#include "factor/passkey.h"

#include <algorithm>

#include "crypto/digest.h"
#include "crypto/error.h"
#include "factor/authenticator_data.h"
#include "factor/cbor.h"
#include "util/text.h"

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

bool is_transport(std::string_view word) {
    return !word.empty() && word.size() <= kMaxTransportBytes &&
           std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || util::is_digit(c) || c == '-'; });
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

std::vector<std::string> parse_transports(std::string_view words) {
    std::vector<std::string> kept;
    for (const std::string_view word : util::split(words, ' ')) {
        if (kept.size() == kMaxTransports) break;
        if (is_transport(word)) kept.emplace_back(word);
    }
    return kept;
}

}  // namespace postern::factor
