#include "factor/password_quality.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace postern;
using factor::find_password_flaw;
using factor::PasswordFlaw;
using factor::PasswordOwner;
using factor::PasswordRules;

namespace {

const PasswordOwner kAda{.username = "ada lovelace-byron",
                         .email = "countess.of.lovelace@analytical.example",
                         .issuer_host = "signin.engines.example"};
constexpr PasswordRules kLengthAlone{.min_length = 15};

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("password: has a length in code points, and one in bytes that is said first [PASSWORD-1]") {
    struct Row {
        const char* what;
        std::string password;
        std::optional<PasswordFlaw> flaw;
    };
    const Row rows[] = {
        {"none", "", PasswordFlaw::too_short},
        {"14 letters", std::string(14, 'x'), PasswordFlaw::too_short},
        {"15 letters", std::string(15, 'x'), {}},
        {"14 of two bytes", repeated("\xc3\xa4", 14), PasswordFlaw::too_short},
        {"15 of two bytes", repeated("\xc3\xa4", 15), {}},
        {"14 of four bytes", repeated("\xf0\x9f\x94\x91", 14), PasswordFlaw::too_short},
        {"15 of four bytes", repeated("\xf0\x9f\x94\x91", 15), {}},
        {"14 stray bytes", std::string(14, '\xff'), PasswordFlaw::too_short},
        {"15 stray bytes, which count as one each", std::string(15, '\xff'), {}},
        {"511 bytes", std::string(511, 'x'), {}},
        {"512 bytes", std::string(512, 'x'), PasswordFlaw::too_long},
        {"127 of four bytes", repeated("\xf0\x9f\x94\x91", 127), {}},
        {"128 of four bytes", repeated("\xf0\x9f\x94\x91", 128), PasswordFlaw::too_long},
        {"a NUL", std::string(15, 'x') + '\0', PasswordFlaw::untypable},
        {"a tab behind it", std::string(15, 'x') + '\t', PasswordFlaw::untypable},
        {"a line end in it", std::string(8, 'x') + "\r\n" + std::string(8, 'x'), PasswordFlaw::untypable},
        {"a byte order mark before it", "\ufeff" + std::string(15, 'x'), PasswordFlaw::untypable},
        {"a zero width space behind it", std::string(15, 'x') + "\u200b", PasswordFlaw::untypable},
        {"a joiner in it, as in a family of emoji", std::string(14, 'x') + "\U0001f468\u200d\U0001f467", {}},
        {"a blank behind it", std::string(15, 'x') + ' ', {}},
        {"blanks alone", std::string(15, ' '), {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(find_password_flaw(row.password, kLengthAlone, kAda) == row.flaw);
    }
    CHECK(find_password_flaw("sevenxx", {.min_length = 8}, kAda) == PasswordFlaw::too_short);
    CHECK(find_password_flaw("eight xx", {.min_length = 8}, kAda) == std::nullopt);
}

TEST_CASE("password: is not what the user or the site is called, letters folded [PASSWORD-2, L36]") {
    struct Row {
        const char* password;
        std::optional<PasswordFlaw> flaw;
    };
    const Row rows[] = {
        {"ada lovelace-byron", PasswordFlaw::user_name},
        {"Ada Lovelace-BYRON", PasswordFlaw::user_name},
        {"ada lovelace-byron ", {}},  // the whole is compared, never a part
        {" ada lovelace-byron", {}},
        {"ada lovelace_byron", {}},
        {"ada lovelace-byro", {}},
        {"countess.of.lovelace@analytical.example", PasswordFlaw::email},
        {"Countess.of.Lovelace@Analytical.example", PasswordFlaw::email},
        {"countess.of.lovelace@analytical.exampl", {}},
        {"countess.of.lovelace", PasswordFlaw::local_part},
        {"COUNTESS.OF.LOVELACE", PasswordFlaw::local_part},
        {"countess.of.lovelace@", {}},
        {"countess.of.lovelac", {}},
        {"analytical.example", {}},  // judged as a word, not as a whole
        {"signin.engines.example", PasswordFlaw::host},
        {"Signin.Engines.Example", PasswordFlaw::host},
        {"signin.engines.example.", {}},
        {"engines.example", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.password);
        CHECK(find_password_flaw(row.password, kLengthAlone, kAda) == row.flaw);
    }
    const PasswordOwner unknown{.username = "x"};
    CHECK(find_password_flaw("countess.of.lovelace", kLengthAlone, unknown) == std::nullopt);
    const PasswordOwner branded{.username = "x", .organisation = "Analytical Engines"};
    CHECK(find_password_flaw("analytical engines", kLengthAlone, branded) == PasswordFlaw::host);
    CHECK(find_password_flaw("analytical engine", kLengthAlone, branded) == std::nullopt);
    // Shorter ones are too short first.
    CHECK(find_password_flaw("x", kLengthAlone, unknown) == PasswordFlaw::too_short);
}

TEST_CASE("password: strength is estimated with what is known of the user [PASSWORD-2, L36]") {
    if (!factor::estimates_password_strength()) {
        CHECK(find_password_flaw("aaaaaaaaaaaaaaaaaaaa", {.min_length = 15, .min_strength = 40}, kAda) == std::nullopt);
        return;
    }
    struct Row {
        const char* password;
        bool is_guessable;
    };
    const Row rows[] = {
        {"correct horse battery staple", false}, {"four words in a row", false},
        {"aaaaaaaaaaaaaaaaaaaa", true},          {"passwordpassword", true},
        {"Password123!Password123!", true},      {"qwertyuiopasdfgh", true},
        {"abcdefghijklmnopqrstuvwxyz", true},    {"signin.engines.example1", true},
        {"ada lovelace-byron1", true},           {"lovelace analytical", true},
        {"engines signin engines", true},        {"kq0v 7xhz pw2m t9", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.password);
        const auto flaw = find_password_flaw(row.password, {.min_length = 15, .min_strength = 40}, kAda);
        CHECK(flaw == (row.is_guessable ? std::optional(PasswordFlaw::guessable) : std::nullopt));
        CHECK(find_password_flaw(row.password, kLengthAlone, kAda) == std::nullopt);  // 0: not looked at
    }
    // The same password of a user of whom nothing is known.
    const PasswordOwner stranger{.username = "somebody"};
    const char* const own = "countess.of.lovelace of analytical";
    CHECK(*factor::password_strength(own, {}) >
          *factor::password_strength(own, {"countess.of.lovelace", "analytical"}));
    // The bound itself: as many bits as demanded are enough.
    const double bits = *factor::password_strength("correct horse battery staple", {});
    const int whole = static_cast<int>(bits);
    CHECK_FALSE(
        find_password_flaw("correct horse battery staple", {.min_length = 15, .min_strength = whole}, stranger));
    CHECK(find_password_flaw("correct horse battery staple", {.min_length = 15, .min_strength = whole + 1}, stranger) ==
          PasswordFlaw::guessable);
}

TEST_CASE("password: the longest ones are estimated too, whatever bytes they have [PASSWORD-1]") {
    if (!factor::estimates_password_strength()) return;
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    for (const std::string& password :
         {std::string(511, 'a'), repeated("ab", 255), all + all, std::string(511, '\xff')})
        CHECK(factor::password_strength(password, {"word", "", "\xff"}).has_value());
}

TEST_CASE("password: each flaw has a word for the log [PASSWORD-4]") {
    CHECK(factor::to_string(PasswordFlaw::too_short) == "too_short");
    CHECK(factor::to_string(PasswordFlaw::listed) == "listed");
    CHECK(factor::to_string(PasswordFlaw::guessable) == "guessable");
}
