#include "factor/authenticator_data.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/test_authenticator.h"

using namespace postern;
using namespace postern::test;
using namespace std::string_literals;
using crypto::Algorithm;
using factor::PasskeyFault;

namespace {

using Members = std::vector<std::pair<std::int64_t, std::string>>;  // the values are CBOR

const Algorithm kAll[] = {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256};

std::string encode(const Members& members) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [label, value] : members) pairs.emplace_back(cbor_integer(label), value);
    return cbor_map(pairs);
}

Members with(Members members, std::int64_t label, const std::string& value) {
    for (auto& member : members)
        if (member.first == label) member.second = value;
    return members;
}

Members without(Members members, std::int64_t label) {
    std::erase_if(members, [&](const auto& member) { return member.first == label; });
    return members;
}

Members plus(Members members, std::int64_t label, const std::string& value) {
    members.emplace_back(label, value);
    return members;
}

std::optional<PasskeyFault> fault_of(const std::string& bytes) {
    const auto key = factor::parse_cose_key(bytes);
    return key ? std::nullopt : std::optional(key.error());
}
std::optional<PasskeyFault> fault_of(const Members& members) { return fault_of(encode(members)); }

Members ec() {
    const auto key = crypto::PrivateKey::generate(Algorithm::ES256).public_key().members();
    const auto& point = std::get<crypto::EcPublic>(key);
    return {{1, cbor_integer(2)},
            {3, cbor_integer(-7)},
            {-1, cbor_integer(1)},
            {-2, cbor_bytes(point.x)},
            {-3, cbor_bytes(point.y)}};
}
Members ed() {
    return {{1, cbor_integer(1)}, {3, cbor_integer(-8)}, {-1, cbor_integer(6)}, {-2, cbor_bytes(std::string(32, 'k'))}};
}
Members rsa() {
    return {{1, cbor_integer(3)},
            {3, cbor_integer(-257)},
            {-1, cbor_bytes(std::string(256, '\xFF'))},
            {-2, cbor_bytes("\x01\x00\x01"s)}};
}

}  // namespace

TEST_CASE(
    "parse_cose_key: a key of each algorithm that is offered verifies what it signed [WEBAUTHN-8, WebAuthn §5.8.5]") {
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        const TestAuthenticator authenticator(algorithm);
        const std::string bytes = authenticator.cose_key();
        const auto key = factor::parse_cose_key(bytes);
        REQUIRE(key);
        CHECK(key->algorithm() == algorithm);
        CHECK_FALSE(fault_of(bytes));
        for (std::size_t length = 0; length < bytes.size(); ++length)
            CHECK(fault_of(bytes.substr(0, length)) == PasskeyFault::key_cbor);
        for (unsigned byte = 0; byte < 256; ++byte)
            CHECK(fault_of(bytes + static_cast<char>(byte)) == PasskeyFault::key_cbor);
    }
}

TEST_CASE("cose_algorithm: as COSE registers them [WEBAUTHN-4]") {
    CHECK(factor::cose_algorithm(Algorithm::ES256) == -7);
    CHECK(factor::cose_algorithm(Algorithm::EdDSA) == -8);
    CHECK(factor::cose_algorithm(Algorithm::RS256) == -257);
}

TEST_CASE("parse_cose_key: the order of members and further ones do not matter, up to 8 [WEBAUTHN-7]") {
    for (Members members : {ec(), ed(), rsa()}) {
        CHECK_FALSE(fault_of(members));
        CHECK_FALSE(fault_of(Members(members.rbegin(), members.rend())));
        for (int label = 100; members.size() < 8; ++label) members = plus(members, label, cbor_text("more"));
        CHECK_FALSE(fault_of(members));
        CHECK(fault_of(plus(members, 200, cbor_text("more"))) == PasskeyFault::key_cbor);
    }
}

