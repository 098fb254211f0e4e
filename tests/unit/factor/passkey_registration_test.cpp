#include "factor/passkey.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>

#include "support/test_authenticator.h"

using namespace postern;
using namespace postern::test;
using namespace std::string_literals;
using crypto::Algorithm;
using factor::Ceremony;
using factor::PasskeyFault;

namespace {

const std::string kChallenge(32, 'c');
const factor::Expected kGiven{.challenge = kChallenge, .origin = "https://id.example.org", .rp_id = "example.org"};

std::optional<PasskeyFault> fault_of(const Registration& made, const factor::Expected& expected = kGiven) {
    const auto passkey = factor::verify_registration(made.response(), expected);
    return passkey ? std::nullopt : std::optional(passkey.error());
}

std::optional<PasskeyFault> fault_of_object(Registration made, const std::string& object) {
    made.attestation_object = object;
    return fault_of(made);
}

}  // namespace

TEST_CASE("verify_registration: a passkey of each algorithm, as its authenticator described it [WEBAUTHN-8]") {
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256}) {
        CAPTURE(crypto::to_string(algorithm));
        TestAuthenticator authenticator(algorithm, "id of a passkey");
        for (unsigned flags = kUserPresent; flags < 0x20; flags += 4) {
            if ((flags & kBackedUp) != 0 && (flags & kBackupEligible) == 0) continue;
            authenticator.flags = flags;
            authenticator.counter = flags * 1000;
            authenticator.extensions = flags > 8 ? cbor_map({{cbor_text("credProtect"), cbor_integer(2)}}) : "";
            const Registration made = authenticator.make(kGiven);
            const auto passkey = factor::verify_registration(made.response(), kGiven);
            REQUIRE(passkey);
            CHECK(passkey->credential_id == "id of a passkey");
            CHECK(passkey->cose_key == authenticator.cose_key());
            CHECK(passkey->algorithm == algorithm);
            CHECK(passkey->sign_count == flags * 1000);
            CHECK(passkey->user_verified == ((flags & kUserVerified) != 0));
            CHECK(passkey->backup_eligible == ((flags & kBackupEligible) != 0));
            CHECK(passkey->backed_up == ((flags & kBackedUp) != 0));
            CHECK(passkey->aaguid == "aaguid of a test");
        }
    }
}

