// SHA-2 (FIPS 180-4 examples), SHA-1, HMAC (RFC 4231) and the comparison.
#include "crypto/digest.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

namespace {

std::string hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) / 16];
        out += kDigits[static_cast<unsigned char>(c) % 16];
    }
    return out;
}

}  // namespace

TEST_CASE("hmac_sha1 gives the published values [RFC 2202 §3]") {
    CHECK(hex(crypto::hmac_sha1(std::string(20, '\x0b'), "Hi There")) == "b617318655057264e28bc0b6fb378c8ef146be00");
    CHECK(hex(crypto::hmac_sha1("Jefe", "what do ya want for nothing?")) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    CHECK(hex(crypto::hmac_sha1(std::string(80, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
          "aa4ae5e15272d00e95705637ce8a3b55ed402112");
}

TEST_CASE("sha256 gives the published digests [FIPS 180-4, RFC 6234 §8.5]") {
    struct Row {
        std::string message;
        const char* digest;
    };
    const Row rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.digest);
        CHECK(hex(crypto::sha256(row.message)) == row.digest);
        CHECK(crypto::sha256_hex(row.message) == row.digest);
    }
    CHECK(crypto::sha256(std::string_view()).size() == 32);
}

TEST_CASE("sha256 reads past a NUL") {
    CHECK(crypto::sha256(std::string_view("a\0b", 3)) != crypto::sha256(std::string_view("a\0c", 3)));
}

TEST_CASE("sha512 gives the published digest [FIPS 180-4]") {
    CHECK(hex(crypto::sha512("abc")) ==
          "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST_CASE("hmac_sha256 gives the published codes [RFC 4231 §4]") {
    struct Row {
        std::string key;
        std::string message;
        const char* code;
    };
    std::string counting;
    for (char c = 1; c <= 25; ++c) counting += c;
    const Row rows[] = {
        {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {std::string(20, '\xaa'), std::string(50, '\xdd'),
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {counting, std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {std::string(131, '\xaa'),
         "This is a test using a larger than block-size key and a larger than block-size data. "
         "The key needs to be hashed before being used by the HMAC algorithm.",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.code);
        CHECK(hex(crypto::hmac_sha256(row.key, row.message)) == row.code);
    }
}

TEST_CASE("hmac_sha256: an empty key is a key, not the one used before") {
    const char* expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
    static_cast<void>(crypto::hmac_sha256("another", "message"));
    CHECK(hex(crypto::hmac_sha256("", "")) == expected);
    CHECK(hex(crypto::hmac_sha256(std::string_view(), std::string_view())) == expected);
}

TEST_CASE("equal_constant_time compares every byte and the length [OIDC Core §16.12, C10]") {
    struct Row {
        std::string_view a;
        std::string_view b;
        bool equal;
    };
    const Row rows[] = {
        {"", "", true},
        {"a", "a", true},
        {"same bytes", "same bytes", true},
        {"", "a", false},
        {"a", "", false},
        {"abc", "abd", false},
        {"abc", "xbc", false},
        {"abc", "ab", false},
        {"ab", "abc", false},
        {{"a\0b", 3}, {"a\0c", 3}, false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        CHECK(crypto::equal_constant_time(row.a, row.b) == row.equal);
    }
}

TEST_CASE("sha1: the vectors of RFC 3174 and FIPS 180-1 [PASSWORD-3]") {
    const std::pair<std::string, const char*> rows[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
        {std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
    };
    for (const auto& [text, digest] : rows) CHECK(hex(crypto::sha1(text)) == digest);
}
