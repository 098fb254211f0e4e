// What opens a seal, and everything that must not.
#include "crypto/seal.h"

#include <doctest/doctest.h>

#include <string>

#include "crypto/error.h"
#include "support/hex.h"
#include "util/base64.h"

using namespace postern;
using crypto::parse_factor_keys;
using test::bytes_of_hex;

namespace {

util::Secret key(char fill = 'k') { return util::Secret(std::string(32, fill)); }

class Fixed final : public crypto::Random {
public:
    explicit Fixed(std::string bytes) : bytes_(std::move(bytes)) {}
    std::string bytes(std::size_t) override { return bytes_; }

private:
    std::string bytes_;
};

std::string letters(const char* keys) {
    std::string bytes;
    for (; *keys; ++keys) bytes += std::string(32, *keys);
    return bytes;
}

}  // namespace

TEST_CASE("seal is AES-256-GCM over the text with the purpose as associated data [McGrew and Viega, test case 16]") {
    Fixed nonce(bytes_of_hex("cafebabefacedbaddecaf888"));
    const util::Secret published(bytes_of_hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"));
    const std::string purpose = bytes_of_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    const std::string plain = bytes_of_hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    const std::string cipher = bytes_of_hex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662");
    const std::string tag = bytes_of_hex("76fc6ece0f4e1768cddf8853bb2d551b");

    const std::string sealed = crypto::seal(published, purpose, plain, nonce);
    CHECK(sealed == util::base64url_encode(nonce.bytes(12) + cipher + tag));
    CHECK(crypto::open_seal(published, purpose, sealed) == plain);
}

TEST_CASE("open_seal gives back what seal was given, with any bytes") {
    crypto::SeededRandom random("seal");
    for (const std::string& plain : {std::string(), std::string("x"), std::string("a\0b", 3), std::string(5000, 'y')}) {
        CAPTURE(plain.size());
        CHECK(crypto::open_seal(key(), "resume", crypto::seal(key(), "resume", plain, random)) == plain);
        CHECK(crypto::open_seal(key(), "", crypto::seal(key(), "", plain, random)) == plain);
    }
}

TEST_CASE("seal never gives one text twice") {
    crypto::SystemRandom random;
    CHECK(crypto::seal(key(), "resume", "text", random) != crypto::seal(key(), "resume", "text", random));
}

TEST_CASE("open_seal refuses another key and another purpose") {
    crypto::SeededRandom random("seal");
    const std::string sealed = crypto::seal(key(), "resume", "text", random);
    REQUIRE(crypto::open_seal(key(), "resume", sealed) == "text");
    CHECK_FALSE(crypto::open_seal(key('l'), "resume", sealed));
    for (const char* purpose : {"", "resum", "resume2", "Resume", "csrf"}) {
        CAPTURE(purpose);
        CHECK_FALSE(crypto::open_seal(key(), purpose, sealed));
    }
}

TEST_CASE("open_seal refuses a change of any byte: nonce, text or tag [A20]") {
    crypto::SeededRandom random("seal");
    const std::string bytes = *util::base64url_decode(crypto::seal(key(), "resume", "some text", random));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CAPTURE(i);
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        CHECK_FALSE(crypto::open_seal(key(), "resume", util::base64url_encode(changed)));
    }
}

TEST_CASE("open_seal refuses what is cut, longer or spelled differently") {
    crypto::SeededRandom random("seal");
    const std::string sealed = crypto::seal(key(), "resume", "text", random);
    const std::string bytes = *util::base64url_decode(sealed);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(crypto::open_seal(key(), "resume", util::base64url_encode(bytes.substr(0, length))));
    }
    for (const std::string& text : {bytes + "x", "x" + bytes}) {
        CHECK_FALSE(crypto::open_seal(key(), "resume", util::base64url_encode(text)));
    }
    for (const std::string& text : {sealed + "=", sealed + "\n", " " + sealed, sealed + "A", std::string("!")}) {
        CAPTURE(text);
        CHECK_FALSE(crypto::open_seal(key(), "resume", text));
    }
}

TEST_CASE("seal and open_seal throw for a key that is not 32 bytes: our fault, not the caller's") {
    crypto::SeededRandom random("seal");
    const std::string sealed = crypto::seal(key(), "resume", "text", random);
    for (const std::size_t size : {0u, 16u, 31u, 33u}) {
        CAPTURE(size);
        CHECK_THROWS_AS(crypto::seal(util::Secret(std::string(size, 'k')), "resume", "text", random),
                        crypto::CryptoError);
        CHECK_THROWS_AS(crypto::open_seal(util::Secret(std::string(size, 'k')), "resume", sealed), crypto::CryptoError);
    }
}

TEST_CASE("parse_factor_keys: one, two or three keys, and the same bytes come of them [FKEY-2]") {
    struct Row {
        const char* file;
        const char* sealing;
        const char* codes;
        const char* previous;
        const char* written;  ///< again
    };
    const Row rows[] = {
        {"a", "a", "a", "", "a"},      {"ba", "b", "a", "", "ba"},    {"baa", "b", "a", "a", "baa"},
        {"cab", "c", "a", "b", "cab"}, {"bba", "b", "b", "a", "bba"}, {"bb", "b", "b", "", "b"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        const auto keys = parse_factor_keys(util::Secret(letters(row.file)));
        CHECK(keys.sealing.reveal() == letters(row.sealing));
        CHECK(keys.codes.reveal() == letters(row.codes));
        CHECK(keys.previous.reveal() == letters(row.previous));
        CHECK(crypto::to_bytes(keys).reveal() == letters(row.written));
    }
}

TEST_CASE("parse_factor_keys: another number of bytes is refused [FKEY-2]") {
    for (const std::size_t size : {0, 1, 31, 33, 63, 65, 95, 97, 128}) {
        CAPTURE(size);
        CHECK_FALSE(crypto::is_factor_key_size(size));
        CHECK_THROWS_AS(parse_factor_keys(util::Secret(std::string(size, 'k'))), crypto::CryptoError);
    }
    for (const std::size_t size : {32, 64, 96}) CHECK(crypto::is_factor_key_size(size));
}