TEST_CASE(
    "verify_registration: each check broken once in an answer that is otherwise good [WEBAUTHN-2, WEBAUTHN-6, WebAuthn §7.1abcdefghik]") {
    const TestAuthenticator authenticator;
    const std::string id = authenticator.credential_id();
    const std::string credential = attested_credential(id, authenticator.cose_key());
    const unsigned good = kUserPresent | kHasCredential;
    const auto changed_data = [&](const std::string& data) {
        return [data](Registration& made) { made.attestation_object = attestation_object(data); };
    };
    const auto changed_client = [&](const factor::Expected& given, const std::string& more) {
        return [=](Registration& made) { made.client_data = client_data(Ceremony::registration, given, more); };
    };
    factor::Expected other_challenge = kGiven;
    other_challenge.challenge = "another challenge";
    factor::Expected other_origin = kGiven;
    other_origin.origin = "https://evil.test";
    const struct {
        PasskeyFault expected;
        std::function<void(Registration&)> change;
    } rows[] = {
        {PasskeyFault::client_data_type,
         [](Registration& made) { made.client_data = client_data(Ceremony::assertion, kGiven); }},
        {PasskeyFault::client_data_json, [](Registration& made) { made.client_data.pop_back(); }},
        {PasskeyFault::client_data_long, [](Registration& made) { made.client_data += std::string(4096, ' '); }},
        {PasskeyFault::challenge, changed_client(other_challenge, "")},
        {PasskeyFault::origin, changed_client(other_origin, "")},
        {PasskeyFault::cross_origin, changed_client(kGiven, R"(,"crossOrigin":true)")},
        {PasskeyFault::cross_origin, changed_client(kGiven, R"(,"topOrigin":"https://evil.test")")},
        {PasskeyFault::attestation_object,
         [](Registration& made) { made.attestation_object = made.authenticator_data; }},
        {PasskeyFault::rp_id, changed_data(authenticator_data("id.example.org", good, 0, credential))},
        {PasskeyFault::user_not_present, changed_data(authenticator_data(kGiven.rp_id, kHasCredential, 0, credential))},
        {PasskeyFault::backup_state, changed_data(authenticator_data(kGiven.rp_id, good | kBackedUp, 0, credential))},
        {PasskeyFault::credential_missing, changed_data(authenticator_data(kGiven.rp_id, kUserPresent, 0))},
        {PasskeyFault::authenticator_data_short, changed_data(authenticator_data(kGiven.rp_id, good, 0))},
        {PasskeyFault::authenticator_data_long,
         changed_data(authenticator_data(kGiven.rp_id, good, 0, credential + "x"))},
        {PasskeyFault::extensions,
         changed_data(authenticator_data(kGiven.rp_id, good | kHasExtensions, 0, credential + "\x80"s))},
        {PasskeyFault::credential_id_length,
         changed_data(authenticator_data(kGiven.rp_id, good, 0, attested_credential("", authenticator.cose_key())))},
        {PasskeyFault::credential_id, [](Registration& made) { made.id += 'x'; }},
        {PasskeyFault::credential_id, [](Registration& made) { made.id.pop_back(); }},
        {PasskeyFault::credential_id, [](Registration& made) { made.id.clear(); }},
        {PasskeyFault::key_cbor,
         changed_data(authenticator_data(kGiven.rp_id, good, 0, attested_credential(id, "\x80"s)))},
        {PasskeyFault::key_algorithm,
         changed_data(authenticator_data(kGiven.rp_id, good, 0, attested_credential(id, cbor_map({}))))},
        {PasskeyFault::key_unfit,
         changed_data(authenticator_data(kGiven.rp_id, good, 0,
                                         attested_credential(id, cose_key(crypto::OkpPublic{std::string(31, 'k')}))))},
    };
    CHECK_FALSE(fault_of(authenticator.make(kGiven)));
    for (const auto& row : rows) {
        Registration made = authenticator.make(kGiven);
        row.change(made);
        CAPTURE(factor::describe(row.expected));
        CHECK(fault_of(made) == row.expected);
    }
}

TEST_CASE("verify_registration: an answer to what was not asked [WEBAUTHN-2]") {
    const Registration made = TestAuthenticator().make(kGiven);
    factor::Expected other = kGiven;
    other.challenge = "another challenge";
    CHECK(fault_of(made, other) == PasskeyFault::challenge);
    other = kGiven;
    other.origin = "https://example.org";
    CHECK(fault_of(made, other) == PasskeyFault::origin);
    other = kGiven;
    other.rp_id = "id.example.org";
    CHECK(fault_of(made, other) == PasskeyFault::rp_id);
}

TEST_CASE("verify_registration: fmt and attStmt are there and are not looked into [WEBAUTHN-5, WebAuthn §7.1e]") {
    const Registration made = TestAuthenticator().make(kGiven);
    const std::string fmt = cbor_text("fmt");
    const std::string statement = cbor_text("attStmt");
    const std::string data = cbor_text("authData");
    const std::string bytes = cbor_bytes(made.authenticator_data);
    const std::string packed = cbor_map({{cbor_text("alg"), cbor_integer(-7)},
                                         {cbor_text("sig"), cbor_bytes("not a signature")},
                                         {cbor_text("x5c"), cbor_head(4, 1) + cbor_bytes("not a certificate")}});
    const std::string none = cbor_map({});
    CHECK_FALSE(fault_of_object(made, cbor_map({{fmt, cbor_text("packed")}, {statement, packed}, {data, bytes}})));
    CHECK_FALSE(fault_of_object(made, cbor_map({{data, bytes}, {statement, none}, {fmt, cbor_text("unknown")}})));
    CHECK_FALSE(fault_of_object(
        made, cbor_map({{fmt, cbor_text("none")}, {statement, none}, {data, bytes}, {cbor_text("epAtt"), "\xF5"}})));

    const std::string refused[] = {
        ""s,
        cbor_map({}),
        cbor_bytes(made.authenticator_data),
        cbor_map({{statement, none}, {data, bytes}}),
        cbor_map({{fmt, cbor_text("none")}, {data, bytes}}),
        cbor_map({{fmt, cbor_text("none")}, {statement, none}}),
        cbor_map({{fmt, cbor_bytes("none")}, {statement, none}, {data, bytes}}),
        cbor_map({{fmt, cbor_text("none")}, {statement, cbor_bytes("")}, {data, bytes}}),
        cbor_map({{fmt, cbor_text("none")}, {statement, none}, {data, cbor_text("text")}}),
        cbor_map({{fmt, cbor_text("none")}, {statement, none}, {data, bytes}, {data, bytes}}),
        // with the integers that CTAP2 has in the place of the names
        cbor_map({{cbor_integer(1), cbor_text("none")}, {cbor_integer(3), none}, {cbor_integer(2), bytes}}),
    };
    for (const std::string& object : refused) CHECK(fault_of_object(made, object) == PasskeyFault::attestation_object);
}

TEST_CASE(
    "verify_registration: an object that ends too early or goes on is refused, wherever [WEBAUTHN-7, WebAuthn §7.1e]") {
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256}) {
        const Registration made = TestAuthenticator(algorithm).make(kGiven);
        const std::string& whole = made.attestation_object;
        for (std::size_t length = 0; length < whole.size(); ++length)
            CHECK(fault_of_object(made, whole.substr(0, length)) == PasskeyFault::attestation_object);
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(fault_of_object(made, whole + static_cast<char>(byte)) == PasskeyFault::attestation_object);
        // The same inside: the object is whole, the data are not.
        const std::string& data = made.authenticator_data;
        for (std::size_t length = 0; length < data.size(); ++length)
            CHECK(fault_of_object(made, attestation_object(data.substr(0, length))));
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(fault_of_object(made, attestation_object(data + static_cast<char>(byte))) ==
                  PasskeyFault::authenticator_data_long);
    }
}

