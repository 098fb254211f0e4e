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
