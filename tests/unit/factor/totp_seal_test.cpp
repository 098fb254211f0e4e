#include "factor/totp_seal.h"

#include <doctest/doctest.h>

#include "crypto/seal.h"

using namespace postern;

TEST_CASE(
    "open_totp_secret: only with its key, for its user and its time, unchanged [FKEY-4, STORE-3, RFC 6238 §5.1]") {
    crypto::SeededRandom random("totp");
    const util::Secret key(std::string(32, 'k'));
    const util::Secret secret("12345678901234567890");
    const model::Subject ada("ada");
    const util::Time made = util::from_epoch(1'800'000'000);
    const std::string sealed = factor::seal_totp_secret(key, ada, made, secret, random);
    CHECK(sealed.find("12345678901234567890") == sealed.npos);

    const auto open = [&](const util::Secret& with, const char* of, util::Time at, const std::string& text) {
        const auto opened = factor::open_totp_secret(with, model::Subject(of), at, text);
        return opened ? std::string(opened->reveal()) : "-";
    };
    CHECK(open(key, "ada", made, sealed) == "12345678901234567890");
    CHECK(open(util::Secret(std::string(32, 'l')), "ada", made, sealed) == "-");
    CHECK(open(key, "bob", made, sealed) == "-");
    CHECK(open(key, "ada", made + util::Seconds{1}, sealed) == "-");
    CHECK(open(key, "ada", made, "") == "-");
    CHECK(open(key, "ada", made, sealed.substr(1)) == "-");
    // The additional data, byte for byte: rows are older than programs.
    CHECK(crypto::open_seal(key, "postern totp v1|ada|1800000000", sealed) == "12345678901234567890");
}

TEST_CASE("open_totp_secret: while factor.key is rotated both keys open, and the new one seals [FKEY-2]") {
    crypto::SeededRandom random("rotated");
    const util::Secret secret("12345678901234567890");
    const model::Subject ada("ada");
    const util::Time made = util::from_epoch(1'800'000'000);
    const auto key = [](const char* letters) {
        std::string bytes;
        for (; *letters; ++letters) bytes += std::string(32, *letters);
        return util::Secret(std::move(bytes));
    };
    const auto sealed_with = [&](const char* letters) {
        return factor::seal_totp_secret(key(letters), ada, made, secret, random);
    };
    struct Row {
        const char* sealed;  ///< the keys of the file, a letter each
        const char* opened;
        bool opens;
    };
    const Row rows[] = {
        {"a", "baa", true},                        // the row of before
        {"baa", "baa", true},                      // the row of now
        {"baa", "ba", true},                       // when it has ended
        {"baa", "b", true},                        // with the new key alone
        {"baa", "a", false},  {"a", "ba", false},  // the key of recovery codes opens nothing
        {"b", "cab", true},                        // the second rotation
        {"a", "cab", false},                       // that of before the first
    };
    for (const Row& row : rows) {
        CAPTURE(row.sealed);
        CAPTURE(row.opened);
        CHECK(factor::open_totp_secret(key(row.opened), ada, made, sealed_with(row.sealed)).has_value() == row.opens);
    }
}
