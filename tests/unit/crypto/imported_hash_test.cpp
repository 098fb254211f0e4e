#include "crypto/imported_hash.h"

#include <doctest/doctest.h>

#include "crypto/password.h"

using namespace postern;
using crypto::parse_imported_hash;

namespace {

// crypt(3) of "secret".
const char* const kYescrypt = "$y$j75$YdvdJFdR4I8OeJbWNR6au.$jrQvDtzpghAliP5osAUsTl1rOgeNvmwwA/s8Dyf4L8.";
const char* const kBcrypt = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";
const char* const kSha512 =
    "$6$saltstring$AIsRs/Ee56G/tC8MEHhvReZTfx8u3rXXMl6eYrjCG9ibix19DxoMBLogdTET5Ukw9Sf7eZTITsuk0Ry5qulYz.";
const char* const kSha512Rounds =
    "$6$rounds=1000$saltstring$2BkAo106CG84raQcWpAlhyy6TSSkAsL1nfvBCoezLYyerUzY2l8axTvq6NynEt7SQAx3/cdop9ds0po8uaeHq0";

std::string taken(std::string_view hash) {
    const auto result = parse_imported_hash(hash);
    return result ? result->text : "";
}

std::string reason(std::string_view hash) {
    const auto result = parse_imported_hash(hash);
    return result ? "" : result.error();
}

std::string with(std::string text, std::size_t position, char c) {
    text[position] = c;
    return text;
}

}  // namespace

TEST_CASE("parse_imported_hash: whole hashes of the supported kinds are taken as they are, and verify") {
    for (const std::string hash : {kYescrypt, kBcrypt, kSha512, kSha512Rounds}) {
        CAPTURE(hash);
        CHECK(taken(hash) == hash);
        CHECK(crypto::verify_password(util::Secret("secret"), taken(hash)));
        CHECK_FALSE(crypto::verify_password(util::Secret("Secret"), taken(hash)));
    }
    const std::string own = crypto::hash_password(util::Secret("secret"));
    CHECK(taken(own) == own);
}

TEST_CASE("parse_imported_hash: bcrypt under its other names is the same bcrypt") {
    for (const char name : {'a', 'b', 'y'}) {
        const std::string hash = with(kBcrypt, 2, name);
        CAPTURE(hash);
        CHECK(crypto::verify_password(util::Secret("secret"), taken(hash)));
    }
    CHECK(taken(with(kBcrypt, 2, 'x')).empty());  // the one with the bug
}

TEST_CASE("parse_imported_hash: the cost of every login is bounded") {
    const std::string bcrypt = kBcrypt;
    const std::string sha = kSha512;
    const std::string yescrypt = kYescrypt;
    const auto cost = [&](const char* digits) { return bcrypt.substr(0, 4) + digits + bcrypt.substr(6); };
    const auto rounds = [&](const std::string& number) { return "$6$rounds=" + number + sha.substr(2); };
    const auto parameters = [&](const char* text) { return "$y$" + std::string(text) + yescrypt.substr(6); };
    struct Row {
        std::string hash;
        bool ok;
        const char* word;
    };
    const Row rows[] = {
        {cost("04"), true, ""},
        {cost("14"), true, ""},
        {cost("15"), false, "cost 15"},
        {cost("31"), false, "cost 31"},
        {cost("03"), false, "not complete"},
        {cost("32"), false, "not complete"},
        {cost("1a"), false, "not complete"},
        {rounds("1000"), true, ""},
        {rounds("1000000"), true, ""},
        {rounds("1000001"), false, "rounds=1000001"},
        {rounds("999999999"), false, "rounds=999999999"},
        {rounds("9999999999999999999"), false, "not complete"},
        {rounds("999"), false, "not complete"},
        {rounds("05000"), false, "not complete"},
        {rounds(""), false, "not complete"},
        {rounds("-1"), false, "not complete"},
        {parameters("j75"), true, ""},
        {parameters("jCT"), true, ""},
        {parameters("jDT"), false, "128 MiB"},
        {parameters("jFT"), false, "128 MiB"},
        {parameters("j9T5"), false, "128 MiB"},
        {parameters(""), false, "128 MiB"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.hash);
        CHECK(taken(row.hash).empty() != row.ok);
        CHECK(reason(row.hash).find(row.word) != std::string::npos);
    }
}

TEST_CASE("parse_imported_hash: a hash that no login could equal is refused, one digit off included") {
    for (const std::string hash : {kYescrypt, kBcrypt, kSha512, kSha512Rounds}) {
        CAPTURE(hash);
        for (std::size_t length = 0; length < hash.size(); ++length) {
            CAPTURE(length);
            CHECK(taken(hash.substr(0, length)).empty());
        }
        CHECK(taken(hash + "a").empty());
        CHECK(taken(hash + " ").empty());
        CHECK(taken(hash + "$").empty());
        CHECK(taken(" " + hash).empty());
        CHECK(taken(with(hash, hash.size() - 10, ':')).empty());
        CHECK(taken(with(hash, hash.size() - 10, '\0')).empty());
        CHECK(taken(with(hash, hash.size() - 1, 'z')).empty());  // bits that no digest has
    }
    CHECK(taken(with(kBcrypt, 28, 'v')).empty());  // the salt's last digit, as crypt(3) never writes it
    const std::string sha = kSha512;
    const std::string digest = sha.substr(sha.size() - 87);
    CHECK_FALSE(taken("$6$" + std::string(16, 's') + digest).empty());
    for (const std::string& salt : {std::string(17, 's'), std::string("a b"), std::string("a\\b"), std::string("a\nb")})
        CHECK(taken("$6$" + salt + digest).empty());
}

