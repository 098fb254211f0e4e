#include "factor/totp.h"

#include <doctest/doctest.h>

#include <set>

#include "crypto/seal.h"

using namespace postern;
using factor::TotpOutcome;

namespace {

const std::string kRfcSecret = "12345678901234567890";
constexpr std::int64_t kStep = 59'000'000;  // 2026-02-05 or so

util::Secret rfc_secret() { return util::Secret(kRfcSecret); }
util::Time in_step(std::int64_t step, int second = 15) { return util::from_epoch(step * 30 + second); }

}  // namespace

TEST_CASE("hotp: the vectors of RFC 4226 appendix D [TOTP-1, RFC 6238 §1.2]") {
    const char* const expected[] = {"755224", "287082", "359152", "969429", "338314",
                                    "254676", "287922", "162583", "399871", "520489"};
    for (std::uint64_t counter = 0; counter < std::size(expected); ++counter)
        CHECK(factor::hotp(rfc_secret(), counter) == expected[counter]);
}

TEST_CASE("hotp: the SHA-1 vectors of RFC 6238 appendix B, of eight digits [TOTP-1, RFC 6238 §1.2]") {
    const std::pair<std::int64_t, const char*> rows[] = {
        {59, "94287082"},         {1111111109, "07081804"}, {1111111111, "14050471"},
        {1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"},
    };
    for (const auto& [time, code] : rows) {
        CAPTURE(time);
        const auto step = static_cast<std::uint64_t>(time / 30);
        CHECK(factor::hotp(rfc_secret(), step, 8) == code);
        CHECK(factor::hotp(rfc_secret(), step, 6) == std::string(code).substr(2));
    }
}

TEST_CASE("base32: the vectors of RFC 4648 section 10, without padding [TOTP-1]") {
    const std::pair<const char*, const char*> rows[] = {
        {"", ""},
        {"f", "MY"},
        {"fo", "MZXQ"},
        {"foo", "MZXW6"},
        {"foob", "MZXW6YQ"},
        {"fooba", "MZXW6YTB"},
        {"foobar", "MZXW6YTBOI"},
    };
    for (const auto& [bytes, text] : rows) CHECK(factor::base32(bytes) == text);
    CHECK(factor::base32(std::string(5, '\xFF')) == "77777777");
    CHECK(factor::base32(std::string(2, '\0')) == "AAAA");
}

TEST_CASE("make_totp_secret: 160 random bits, other ones each time [TOTP-1, RFC 6238 §1.2]") {
    crypto::SystemRandom random;
    std::set<std::string> made;
    for (int i = 0; i < 100; ++i) made.emplace(factor::make_totp_secret(random).reveal());
    CHECK(made.size() == 100);
    for (const std::string& secret : made) CHECK(secret.size() == 20);
}

TEST_CASE("otpauth_uri: names are percent-encoded, and all parameters are said [TOTP-2]") {
    CHECK(factor::otpauth_uri("id.example.org", "ada", rfc_secret()) ==
          "otpauth://totp/id.example.org:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=id.example.org"
          "&algorithm=SHA1&digits=6&period=30");
    CHECK(factor::otpauth_uri("A & B: c", "ada@x:y?z=\xC3\xA9", rfc_secret()) ==
          "otpauth://totp/A%20%26%20B%3A%20c:ada%40x%3Ay%3Fz%3D%C3%A9?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
          "&issuer=A%20%26%20B%3A%20c&algorithm=SHA1&digits=6&period=30");
}

TEST_CASE(
    "check_totp: the step of now and its neighbours, later than the last one [TOTP-5, TOTP-6, RFC 6238 §4.1, §4.2, §5.2a]") {
    struct Row {
        std::int64_t code;  ///< the step whose code is typed, from that of now
        std::int64_t last;  ///< the step that was spent
        TotpOutcome outcome;
        int seconds_off;
    };
    const Row rows[] = {
        {0, -100, TotpOutcome::right, 0},
        {-1, -100, TotpOutcome::right, 0},
        {1, -100, TotpOutcome::right, 0},
        {-1, -2, TotpOutcome::right, 0},
        {0, -1, TotpOutcome::right, 0},
        {1, 0, TotpOutcome::right, 0},
        {-1, -1, TotpOutcome::used, 0},
        {-1, 0, TotpOutcome::used, 0},
        {0, 0, TotpOutcome::used, 0},
        {0, 1, TotpOutcome::used, 0},
        {1, 1, TotpOutcome::used, 0},
        {-2, -100, TotpOutcome::clock_off, -60},
        {2, -100, TotpOutcome::clock_off, 60},
        {-10, -100, TotpOutcome::clock_off, -300},
        {10, -100, TotpOutcome::clock_off, 300},
        {-5, -5, TotpOutcome::used, 0},
        {-5, 0, TotpOutcome::clock_off, -150},
        {-11, -100, TotpOutcome::wrong, 0},
        {11, -100, TotpOutcome::wrong, 0},
    };
    for (const Row& row : rows) {
        for (const int second : {0, 29}) {
            CAPTURE(row.code);
            CAPTURE(row.last);
            CAPTURE(second);
            const std::string code = factor::hotp(rfc_secret(), static_cast<std::uint64_t>(kStep + row.code));
            const auto verdict = factor::check_totp(rfc_secret(), code, in_step(kStep, second), kStep + row.last);
            CHECK(verdict.outcome == row.outcome);
            CHECK(verdict.seconds_off == row.seconds_off);
            if (row.outcome != TotpOutcome::wrong) CHECK(verdict.step == kStep + row.code);
        }
    }
}

TEST_CASE("check_totp: a digit off, cut short, longer, of another secret is wrong [TOTP-5]") {
    const std::string code = factor::hotp(rfc_secret(), kStep);
    std::string other = code;
    other.back() = other.back() == '9' ? '0' : static_cast<char>(other.back() + 1);
    for (const std::string& typed : {other, code.substr(1), code + "0", std::string(), std::string("      ")})
        CHECK(factor::check_totp(rfc_secret(), typed, in_step(kStep), 0).outcome == TotpOutcome::wrong);
    CHECK(factor::check_totp(util::Secret("12345678901234567891"), code, in_step(kStep), 0).outcome ==
          TotpOutcome::wrong);
}

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
