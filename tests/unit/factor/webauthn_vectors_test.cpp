// The pairs of ceremonies that the specification prints, judged as answers to our own.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>

#include "factor/passkey.h"
#include "support/hex.h"
#include "unit/factor/webauthn_vectors.h"

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;
using factor::PasskeyFault;

namespace {

struct Verdict {
    std::optional<Algorithm> algorithm;   ///< both answers are accepted
    std::optional<PasskeyFault> fault{};  ///< both are refused for this
};

/// By section. A page in another's frame is refused (WEBAUTHN-2), and so are keys of other algorithms (WEBAUTHN-8).
const std::map<std::string_view, Verdict> kVerdicts = {
    {"none-es256", {Algorithm::ES256}},
    {"packed-self-es256", {Algorithm::ES256}},
    {"none-es256-crossOrigin", {std::nullopt, PasskeyFault::cross_origin}},
    {"none-es256-topOrigin", {std::nullopt, PasskeyFault::cross_origin}},
    {"none-es256-long-credential-id", {Algorithm::ES256}},
    {"packed-es256", {Algorithm::ES256}},
    {"packed-es384", {std::nullopt, PasskeyFault::key_algorithm}},
    {"packed-es512", {std::nullopt, PasskeyFault::key_algorithm}},
    {"packed-rs256", {Algorithm::RS256}},
    {"packed-eddsa", {Algorithm::EdDSA}},
    {"packed-ed448", {std::nullopt, PasskeyFault::key_algorithm}},
    {"tpm-es256", {Algorithm::ES256}},
    {"android-key-es256", {Algorithm::ES256}},
    {"apple-es256", {Algorithm::ES256}},
    {"fido-u2f-es256", {Algorithm::ES256}},
};

}  // namespace

TEST_CASE(
    "the vectors of WebAuthn: our algorithms verify, other keys and other frames are refused [WEBAUTHN-2, WEBAUTHN-8, WebAuthn §16]") {
    CHECK(std::size(kWebAuthnVectors) == kVerdicts.size());
    for (const WebAuthnVector& vector : kWebAuthnVectors) {
        CAPTURE(vector.section);
        const Verdict& verdict = kVerdicts.at(vector.section);
        const std::string id = bytes_of_hex(vector.credential_id);
        const auto expected = [](const std::string& challenge) {
            return factor::Expected{.challenge = challenge, .origin = "https://example.org", .rp_id = "example.org"};
        };

        const auto& made = vector.registration;
        const std::string made_challenge = bytes_of_hex(made.challenge), made_data = bytes_of_hex(made.client_data),
                          attestation = bytes_of_hex(made.attestation_object);
        const auto passkey = factor::verify_registration(
            {.id = id, .client_data = made_data, .attestation_object = attestation}, expected(made_challenge));
        if (verdict.fault) {
            REQUIRE_FALSE(passkey);
            CHECK(passkey.error() == *verdict.fault);
            continue;
        }
        REQUIRE(passkey);
        CHECK(passkey->algorithm == *verdict.algorithm);
        CHECK(passkey->credential_id == id);

        const auto& used = vector.assertion;
        const std::string used_challenge = bytes_of_hex(used.challenge), used_data = bytes_of_hex(used.client_data),
                          authenticator = bytes_of_hex(used.authenticator_data);
        std::string signature = bytes_of_hex(used.signature);
        const auto verify = [&] {
            return factor::verify_assertion({.id = id,
                                             .client_data = used_data,
                                             .authenticator_data = authenticator,
                                             .signature = signature,
                                             .user_handle = {}},
                                            {.credential_id = id, .cose_key = passkey->cose_key, .user_handle = "mara"},
                                            expected(used_challenge), factor::PasskeyRole::second_step);
        };
        const auto use = verify();
        REQUIRE(use);
        CHECK(use->user_verified == ((authenticator.at(32) & 0x04) != 0));
        CHECK(use->backed_up == ((authenticator.at(32) & 0x10) != 0));
        signature.back() = static_cast<char>(signature.back() ^ 1);
        REQUIRE_FALSE(verify());
        CHECK(verify().error() == PasskeyFault::signature);
    }
}