TEST_CASE("parse_imported_hash: behind a scheme of another program the hash counts, and is kept without it") {
    for (const char* scheme : {"{CRYPT}", "{crypt}", "{Crypt}", "{BLF-CRYPT}", "{SHA512-CRYPT}", "{bcrypt}"}) {
        CAPTURE(scheme);
        for (const std::string hash : {kYescrypt, kBcrypt, kSha512, kSha512Rounds}) {
            CHECK(taken(scheme + hash) == taken(hash));
            CHECK_FALSE(taken(hash).empty());
            CHECK(taken(scheme + hash.substr(0, hash.size() - 1)).empty());
            CHECK(taken(std::string(scheme) + scheme + hash).empty());
            CHECK(taken(scheme + (" " + hash)).empty());
        }
    }
    struct Row {
        const char* hash;
        const char* word;
    };
    const Row rows[] = {
        {"{CRYPT}$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1", "MD5 ($1$)"},
        {"{MD5-CRYPT}$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1", "MD5 ($1$)"},
        {"{SHA256-CRYPT}$5$saltstring$hixOXgchwauyzVtlSM/e7UnQx0qiTk74JE/YU53IbE0", "SHA-256 ($5$)"},
        {"{ARGON2ID}$argon2id$v=19$m=65536,t=2,p=1$gZiV/M1gPc22ElAH/Jh1Hw$CWOrkoo7", "Argon2"},
        {"{ARGON2}$argon2i$v=19$m=65536,t=2,p=1$gZiV/M1gPc22ElAH/Jh1Hw$CWOrkoo7", "Argon2"},
        {"{CRYPT}rl0uE0pTFOh3I", "of an unknown kind"},
        {"{CRYPT}", "there is no hash"},
        {"{CRYPT}!", "locked"},
        {"{CRYPT}*LK*", "locked"},
        {"{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "unsalted SHA-1 ({SHA})"},
        {"{ssha}5en6G6MezRroT3XKqkdPOmY/BfQ=", "salted SHA-1 ({SSHA})"},
        {"{SSHA512}5en6G6MezRroT3XKqkdPOmY/BfQ=", "salted SHA-512 of a single round ({SSHA512})"},
        {"{SMD5}5en6G6MezRroT3XKqkdPOmY/BfQ=", "salted MD5 ({SMD5})"},
        {"{PLAIN-MD5}5f4dcc3b5aa765d61d8327deb882cf99", "unsalted MD5"},
        {"{PBKDF2_SHA256}AAAgAAlc", "PBKDF2"},
        {"{PBKDF2-SHA512}10000$x$y", "PBKDF2"},
        {"{SCRAM-SHA-256}4096,x,y,z", "SCRAM"},
        {"{NTLM}8846f7eaee8fb117ad06bdd830b7586c", "NTLM"},
        {"{SHA512-CRYPT.B64}JDYkc2Fs", "of the scheme {SHA512-CRYPT.B64}"},
        {"{X-OTHER}abc", "of the scheme {X-OTHER}"},
        {"{SASL}ada@example.org", "saslauthd"},
        {"{a b}$6$x", "of an unknown kind"},
        {"{}$6$x", "of an unknown kind"},
        {"{CRYPT$6$x", "of an unknown kind"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.hash);
        CHECK(taken(row.hash).empty());
        CHECK(reason(row.hash).find(row.word) != std::string::npos);
        CHECK(reason(row.hash).find(row.hash) == std::string::npos);
    }
    for (const char* plain : {"{PLAIN}tops3cret", "{cleartext}tops3cret", "{CLEAR}tops3cret", "{noop}tops3cret"}) {
        CAPTURE(plain);
        CHECK(reason(plain).find("the password itself") != std::string::npos);
        CHECK(reason(plain).find("tops3cret") == std::string::npos);
    }
}

TEST_CASE("parse_imported_hash: kinds that are not verified are named, with a way out, and never repeated") {
    struct Row {
        const char* hash;
        const char* word;
    };
    const Row rows[] = {
        {"$apr1$salt1234$hxnWc5ur7VJ0TV1S4GQRr/", "$apr1$"},
        {"{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "{SHA}"},
        {"{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "{SSHA}"},
        {"$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1", "$1$"},
        {"$5$saltstring$hixOXgchwauyzVtlSM/e7UnQx0qiTk74JE/YU53IbE0", "$5$"},
        {"$argon2id$v=19$m=65536,t=2,p=1$gZiV/M1gPc22ElAH/Jh1Hw$CWOrkoo7oJBQ/iyh7uJ0LO2aLEfrHwTWllSAxT0zRno", "Argon2"},
        {"rl0uE0pTFOh3I", "of an unknown kind"},
        {"secret", "of an unknown kind"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.hash);
        CHECK(reason(row.hash).find(row.word) != std::string::npos);
        CHECK(reason(row.hash).find("htpasswd -B") != std::string::npos);
        CHECK(reason(row.hash).find(row.hash) == std::string::npos);
    }
    CHECK(reason("").find("no hash") != std::string::npos);
    for (const char* locked : {"!", "*", "!!", "!$6$saltstring$x"})
        CHECK(reason(locked).find("locked") != std::string::npos);
}
