#include "factor/passkey.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "crypto/error.h"
#include "support/test_authenticator.h"

using namespace postern;
using namespace postern::test;
using namespace std::string_literals;
using crypto::Algorithm;
using factor::Ceremony;
using factor::PasskeyFault;
using factor::PasskeyRole;

namespace {

const std::string kChallenge(32, 'c');
const factor::Expected kGiven{.challenge = kChallenge, .origin = "https://id.example.org", .rp_id = "example.org"};
const Algorithm kAll[] = {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256};
const PasskeyRole kRoles[] = {PasskeyRole::alone, PasskeyRole::second_step};

std::optional<PasskeyFault> fault_of(const Assertion& made, const factor::StoredPasskey& stored,
                                     PasskeyRole role = PasskeyRole::alone, const factor::Expected& expected = kGiven) {
    const auto use = factor::verify_assertion(made.response(), stored, expected, role);
    return use ? std::nullopt : std::optional(use.error());
}

/// With these bytes in the place of the authenticator data, and the right signature over them.
Assertion with_data(const TestAuthenticator& authenticator, const std::string& data) {
    Assertion made = authenticator.use(kGiven);
    made.authenticator_data = data;
    made.signature = authenticator.sign(data, made.client_data);
    return made;
}

Assertion with_client_data(const TestAuthenticator& authenticator, const std::string& json) {
    Assertion made = authenticator.use(kGiven);
    made.client_data = json;
    made.signature = authenticator.sign(made.authenticator_data, json);
    return made;
}

std::string flipped(std::string bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    return bytes;
}

}  // namespace

TEST_CASE(
    "verify_assertion: the passkey that was registered signs in, with each algorithm [WEBAUTHN-13, WebAuthn §7.2k]") {
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        TestAuthenticator authenticator(algorithm);
        const Registration made = authenticator.make(kGiven);
        const auto passkey = factor::verify_registration(made.response(), kGiven);
        REQUIRE(passkey);
        const std::string handle(32, 'h');
        const factor::StoredPasskey stored{
            .credential_id = passkey->credential_id, .cose_key = passkey->cose_key, .user_handle = handle};
        for (const PasskeyRole role : kRoles) CHECK_FALSE(fault_of(authenticator.use(kGiven), stored, role));
        authenticator.extensions = cbor_map({{cbor_text("uvm"), cbor_integer(2)}});
        for (const PasskeyRole role : kRoles) CHECK_FALSE(fault_of(authenticator.use(kGiven), stored, role));
    }
}

TEST_CASE(
    "verify_assertion: UV, BE, BS and the counter of this login are told [WEBAUTHN-14] [WEBAUTHN-16] [WEBAUTHN-17]") {
    TestAuthenticator authenticator;
    for (unsigned flags = kUserPresent; flags < 0x20; flags += 4) {
        if ((flags & kBackedUp) != 0 && (flags & kBackupEligible) == 0) continue;
        authenticator.flags = flags;
        authenticator.counter = 0xFFFFFFFF - flags;
        const Assertion made = authenticator.use(kGiven);
        const auto use =
            factor::verify_assertion(made.response(), authenticator.stored(), kGiven, PasskeyRole::second_step);
        REQUIRE(use);
        CHECK(use->sign_count == 0xFFFFFFFF - flags);
        CHECK(use->user_verified == ((flags & kUserVerified) != 0));
        CHECK(use->backup_eligible == ((flags & kBackupEligible) != 0));
        CHECK(use->backed_up == ((flags & kBackedUp) != 0));
    }
}

TEST_CASE(
    "verify_assertion: alone with UV and the handle of the owner, after a password without [WEBAUTHN-11, WEBAUTHN-12, WebAuthn §7.2ah]") {
    TestAuthenticator authenticator;
    const auto stored = authenticator.stored();
    const std::string owner(32, 'h');
    const struct {
        unsigned flags;
        std::string handle;
        std::optional<PasskeyFault> alone, second_step;
    } rows[] = {
        {kUserPresent | kUserVerified, owner, std::nullopt, std::nullopt},
        {kUserPresent, owner, PasskeyFault::user_not_verified, std::nullopt},
        {kUserPresent | kUserVerified, "", PasskeyFault::user_handle_missing, std::nullopt},
        {kUserPresent, "", PasskeyFault::user_handle_missing, std::nullopt},
        {kUserPresent | kUserVerified, std::string(32, 'i'), PasskeyFault::user_handle, PasskeyFault::user_handle},
        {kUserPresent | kUserVerified, owner.substr(1), PasskeyFault::user_handle, PasskeyFault::user_handle},
        {kUserPresent | kUserVerified, owner + "h", PasskeyFault::user_handle, PasskeyFault::user_handle},
        {kUserPresent | kUserVerified, "\0"s, PasskeyFault::user_handle, PasskeyFault::user_handle},
        {kUserVerified, owner, PasskeyFault::user_not_present, PasskeyFault::user_not_present},
    };
    for (const auto& row : rows) {
        authenticator.flags = row.flags;
        Assertion made = authenticator.use(kGiven);
        made.user_handle = row.handle;
        CHECK(fault_of(made, stored, PasskeyRole::alone) == row.alone);
        CHECK(fault_of(made, stored, PasskeyRole::second_step) == row.second_step);
    }
    // A user without a handle cannot be the one of a passkey alone.
    auto without_handle = stored;
    without_handle.user_handle = "";
    authenticator.flags = kUserPresent | kUserVerified;
    Assertion made = authenticator.use(kGiven);
    CHECK(fault_of(made, without_handle) == PasskeyFault::user_handle);
    made.user_handle = "";
    CHECK(fault_of(made, without_handle) == PasskeyFault::user_handle_missing);
}

