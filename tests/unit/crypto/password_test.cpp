// Which passwords can be hashed, which hashes are believed, and that an unknown user costs as much as a known one.
#include "crypto/password.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "crypto/error.h"

using namespace postern;

namespace {

constexpr const char* kPassword = "correct horse battery staple";

util::Secret secret(std::string text) { return util::Secret(std::move(text)); }

/// The least of three: processor time, so that a busy machine does not count.
template <class Work>
std::clock_t cost(Work work) {
    std::clock_t least = 0;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();
        work();
        const std::clock_t used = std::clock() - start;
        least = i == 0 ? used : std::min(least, used);
    }
    return least;
}

}  // namespace

TEST_CASE("check_password refuses what crypt would cut or misread") {
    struct Row {
        std::string password;
        crypto::PasswordFault fault;
    };
    const Row rows[] = {
        {"x", crypto::PasswordFault::none},
        {std::string(511, 'x'), crypto::PasswordFault::none},
        {"p\xC3\xA4sswort \t", crypto::PasswordFault::none},
        {"", crypto::PasswordFault::empty},
        {std::string(512, 'x'), crypto::PasswordFault::too_long},
        {std::string("a\0b", 3), crypto::PasswordFault::has_nul},
        {std::string("\0", 1), crypto::PasswordFault::has_nul},
        {std::string("password\0", 9), crypto::PasswordFault::has_nul},
    };
    for (const auto& row : rows) {
        CAPTURE(row.password);
        CHECK(crypto::check_password(row.password) == row.fault);
    }
}

TEST_CASE("hash_password makes a salted yescrypt hash that verifies [L10]") {
    const std::string hash = crypto::hash_password(secret(kPassword));
    CHECK(hash.substr(0, 7) == "$y$j9T$");
    CHECK(hash != crypto::hash_password(secret(kPassword)));
    CHECK(crypto::verify_password(secret(kPassword), hash));
    for (const char* wrong : {"correct horse battery stapl", "correct horse battery staple ",
                              "Correct horse battery staple", "c", "*0", ""}) {
        CAPTURE(wrong);
        CHECK_FALSE(crypto::verify_password(secret(wrong), hash));
    }
}

TEST_CASE("hash_password throws for a password that check_password refuses") {
    for (const std::string& bad : {std::string(), std::string(512, 'x'), std::string("a\0b", 3)}) {
        CAPTURE(bad.size());
        CHECK_THROWS_AS(crypto::hash_password(secret(bad)), crypto::CryptoError);
    }
}

TEST_CASE("hash_password uses all 511 bytes") {
    const std::string hash = crypto::hash_password(secret(std::string(511, 'x')));
    CHECK(crypto::verify_password(secret(std::string(511, 'x')), hash));
    CHECK_FALSE(crypto::verify_password(secret(std::string(510, 'x')), hash));
    CHECK_FALSE(crypto::verify_password(secret(std::string(510, 'x') + "y"), hash));
    CHECK_FALSE(crypto::verify_password(secret(std::string(512, 'x')), hash));
}

TEST_CASE("verify_password knows yescrypt, bcrypt and SHA-512 [crypt(5)]") {
    const char* const hashes[] = {
        "$y$j75$abcdefghijklmnopqrst./$hCYi0iOIKZX3Z2pDcYk8v.FyHlWzdpWmPas8yGqt2YC",
        "$2y$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG",
        "$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG",
        "$6$saltstring$qvPJY4PeugKzKQqyIJ0gRdJnpS0uaaiZ.X1SaheFedsK/yZPwlluTLS90fJPM41sD5JxCHKgGr1..qt5HqEY8.",
    };
    for (const std::string hash : hashes) {
        CAPTURE(hash);
        CHECK(crypto::verify_password(secret(kPassword), hash));
        CHECK_FALSE(crypto::verify_password(secret("correct horse battery stapled"), hash));
        std::string changed = hash;
        changed.back() = changed.back() == '.' ? '/' : '.';
        CHECK_FALSE(crypto::verify_password(secret(kPassword), changed));
        CHECK_FALSE(crypto::verify_password(secret(kPassword), hash.substr(0, hash.size() - 1)));
        CHECK_FALSE(crypto::verify_password(secret(kPassword), hash + "x"));
        CHECK_FALSE(crypto::verify_password(secret(kPassword), hash + std::string("\0", 1)));
        CHECK_FALSE(crypto::verify_password(secret(kPassword), hash.substr(0, hash.rfind('$') + 1)));
    }
}

