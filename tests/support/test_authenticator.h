// An authenticator in software and the browser in front of it (WebAuthn §6, §5.8.1): what passkeys send, made part by
// part, so that a test can change any of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crypto/key.h"
#include "factor/client_data.h"
#include "factor/passkey.h"
#include "support/cbor_writer.h"

namespace postern::test {

// WebAuthn §6.1
inline constexpr unsigned kUserPresent = 0x01;
inline constexpr unsigned kUserVerified = 0x04;
inline constexpr unsigned kBackupEligible = 0x08;
inline constexpr unsigned kBackedUp = 0x10;
inline constexpr unsigned kHasCredential = 0x40;
inline constexpr unsigned kHasExtensions = 0x80;

/// Returns the client data as Chromium writes it. `more` is put before the closing brace, such as `,"extra":1`.
std::string client_data(factor::Ceremony ceremony, const factor::Expected& given,
                        const std::string& more = ",\"crossOrigin\":false");
/// Returns the authenticator data; `rest` follows the counter.
std::string authenticator_data(std::string_view rp_id, unsigned flags, std::uint32_t counter,
                               const std::string& rest = {});
std::string attestation_object(std::string_view authenticator_data);
/// Returns the attested credential, in which `id` stands with its length.
std::string attested_credential(std::string_view id, const std::string& cose_key);
std::string cose_key(const crypto::PublicMembers& members);

struct Registration {
    std::string id, client_data, authenticator_data, attestation_object;
    factor::RegistrationResponse response() const { return {id, client_data, attestation_object}; }
};

struct Assertion {
    std::string id, client_data, authenticator_data, signature, user_handle;
    factor::AssertionResponse response() const { return {id, client_data, authenticator_data, signature, user_handle}; }
};

class TestAuthenticator {
public:
    explicit TestAuthenticator(crypto::Algorithm algorithm = crypto::Algorithm::ES256,
                               std::string credential_id = "credential of a test",
                               std::string user_handle = std::string(32, 'h'));

    // The flags and the counter from now on. A credential and extensions add their flags themselves.
    unsigned flags = kUserPresent | kUserVerified;
    std::uint32_t counter = 0;
    std::string extensions;  ///< CBOR

    const std::string& credential_id() const { return credential_id_; }
    std::string cose_key() const;
    factor::StoredPasskey stored() const;

    Registration make(const factor::Expected& given) const;
    Assertion use(const factor::Expected& given) const;
    /// Returns the signature as an assertion has it: of ES256 in DER.
    std::string sign(std::string_view authenticator_data, std::string_view client_data) const;

private:
    crypto::PrivateKey key_;
    std::string credential_id_, user_handle_, stored_key_;
};

}  // namespace postern::test