TEST_CASE(
    "verify_assertion: each check broken once in an answer that is otherwise good [WEBAUTHN-2, WEBAUTHN-6, WebAuthn §7.2abcdefgi]") {
    const TestAuthenticator authenticator;
    const unsigned good = kUserPresent | kUserVerified;
    factor::Expected other_challenge = kGiven;
    other_challenge.challenge = "another challenge";
    factor::Expected other_origin = kGiven;
    other_origin.origin = "https://evil.test";
    const auto client = [&](const factor::Expected& given, const std::string& more) {
        return with_client_data(authenticator, client_data(Ceremony::assertion, given, more));
    };
    const auto data = [&](unsigned flags, const std::string& rest, std::string_view rp_id = kGiven.rp_id) {
        return with_data(authenticator, authenticator_data(rp_id, flags, 0, rest));
    };
    const std::string credential = attested_credential(authenticator.credential_id(), authenticator.cose_key());
    const std::pair<PasskeyFault, Assertion> rows[] = {
        {PasskeyFault::client_data_type, with_client_data(authenticator, client_data(Ceremony::registration, kGiven))},
        {PasskeyFault::client_data_json, with_client_data(authenticator, "")},
        {PasskeyFault::client_data_long, client(kGiven, std::string(4096, ' '))},
        {PasskeyFault::challenge, client(other_challenge, "")},
        {PasskeyFault::origin, client(other_origin, "")},
        {PasskeyFault::cross_origin, client(kGiven, R"(,"crossOrigin":true)")},
        {PasskeyFault::cross_origin, client(kGiven, R"(,"topOrigin":"https://evil.test")")},
        {PasskeyFault::rp_id, data(good, "", "evil.test")},
        {PasskeyFault::user_not_present, data(kUserVerified, "")},
        {PasskeyFault::backup_state, data(good | kBackedUp, "")},
        {PasskeyFault::credential_unexpected, data(good | kHasCredential, credential)},
        {PasskeyFault::authenticator_data_short, data(good | kHasCredential, "")},
        {PasskeyFault::authenticator_data_long, data(good, "x")},
        {PasskeyFault::extensions, data(good | kHasExtensions, "\x80"s)},
    };
    CHECK_FALSE(fault_of(data(good, ""), authenticator.stored()));
    CHECK_FALSE(fault_of(client(kGiven, ""), authenticator.stored()));
    for (const auto& row : rows) {
        CAPTURE(factor::describe(row.first));
        for (const PasskeyRole role : kRoles) CHECK(fault_of(row.second, authenticator.stored(), role) == row.first);
    }
    Assertion made = authenticator.use(kGiven);
    for (const std::string& id : {""s, made.id + "x", made.id.substr(1)}) {
        Assertion other = made;
        other.id = id;
        CHECK(fault_of(other, authenticator.stored()) == PasskeyFault::credential_id);
    }
}

TEST_CASE("verify_assertion: an answer to what was not asked, and that of a registration [WEBAUTHN-3]") {
    const TestAuthenticator authenticator;
    const Assertion made = authenticator.use(kGiven);
    factor::Expected other = kGiven;
    other.challenge = "another challenge";
    CHECK(fault_of(made, authenticator.stored(), PasskeyRole::alone, other) == PasskeyFault::challenge);
    other = kGiven;
    other.origin = "https://example.org";
    CHECK(fault_of(made, authenticator.stored(), PasskeyRole::alone, other) == PasskeyFault::origin);
    other = kGiven;
    other.rp_id = "id.example.org";
    CHECK(fault_of(made, authenticator.stored(), PasskeyRole::alone, other) == PasskeyFault::rp_id);

    const Registration registration = authenticator.make(kGiven);
    const Assertion from_registration{
        .id = registration.id,
        .client_data = registration.client_data,
        .authenticator_data = registration.authenticator_data,
        .signature = authenticator.sign(registration.authenticator_data, registration.client_data),
        .user_handle = made.user_handle};
    CHECK(fault_of(from_registration, authenticator.stored()) == PasskeyFault::client_data_type);
}

TEST_CASE(
    "verify_assertion: the signature is of this key, these data and this client data [WEBAUTHN-13, WebAuthn §7.2k]") {
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        TestAuthenticator authenticator(algorithm);
        const auto stored = authenticator.stored();
        const Assertion made = authenticator.use(kGiven);
        const auto with_signature = [&](const std::string& signature) {
            Assertion other = made;
            other.signature = signature;
            return other;
        };
        CHECK_FALSE(fault_of(made, stored));
        for (std::size_t length = 0; length < made.signature.size(); ++length)
            CHECK(fault_of(with_signature(made.signature.substr(0, length)), stored) == PasskeyFault::signature);
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(fault_of(with_signature(made.signature + static_cast<char>(byte)), stored) ==
                  PasskeyFault::signature);
        for (std::size_t bit = 0; bit < made.signature.size() * 8; bit += 3)
            CHECK(fault_of(with_signature(flipped(made.signature, bit)), stored) == PasskeyFault::signature);

        // The counter and UV are in nothing but the signed bytes.
        Assertion other = made;
        for (std::size_t bit = 33 * 8; bit < 37 * 8; ++bit) {
            other.authenticator_data = flipped(made.authenticator_data, bit);
            CHECK(fault_of(other, stored) == PasskeyFault::signature);
        }
        authenticator.flags = kUserPresent;
        const Assertion touched = authenticator.use(kGiven);
        other = touched;
        other.authenticator_data = authenticator_data(kGiven.rp_id, kUserPresent | kUserVerified, 0);
        CHECK(fault_of(other, stored) == PasskeyFault::signature);
        other = made;
        other.client_data += ' ';
        CHECK(fault_of(other, stored) == PasskeyFault::signature);

        for (const Algorithm another : kAll) {
            const TestAuthenticator foreign(another);
            CHECK(fault_of(foreign.use(kGiven), stored) == PasskeyFault::signature);
        }
    }
}

TEST_CASE(
    "verify_assertion: data that end too early or go on are refused, though signed [WEBAUTHN-6, WebAuthn §7.2o]") {
    TestAuthenticator authenticator(Algorithm::EdDSA);
    const std::string plain = authenticator.use(kGiven).authenticator_data;
    authenticator.extensions = cbor_map({{cbor_text("uvm"), cbor_integer(2)}});
    const std::string extended = authenticator.use(kGiven).authenticator_data;
    for (const std::string& whole : {plain, extended}) {
        CHECK_FALSE(fault_of(with_data(authenticator, whole), authenticator.stored()));
        for (std::size_t length = 0; length < whole.size(); ++length)
            CHECK(fault_of(with_data(authenticator, whole.substr(0, length)), authenticator.stored()));
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(fault_of(with_data(authenticator, whole + static_cast<char>(byte)), authenticator.stored()) ==
                  PasskeyFault::authenticator_data_long);
    }
}

TEST_CASE("verify_assertion: a stored key that cannot be read is a fault of the server [WEBAUTHN-13]") {
    const TestAuthenticator authenticator;
    const Assertion made = authenticator.use(kGiven);
    auto stored = authenticator.stored();
    stored.cose_key.remove_suffix(1);
    CHECK_THROWS_AS(static_cast<void>(fault_of(made, stored)), crypto::CryptoError);
    stored.cose_key = "";
    CHECK_THROWS_AS(static_cast<void>(fault_of(made, stored)), crypto::CryptoError);
}

TEST_CASE("has_counter_grown: two zeros are none, else only upwards [WEBAUTHN-15, WebAuthn §6.1.1, §7.2l]") {
    constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
    const struct {
        std::uint32_t stored, received;
        bool has_grown;
    } rows[] = {
        {0, 0, true},
        {0, 1, true},
        {0, kLast, true},
        {1, 2, true},
        {7, 8, true},
        {7, 7, false},
        {7, 6, false},
        {7, 0, false},
        {1, 0, false},
        {1, 1, false},
        {7, 100, true},
        {kLast - 1, kLast, true},
        {kLast, kLast, false},
        {kLast, 0, false},
        {0x80000000, 0x7FFFFFFF, false},
        {0x7FFFFFFF, 0x80000000, true},
    };
    for (const auto& row : rows) {
        CAPTURE(row.stored);
        CAPTURE(row.received);
        CHECK(factor::has_counter_grown(row.stored, row.received) == row.has_grown);
    }
}
