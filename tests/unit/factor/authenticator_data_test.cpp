#include "factor/authenticator_data.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "crypto/digest.h"
#include "support/test_authenticator.h"

using namespace postern;
using namespace postern::test;
using namespace std::string_literals;
using factor::Ceremony;
using factor::PasskeyFault;

namespace {

const std::string kRpId = "example.org";
const std::string kId = "id of a credential";
const std::string kExtensions = cbor_map({{cbor_text("credProtect"), cbor_integer(2)}});

/// With the members of an Ed25519 key, which is read elsewhere.
std::string key() { return cose_key(crypto::OkpPublic{std::string(32, 'k')}); }
std::string credential(const std::string& id = kId) { return attested_credential(id, key()); }

std::string data_of(unsigned flags, const std::string& rest = {}) {
    return authenticator_data(kRpId, flags, 0x01020304, rest);
}

std::optional<PasskeyFault> parse_fault(const std::string& bytes) {
    const auto data = factor::parse_authenticator_data(bytes);
    return data ? std::nullopt : std::optional(data.error());
}

std::optional<PasskeyFault> fault_of(const std::string& bytes, Ceremony ceremony, const std::string& rp_id = kRpId) {
    const auto data = factor::parse_authenticator_data(bytes);
    if (!data) return data.error();
    const auto checked = factor::check_authenticator_data(*data, ceremony, rp_id);
    return checked ? std::nullopt : std::optional(checked.error());
}

}  // namespace

TEST_CASE("parse_authenticator_data: each flag by itself, and the counter [WEBAUTHN-6, WebAuthn §6.1a]") {
    for (unsigned flags = 0; flags < 0x40; ++flags) {
        const std::string bytes = data_of(flags);
        const auto data = factor::parse_authenticator_data(bytes);
        REQUIRE(data);
        CHECK(data->rp_id_hash == crypto::sha256(kRpId));
        CHECK(data->user_present == ((flags & kUserPresent) != 0));
        CHECK(data->user_verified == ((flags & kUserVerified) != 0));
        CHECK(data->backup_eligible == ((flags & kBackupEligible) != 0));
        CHECK(data->backed_up == ((flags & kBackedUp) != 0));
        CHECK(data->sign_count == 0x01020304);
        CHECK_FALSE(data->credential);
    }
    const std::string last = authenticator_data(kRpId, kUserPresent, 0xFFFFFFFF);
    CHECK(factor::parse_authenticator_data(last)->sign_count == 0xFFFFFFFF);
}

TEST_CASE(
    "parse_authenticator_data: the credential in its parts, with and without extensions [WEBAUTHN-6, WebAuthn §7.1o]") {
    for (const std::string& extensions : {""s, kExtensions, cbor_map({})}) {
        const unsigned flags = kHasCredential | (extensions.empty() ? 0 : kHasExtensions);
        const std::string bytes = data_of(flags, credential() + extensions);
        const auto data = factor::parse_authenticator_data(bytes);
        REQUIRE(data);
        REQUIRE(data->credential);
        CHECK(data->credential->aaguid == "aaguid of a test");
        CHECK(data->credential->id == kId);
        CHECK(data->credential->key == key());
    }
    CHECK_FALSE(parse_fault(data_of(kHasExtensions, kExtensions)));
}

TEST_CASE("parse_authenticator_data: a credential id of 1 to 1023 bytes [WEBAUTHN-6, WebAuthn §7.1k]") {
    for (const std::size_t length : {1U, 255U, 256U, 1023U})
        CHECK_FALSE(parse_fault(data_of(kHasCredential, credential(std::string(length, 'c')))));
    for (const std::size_t length : {0U, 1024U, 65535U})
        CHECK(parse_fault(data_of(kHasCredential, credential(std::string(length, 'c')))) ==
              PasskeyFault::credential_id_length);
}

