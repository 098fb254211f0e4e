// Tests of lib/util/base64.cpp.
#include "util/base64.h"

#include <doctest/doctest.h>

using namespace postern::util;
using namespace std::string_view_literals;

namespace {

struct Vector {
    std::string_view bytes;
    const char* padded;
    const char* bare;
};

const Vector kVectors[] = {
    {"", "", ""},  // RFC 4648 §10
    {"f", "Zg==", "Zg"},
    {"fo", "Zm8=", "Zm8"},
    {"foo", "Zm9v", "Zm9v"},
    {"foob", "Zm9vYg==", "Zm9vYg"},
    {"fooba", "Zm9vYmE=", "Zm9vYmE"},
    {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"\x03\xEC\xFF\xE0\xC1"sv, "A+z/4ME=", "A-z_4ME"},  // RFC 7515 appendix C
    {"\0\0\0"sv, "AAAA", "AAAA"},
};

}  // namespace

TEST_CASE("base64: the published vectors, both ways [RFC 4648 §10, RFC 7515 appendix C]") {
    for (const Vector& vector : kVectors) {
        CAPTURE(vector.padded);
        CHECK(base64_encode(vector.bytes) == vector.padded);
        CHECK(base64_decode(vector.padded) == std::string(vector.bytes));
        CHECK(base64url_encode(vector.bytes) == vector.bare);
        CHECK(base64url_decode(vector.bare) == std::string(vector.bytes));
    }
}

TEST_CASE("base64: every byte value survives at every length modulo three") {
    std::string all;
    for (int byte = 255; byte >= 0; --byte) {
        all += static_cast<char>(byte);
        CHECK(base64url_decode(base64url_encode(all)) == all);
        CHECK(base64_decode(base64_encode(all)) == all);
    }
}

TEST_CASE("base64url_decode: one value has one spelling [RFC 4648 §3.5, RFC 7515 §2, RFC 7636 §A]") {
    for (const auto bad :
         {"Zg=="sv, "Zm8="sv, "Zm9v="sv, "A+z_"sv, "A-z/"sv, "Zm9v\n"sv, " Zm9v"sv, "Zm 9v"sv, "Z"sv, "Zm9vY"sv, "Zh"sv,
          "Zn"sv, "Zm9"sv, "Zm9vYh"sv, "Zm\0v"sv, "Zm9v\0"sv, "Zm9\xFF"sv, "Zm9."sv}) {
        CAPTURE(bad);
        CHECK_FALSE(base64url_decode(bad));
    }
}

TEST_CASE("is_base64url: the characters of the alphabet, and no other byte [RFC 4648 §5]") {
    int members = 0;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        const bool is_member = is_base64url(text);
        members += is_member;
        CHECK(is_member == base64url_decode("AAA" + text).has_value());
        CHECK(is_base64url("Zm9v" + text + "Zm9v") == is_member);
    }
    CHECK(members == 64);
    CHECK(is_base64url(""));
}

TEST_CASE("base64_decode: padding is exact and nothing is skipped [RFC 4648 §3.2, §3.3, §3.5, C02]") {
    for (const auto bad :
         {"Zg"sv, "Zg="sv, "Zg==="sv, "Z==="sv, "===="sv, "="sv, "=="sv, "Zm9v===="sv, "Zm9v="sv, "Zg==Zg=="sv,
          "Zh=="sv, "Zm9="sv, "A-z_"sv, "Zm9v\n"sv, "Zm9v\r\n"sv, " Zm9v"sv, "Zm 9v==="sv, "Zg=\n"sv, "Zm9\0"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(base64_decode(bad));
    }
}
