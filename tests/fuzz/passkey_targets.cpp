// Parsers of what authenticators and browsers send for a passkey.
#include <string>

#include "factor/authenticator_data.h"
#include "factor/client_data.h"
#include "factor/passkey.h"
#include "fuzz/targets.h"

namespace postern::test {
namespace {

// The ceremony of the seeds.
constexpr factor::Expected kExpected{
    .challenge = "the challenge of the seeds", .origin = "https://id.example.org", .rp_id = "example.org"};
constexpr std::string_view kCredentialId = "the credential of the seeds";
constexpr std::string_view kClientData =
    R"({"type":"webauthn.create","challenge":"dGhlIGNoYWxsZW5nZSBvZiB0aGUgc2VlZHM","origin":"https://id.example.org"})";

bool is_registered(std::string_view attestation_object) {
    return static_cast<bool>(factor::verify_registration(
        {.id = kCredentialId, .client_data = kClientData, .attestation_object = attestation_object}, kExpected));
}

bool is_inside(std::string_view part, std::string_view whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

FUZZ_TARGET(attestation_object) {
    const auto passkey = factor::verify_registration(
        {.id = kCredentialId, .client_data = kClientData, .attestation_object = input}, kExpected);
    if (!passkey) {
        promise(!factor::describe(passkey.error()).empty(), "a refusal has a reason");
        return;
    }
    promise(passkey->credential_id == kCredentialId, "the credential is the one that was named");
    promise(passkey->aaguid.size() == 16, "an AAGUID has 16 bytes");
    promise(passkey->backup_eligible || !passkey->backed_up, "what is backed up may be");
    const auto key = factor::parse_cose_key(passkey->cose_key);
    promise(key && key->algorithm() == passkey->algorithm, "a key that was taken can be read again");
    promise(!is_registered(input.substr(0, input.size() - 1)), "no byte can be taken off");
    promise(!is_registered(std::string(input) + '\0'), "no byte can be added");
}

FUZZ_TARGET(authenticator_data) {
    const auto data = factor::parse_authenticator_data(input);
    if (!data) {
        promise(!factor::describe(data.error()).empty(), "a refusal has a reason");
        return;
    }
    promise(data->rp_id_hash.size() == 32 && is_inside(data->rp_id_hash, input), "a hash has 32 bytes");
    promise(!factor::parse_authenticator_data(std::string(input) + '\0'), "no byte can be added");
    promise(!factor::parse_authenticator_data(input.substr(0, input.size() - 1)), "no byte can be taken off");
    if (data->credential) {
        const factor::AttestedCredential& credential = *data->credential;
        promise(!credential.id.empty() && credential.id.size() <= factor::kMaxCredentialId,
                "an id has 1 to 1023 bytes");
        promise(is_inside(credential.id, input) && is_inside(credential.key, input),
                "a credential is a part of the data");
        static_cast<void>(factor::parse_cose_key(credential.key));
    }
    for (const auto ceremony : {factor::Ceremony::registration, factor::Ceremony::assertion}) {
        if (!factor::check_authenticator_data(*data, ceremony, kExpected.rp_id)) continue;
        promise(data->user_present, "the user was present");
        promise(data->credential.has_value() == (ceremony == factor::Ceremony::registration),
                "a registration has a credential, an assertion has none");
    }
}

FUZZ_TARGET(cose_key) {
    const auto key = factor::parse_cose_key(input);
    if (!key) {
        promise(!factor::describe(key.error()).empty(), "a refusal has a reason");
        return;
    }
    promise(!factor::parse_cose_key(std::string(input) + '\0'), "no byte can be added");
    promise(!key->verify("a message", "") && !key->verify("a message", input), "no key has these signatures");
}

FUZZ_TARGET(client_data) {
    const bool is_create =
        static_cast<bool>(factor::check_client_data(input, factor::Ceremony::registration, kExpected));
    const bool is_get = static_cast<bool>(factor::check_client_data(input, factor::Ceremony::assertion, kExpected));
    promise(!is_create || !is_get, "client data are of one ceremony");
    if (!is_create && !is_get) return;
    promise(input.size() <= factor::kMaxClientData, "client data are short");
    factor::Expected other = kExpected;
    other.challenge = "another challenge";
    promise(!factor::check_client_data(input, factor::Ceremony::registration, other) &&
                !factor::check_client_data(input, factor::Ceremony::assertion, other),
            "client data are of one challenge");
}

}  // namespace postern::test
