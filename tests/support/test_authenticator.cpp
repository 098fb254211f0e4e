#include "support/test_authenticator.h"

#include "crypto/digest.h"
#include "crypto/key.h"
#include "util/base64.h"

namespace postern::test {
namespace {

std::string big_endian(std::uint64_t number, std::size_t bytes) {
    std::string out(bytes, '\0');
    for (auto byte = out.rbegin(); byte != out.rend(); ++byte, number >>= 8U) *byte = static_cast<char>(number & 0xFFU);
    return out;
}

std::string cose(const crypto::EcPublic& key) {
    return cbor_map({{cbor_integer(1), cbor_integer(2)},
                     {cbor_integer(3), cbor_integer(-7)},
                     {cbor_integer(-1), cbor_integer(1)},
                     {cbor_integer(-2), cbor_bytes(key.x)},
                     {cbor_integer(-3), cbor_bytes(key.y)}});
}

std::string cose(const crypto::OkpPublic& key) {
    return cbor_map({{cbor_integer(1), cbor_integer(1)},
                     {cbor_integer(3), cbor_integer(-8)},
                     {cbor_integer(-1), cbor_integer(6)},
                     {cbor_integer(-2), cbor_bytes(key.x)}});
}

std::string cose(const crypto::RsaPublic& key) {
    return cbor_map({{cbor_integer(1), cbor_integer(3)},
                     {cbor_integer(3), cbor_integer(-257)},
                     {cbor_integer(-1), cbor_bytes(key.n)},
                     {cbor_integer(-2), cbor_bytes(key.e)}});
}

}  // namespace

std::string client_data(factor::Ceremony ceremony, const factor::Expected& given, const std::string& more) {
    const std::string type = ceremony == factor::Ceremony::registration ? "webauthn.create" : "webauthn.get";
    return "{\"type\":\"" + type + "\",\"challenge\":\"" + util::base64url_encode(given.challenge) +
           "\",\"origin\":\"" + std::string(given.origin) + "\"" + more + "}";
}

std::string authenticator_data(std::string_view rp_id, unsigned flags, std::uint32_t counter, const std::string& rest) {
    return crypto::sha256(rp_id) + static_cast<char>(flags) + big_endian(counter, 4) + rest;
}

std::string attestation_object(std::string_view authenticator_data) {
    return cbor_map({{cbor_text("fmt"), cbor_text("none")},
                     {cbor_text("attStmt"), cbor_map({})},
                     {cbor_text("authData"), cbor_bytes(authenticator_data)}});
}

std::string attested_credential(std::string_view id, const std::string& cose_key) {
    return "aaguid of a test" + big_endian(id.size(), 2) + std::string(id) + cose_key;
}

std::string cose_key(const crypto::PublicMembers& members) {
    return std::visit([](const auto& key) { return cose(key); }, members);
}

TestAuthenticator::TestAuthenticator(crypto::Algorithm algorithm, std::string credential_id, std::string user_handle)
    : key_(crypto::PrivateKey::generate(algorithm)),
      credential_id_(std::move(credential_id)),
      user_handle_(std::move(user_handle)),
      stored_key_(cose_key()) {}

std::string TestAuthenticator::cose_key() const { return test::cose_key(key_.public_key().members()); }

factor::StoredPasskey TestAuthenticator::stored() const {
    return {.credential_id = credential_id_, .cose_key = stored_key_, .user_handle = user_handle_};
}

Registration TestAuthenticator::make(const factor::Expected& given) const {
    const unsigned all = flags | kHasCredential | (extensions.empty() ? 0 : kHasExtensions);
    const std::string data = test::authenticator_data(given.rp_id, all, counter,
                                                      attested_credential(credential_id_, cose_key()) + extensions);
    return {.id = credential_id_,
            .client_data = test::client_data(factor::Ceremony::registration, given),
            .authenticator_data = data,
            .attestation_object = test::attestation_object(data)};
}

Assertion TestAuthenticator::use(const factor::Expected& given) const {
    Assertion made{.id = credential_id_,
                   .client_data = test::client_data(factor::Ceremony::assertion, given),
                   .authenticator_data = test::authenticator_data(
                       given.rp_id, flags | (extensions.empty() ? 0 : kHasExtensions), counter, extensions),
                   .signature = {},
                   .user_handle = user_handle_};
    made.signature = sign(made.authenticator_data, made.client_data);
    return made;
}

std::string TestAuthenticator::sign(std::string_view authenticator_data, std::string_view client_data) const {
    const std::string raw = key_.sign(std::string(authenticator_data) + crypto::sha256(client_data));
    return key_.algorithm() == crypto::Algorithm::ES256 ? crypto::ecdsa_raw_to_der(raw).value() : raw;
}

}  // namespace postern::test