TEST_CASE("parse_cose_key: a member that is missing, twice or of another type is refused [WEBAUTHN-7] [WEBAUTHN-8]") {
    for (const Members& members : {ec(), ed(), rsa()}) {
        for (const auto& member : members) {
            const auto [label, value] = member;
            CAPTURE(member.first);
            const PasskeyFault expected = label == 3 ? PasskeyFault::key_algorithm : PasskeyFault::key_cbor;
            CHECK(fault_of(without(members, label)) == expected);
            CHECK(fault_of(plus(members, label, value)) == PasskeyFault::key_cbor);
            CHECK(fault_of(with(members, label, "\xF6")) == expected);
            CHECK(fault_of(with(members, label, cbor_text("text"))) == expected);
            CHECK(fault_of(with(members, label, cbor_map({}))) == expected);
        }
        CHECK(fault_of(Members{}) == PasskeyFault::key_algorithm);
    }
    // The sign of y alone: a compressed point, which WebAuthn §5.8.5 excludes.
    CHECK(fault_of(with(ec(), -3, "\xF4")) == PasskeyFault::key_cbor);
    CHECK(fault_of(with(ec(), -3, "\xF5")) == PasskeyFault::key_cbor);
}

TEST_CASE(
    "parse_cose_key: only the algorithms that are offered, each with its type and curve [WEBAUTHN-8, WebAuthn §5.8.5, §7.1i]") {
    for (const std::int64_t other : {-35, -36, -37, -39, -47, -53, -258, -259, -65535, 0, 7, 8, 257, -9, -19})
        for (const Members& members : {ec(), ed(), rsa()})
            CHECK(fault_of(with(members, 3, cbor_integer(other))) == PasskeyFault::key_algorithm);
    const std::int64_t offered[] = {-7, -8, -257};
    for (const std::int64_t algorithm : offered) {
        if (algorithm != -7) CHECK(fault_of(with(ec(), 3, cbor_integer(algorithm))) == PasskeyFault::key_cbor);
        if (algorithm != -8) CHECK(fault_of(with(ed(), 3, cbor_integer(algorithm))) == PasskeyFault::key_cbor);
        if (algorithm != -257) CHECK(fault_of(with(rsa(), 3, cbor_integer(algorithm))) == PasskeyFault::key_cbor);
    }
    for (std::int64_t type = -1; type < 6; ++type) {
        if (type != 2) CHECK(fault_of(with(ec(), 1, cbor_integer(type))) == PasskeyFault::key_cbor);
        if (type != 1) CHECK(fault_of(with(ed(), 1, cbor_integer(type))) == PasskeyFault::key_cbor);
        if (type != 3) CHECK(fault_of(with(rsa(), 1, cbor_integer(type))) == PasskeyFault::key_cbor);
    }
    for (std::int64_t curve = -1; curve < 10; ++curve) {
        if (curve != 1) CHECK(fault_of(with(ec(), -1, cbor_integer(curve))) == PasskeyFault::key_cbor);
        if (curve != 6) CHECK(fault_of(with(ed(), -1, cbor_integer(curve))) == PasskeyFault::key_cbor);
    }
}

TEST_CASE("parse_cose_key: a key that is unfit is refused [WEBAUTHN-8]") {
    for (const std::size_t length : {0U, 31U, 33U, 64U}) {
        const std::string bytes = cbor_bytes(std::string(length, '\x01'));
        CHECK(fault_of(with(ec(), -2, bytes)) == PasskeyFault::key_unfit);
        CHECK(fault_of(with(ec(), -3, bytes)) == PasskeyFault::key_unfit);
        CHECK(fault_of(with(ed(), -2, bytes)) == PasskeyFault::key_unfit);
    }
    CHECK(fault_of(with(ec(), -3, cbor_bytes(std::string(32, '\x01')))) == PasskeyFault::key_unfit);  // off the curve
    for (const std::size_t bytes : {128U, 255U, 513U})
        CHECK(fault_of(with(rsa(), -1, cbor_bytes(std::string(bytes, '\xFF')))) == PasskeyFault::key_unfit);
    CHECK_FALSE(fault_of(with(rsa(), -1, cbor_bytes(std::string(512, '\xFF')))));
    CHECK_FALSE(fault_of(with(rsa(), -2, cbor_bytes("\x03"))));
    for (const std::string& e : {""s, "\x01"s, "\x02"s, "\0\x03"s, "\x01\x00\x00\x00\x01"s})
        CHECK(fault_of(with(rsa(), -2, cbor_bytes(e))) == PasskeyFault::key_unfit);
}
