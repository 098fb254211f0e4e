// r||s and DER: the same numbers, and none that cannot be part of a signature.
#include "crypto/key.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/error.h"
#include "vectors.h"

using namespace postern;
using namespace std::string_literals;

namespace {

/// The order of P-256; its last byte is 0x51.
std::string order() {
    return "\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
           "\xBC\xE6\xFA\xAD\xA7\x17\x9E\x84\xF3\xB9\xCA\xC2\xFC\x63\x25\x51"s;
}

std::string order_and(int difference) {
    std::string number = order();
    number.back() = static_cast<char>(number.back() + difference);
    return number;
}

std::string small(char value) { return std::string(31, '\0') + value; }

}  // namespace

TEST_CASE("ecdsa_raw_to_der and back give the published signature [RFC 7515 A.3]") {
    const std::string raw = vectors::raw(vectors::kEcSignature);
    const auto der = crypto::ecdsa_raw_to_der(raw);
    REQUIRE(der);
    CHECK(crypto::ecdsa_der_to_raw(*der) == raw);
    // s begins with a set bit, so DER needs a leading zero there and none before r.
    CHECK(der->substr(0, 4) == "\x30\x45\x02\x20"s);
}

TEST_CASE("ecdsa_der_to_raw keeps 64 bytes when the numbers are short [RFC 7518 §3.4]") {
    const std::string raw = small(1) + small('\x7F');
    const auto der = crypto::ecdsa_raw_to_der(raw);
    REQUIRE(der);
    CHECK(*der == "\x30\x06\x02\x01\x01\x02\x01\x7F"s);
    CHECK(crypto::ecdsa_der_to_raw(*der) == raw);
}

TEST_CASE("ecdsa_raw_to_der takes r and s of 1 to n-1 and nothing else [CVE-2022-21449]") {
    struct Row {
        const char* what;
        std::string raw;
        bool good;
    };
    const Row rows[] = {
        {"least", small(1) + small(1), true},
        {"greatest", order_and(-1) + order_and(-1), true},
        {"all zero", std::string(64, '\0'), false},
        {"r zero", small(0) + small(1), false},
        {"s zero", small(1) + small(0), false},
        {"r is n", order() + small(1), false},
        {"s is n", small(1) + order(), false},
        {"r above n", order_and(1) + small(1), false},
        {"s above n", small(1) + order_and(1), false},
        {"all ones", std::string(64, '\xFF'), false},
        {"empty", "", false},
        {"63 bytes", std::string(63, '\1'), false},
        {"65 bytes", std::string(65, '\1'), false},
        {"DER", *crypto::ecdsa_raw_to_der(vectors::raw(vectors::kEcSignature)), false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.what);
        CHECK(crypto::ecdsa_raw_to_der(row.raw).has_value() == row.good);
    }
}

TEST_CASE("ecdsa_der_to_raw throws for what is not a P-256 signature") {
    const std::string rows[] = {
        "",
        "\x30",
        std::string(64, '\1'),
        "\x30\x03\x02\x01\x01"s,                                           // one number
        "\x30\x26\x02\x21\x01"s + std::string(32, '\0') + "\x02\x01\x01",  // 33 bytes
    };
    for (const auto& der : rows) {
        CAPTURE(der.size());
        CHECK_THROWS_AS(crypto::ecdsa_der_to_raw(der), crypto::CryptoError);
    }
}