TEST_CASE("parse_transports: words of a-z, 0-9 and hyphens as they came, all others dropped [WEBAUTHN-29]") {
    using Words = std::vector<std::string>;
    const std::pair<const char*, Words> rows[] = {
        {"", {}},
        {" ", {}},
        {"usb", {"usb"}},
        {"internal hybrid", {"internal", "hybrid"}},
        {"hybrid internal", {"hybrid", "internal"}},
        {"usb usb", {"usb", "usb"}},
        {" usb  nfc ", {"usb", "nfc"}},
        {"smart-card ble2 not-known-yet", {"smart-card", "ble2", "not-known-yet"}},
        {"USB nfc", {"nfc"}},
        {"usb,nfc ble", {"ble"}},
        {"usb\tnfc", {}},
        {"usb\nnfc", {}},
        {"us\"b nfc", {"nfc"}},
        {"<b> nfc", {"nfc"}},
        {"\xC3\xA9 nfc", {"nfc"}},
        {"u_b nfc", {"nfc"}},
        {"a b c d e f g h", {"a", "b", "c", "d", "e", "f", "g", "h"}},
        {"a b c d e f g h i", {"a", "b", "c", "d", "e", "f", "g", "h"}},
        {"A b c d e f g h i", {"b", "c", "d", "e", "f", "g", "h", "i"}},
    };
    for (const auto& row : rows) {
        CAPTURE(row.first);
        CHECK(factor::parse_transports(row.first) == row.second);
    }
    const std::string longest(32, 'x');
    CHECK(factor::parse_transports(longest) == Words{longest});
    CHECK(factor::parse_transports(longest + "x").empty());
}
