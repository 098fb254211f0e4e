// Which keys of others are taken, and which of their signatures hold (KEY-3, KEY-5).
#include "crypto/foreign_key.h"

#include <doctest/doctest.h>

#include <string>

#include "support/hex.h"
#include "vectors.h"
#include "wycheproof.h"

using namespace postern;
using crypto::Algorithm;
using crypto::ForeignKey;
using test::bytes_of_hex;
using vectors::raw;

namespace {

crypto::PublicMembers members_of(const wycheproof::Key& key) {
    const std::string_view kind = key.kind;
    if (kind == "rsa") return crypto::RsaPublic{bytes_of_hex(key.first), bytes_of_hex(key.second)};
    if (kind == "ec") return crypto::EcPublic{bytes_of_hex(key.first), bytes_of_hex(key.second)};
    return crypto::OkpPublic{bytes_of_hex(key.first)};
}

crypto::RsaPublic rsa_public() { return {raw(vectors::kRsaModulus), raw(vectors::kRsaExponent)}; }
crypto::EcPublic ec_public() { return {raw(vectors::kEcX), raw(vectors::kEcY)}; }

/// An odd number of so many bits.
std::string number_of_bits(std::size_t bits) {
    std::string number((bits + 7) / 8, '\x55');
    number.front() = static_cast<char>(1 << ((bits - 1) % 8));
    return number;
}

}  // namespace

TEST_CASE(
    "foreign keys: signatures of keys of others, by the vectors of Project Wycheproof [KEY-3, RFC 7518 §3.4, §3.5; RFC 8037 §3.1]") {
    int valid = 0;
    for (const auto& row : wycheproof::kRows) {
        CAPTURE(row.name);
        const auto key = ForeignKey::from_members(members_of(wycheproof::kKeys[row.key]));
        REQUIRE(key);
        CHECK(key->verify(row.algorithm, bytes_of_hex(row.message), bytes_of_hex(row.signature)) == row.is_valid);
        valid += row.is_valid ? 1 : 0;
    }
    CHECK(valid > 20);
}

TEST_CASE("foreign keys: a signature holds for its own algorithm alone [KEY-3]") {
    const Algorithm all[] = {Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA, Algorithm::PS256};
    struct Row {
        Algorithm algorithm;
        crypto::PublicMembers members;
        const char* input;
        const char* signature;
    };
    const Row rows[] = {
        {Algorithm::RS256, rsa_public(), vectors::kRsaInput, vectors::kRsaSignature},
        {Algorithm::ES256, ec_public(), vectors::kEcInput, vectors::kEcSignature},
        {Algorithm::EdDSA, crypto::OkpPublic{raw(vectors::kEdX)}, vectors::kEdInput, vectors::kEdSignature},
    };
    for (const Row& row : rows) {
        const auto key = ForeignKey::from_members(row.members);
        REQUIRE(key);
        for (const Algorithm algorithm : all) {
            CAPTURE(crypto::to_string(row.algorithm));
            CAPTURE(crypto::to_string(algorithm));
            CHECK(key->verify(algorithm, row.input, raw(row.signature)) == (algorithm == row.algorithm));
        }
        CHECK_FALSE(key->verify(row.algorithm, std::string(row.input) + "x", raw(row.signature)));
        CHECK_FALSE(key->verify(row.algorithm, row.input, ""));
    }
}

TEST_CASE("foreign keys: keys that are not sound are refused [KEY-5, CVE-2023-6237]") {
    const auto rsa = [](std::size_t bits, const std::string& e = "\x01\x00\x01") {
        return crypto::PublicMembers(crypto::RsaPublic{number_of_bits(bits), e});
    };
    const std::string usual("\x01\x00\x01", 3);
    struct Row {
        const char* when;
        crypto::PublicMembers members;
        bool is_taken;
    };
    const Row rows[] = {
        {"2047 bits", rsa(2047, usual), false},
        {"2048 bits", rsa(2048, usual), true},
        {"4096 bits", rsa(4096, usual), true},
        {"4097 bits", rsa(4097, usual), false},
        {"an exponent of 3", rsa(2048, "\x03"), false},
        {"an exponent of 65535", rsa(2048, "\xff\xff"), false},
        {"an even exponent", rsa(2048, std::string("\x01\x00\x02", 3)), false},
        {"an exponent of 2^32-1", rsa(2048, "\xff\xff\xff\xff"), true},
        {"an exponent of 2^32+1", rsa(2048, std::string("\x01\x00\x00\x00\x01", 5)), false},
        {"an exponent with a leading zero", rsa(2048, std::string("\x00\x01\x00\x01", 4)), false},
        {"no exponent", rsa(2048, ""), false},
        {"no modulus", crypto::RsaPublic{"", usual}, false},
        {"an even modulus", crypto::RsaPublic{number_of_bits(2048).substr(0, 255) + '\x02', usual}, false},
        {"a modulus with a leading zero", crypto::RsaPublic{'\0' + number_of_bits(2048), usual}, false},
        {"a point of P-256", ec_public(), true},
        {"a point that is not on the curve", crypto::EcPublic{ec_public().x, ec_public().x}, false},
        {"a coordinate of 31 bytes", crypto::EcPublic{ec_public().x.substr(1), ec_public().y}, false},
        {"a coordinate of 33 bytes", crypto::EcPublic{'\0' + ec_public().x, ec_public().y}, false},
        {"Ed25519 of 31 bytes", crypto::OkpPublic{raw(vectors::kEdX).substr(1)}, false},
        {"Ed25519 of 33 bytes", crypto::OkpPublic{raw(vectors::kEdX) + 'x'}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(ForeignKey::from_members(row.members).has_value() == row.is_taken);
    }
}