TEST_CASE("parse_authenticator_data: what the flags announce is there, and nothing else [WEBAUTHN-6, WebAuthn §6.1b]") {
    const std::string c = credential();
    CHECK(parse_fault(data_of(kUserPresent, c)) == PasskeyFault::authenticator_data_long);
    CHECK(parse_fault(data_of(kUserPresent, kExtensions)) == PasskeyFault::authenticator_data_long);
    CHECK(parse_fault(data_of(kHasCredential, c + kExtensions)) == PasskeyFault::authenticator_data_long);
    CHECK(parse_fault(data_of(kHasCredential, "")) == PasskeyFault::authenticator_data_short);
    CHECK(parse_fault(data_of(kHasExtensions, "")) == PasskeyFault::extensions);
    CHECK(parse_fault(data_of(kHasCredential | kHasExtensions, c)) == PasskeyFault::extensions);
    for (const std::string& extensions : {"\x80"s, "\xF6"s, "\x40"s, "\xBF\xFF"s, "\x00"s})
        CHECK(parse_fault(data_of(kHasCredential | kHasExtensions, c + extensions)) == PasskeyFault::extensions);
    CHECK(parse_fault(data_of(kHasExtensions, kExtensions + kExtensions)) == PasskeyFault::authenticator_data_long);
}

TEST_CASE(
    "parse_authenticator_data: data that end too early or go on are refused, wherever [WEBAUTHN-6, WebAuthn §6.1b]") {
    for (const std::string& whole :
         {data_of(kUserPresent), data_of(kHasCredential, credential()), data_of(kHasExtensions, kExtensions),
          data_of(kHasCredential | kHasExtensions, credential() + kExtensions)}) {
        CHECK_FALSE(parse_fault(whole));
        for (std::size_t length = 0; length < whole.size(); ++length) CHECK(parse_fault(whole.substr(0, length)));
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(parse_fault(whole + static_cast<char>(byte)) == PasskeyFault::authenticator_data_long);
    }
}

TEST_CASE("parse_authenticator_data: the key is a CBOR map of at most 8 members [WEBAUTHN-7]") {
    const auto with_key = [](const std::string& key) { return data_of(kHasCredential, attested_credential(kId, key)); };
    std::vector<std::pair<std::string, std::string>> members;
    for (int i = 0; i < 8; ++i) members.emplace_back(cbor_integer(i), cbor_integer(i));
    CHECK_FALSE(parse_fault(with_key(cbor_map(members))));
    members.emplace_back(cbor_integer(8), cbor_integer(8));
    CHECK(parse_fault(with_key(cbor_map(members))) == PasskeyFault::key_cbor);
    for (const std::string& key : {""s, "\x80"s, "\x40"s, "\xA2\x01\x02\x01\x02"s, "\xA1\x01\x18\x02"s})
        CHECK(parse_fault(with_key(key)) == PasskeyFault::key_cbor);
}

TEST_CASE("check_authenticator_data: for this RP ID [WEBAUTHN-6, WebAuthn §7.1f, §7.2f]") {
    const std::string bytes = data_of(kUserPresent);
    CHECK_FALSE(fault_of(bytes, Ceremony::assertion));
    for (const std::string& rp_id : {""s, "example.com"s, "id.example.org"s, "Example.org"s, "example.org."s})
        CHECK(fault_of(bytes, Ceremony::assertion, rp_id) == PasskeyFault::rp_id);
    for (std::size_t bit = 0; bit < 256; ++bit) {
        std::string other = bytes;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
        CHECK(fault_of(other, Ceremony::assertion) == PasskeyFault::rp_id);
    }
}

TEST_CASE("check_authenticator_data: every combination of flags [WEBAUTHN-6, WebAuthn §7.1gh, §7.2gi]") {
    for (unsigned flags = 0; flags < 0x80; ++flags) {
        CAPTURE(flags);
        const bool has_credential = (flags & kHasCredential) != 0;
        const std::string bytes = data_of(flags, has_credential ? credential() : "");
        std::optional<PasskeyFault> expected;
        if ((flags & kUserPresent) == 0)
            expected = PasskeyFault::user_not_present;
        else if ((flags & kBackedUp) != 0 && (flags & kBackupEligible) == 0)
            expected = PasskeyFault::backup_state;
        const auto also = [&](PasskeyFault fault) { return expected ? expected : std::optional(fault); };
        CHECK(fault_of(bytes, Ceremony::registration) ==
              (has_credential ? expected : also(PasskeyFault::credential_missing)));
        CHECK(fault_of(bytes, Ceremony::assertion) ==
              (has_credential ? also(PasskeyFault::credential_unexpected) : expected));
    }
}