TEST_CASE("verify_password refuses every other scheme of crypt(3), though the password is right") {
    const char* const hashes[] = {
        "abhfCpXqd4GrI",                                                   // DES: eight characters of a password
        "_J9..rasm7PjPNu72Ibk",                                            // BSDi DES
        "$1$saltsalt$BsXyQbZiQujHkdhwPwdol.",                              // MD5
        "$md5$salt$$ahd4BBLKLqr.UXk83Wvtv.",                               // Solaris MD5
        "$sha1$100$saltsalt$ke0DtM9xOB1dfBniv5lWR0npww3p",                 // NetBSD SHA-1
        "$5$saltstring$hixOXgchwauyzVtlSM/e7UnQx0qiTk74JE/YU53IbE0",       // SHA-256
        "$2a$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG",    // bcrypt with a history
        "$2x$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG",    // bcrypt with the bug
        "$7$CU..../....salt$STJ791c13ji3APrsvW9RwxnFIRw7lBKz2CF5BoF.hf4",  // scrypt
        "$gy$j75$abcdefghijklmnopqrst./$pcwKP/3ZrNeeWoD6Hmyp6QZ6aMvQksnOy2.iZrVi1.4",  // gost-yescrypt
    };
    for (const char* hash : hashes) {
        CAPTURE(hash);
        CHECK_FALSE(crypto::verify_password(secret(kPassword), hash));
    }
}

TEST_CASE("verify_password: a malformed or locked hash matches nothing, crypt's failure tokens least of all") {
    for (const char* hash : {"", "*", "*0", "*1", "!", "x", "$y$", "$y$j9T$", "$y$j9T$*$*", "$y$j9T", "$6$", "$2y$",
                             "$2y$99$", "$2b$04$short", "!$6$saltstring$x", "$apr1$salt$x", "{SHA}x", kPassword}) {
        for (const char* password : {kPassword, "*0", "*1", "x", "!"}) {
            CAPTURE(hash);
            CAPTURE(password);
            CHECK_FALSE(crypto::verify_password(secret(password), hash));
        }
    }
}

TEST_CASE("verify_password: bcrypt looks at 72 bytes, as the header says") {
    const std::string hash = "$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i";
    CHECK(crypto::verify_password(secret(std::string(80, 'x')), hash));
    CHECK(crypto::verify_password(secret(std::string(72, 'x')), hash));
    CHECK_FALSE(crypto::verify_password(secret(std::string(71, 'x')), hash));
}

TEST_CASE("verify_nothing costs what a verification costs [user enumeration, L08]") {
    const std::string hash = crypto::hash_password(secret(kPassword));
    const auto known = cost([&] { static_cast<void>(crypto::verify_password(secret("wrong"), hash)); });
    const auto unknown = cost([] { crypto::verify_nothing(secret("wrong")); });
    CHECK(unknown * 2 > known);
    CHECK(known * 2 > unknown);
    const std::string imported = "$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i";
    const auto cheap = cost([&] { static_cast<void>(crypto::verify_password(secret("wrong"), imported)); });
    const auto as_cheap = cost([&] { crypto::verify_nothing(secret("wrong"), imported); });
    CHECK(cheap * 3 < known);
    CHECK(as_cheap * 3 < known);
}
