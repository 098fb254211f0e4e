#include "oauth/user_code.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

using namespace postern;

TEST_CASE("make_user_code: eight letters of the alphabet, each about as often as the others [DEV-6, RFC 8628 §6.1]") {
    crypto::SeededRandom random("user codes");
    std::map<char, int> seen;
    std::set<std::string> codes;
    constexpr int kCodes = 2000;
    for (int i = 0; i < kCodes; ++i) {
        const std::string letters = oauth::make_user_code(random);
        REQUIRE(letters.size() == 8);
        codes.insert(letters);
        for (const char letter : letters) ++seen[letter];
    }
    CHECK(codes.size() == kCodes);
    CHECK(seen.size() == 20);
    for (const auto& [letter, times] : seen) {
        CAPTURE(letter);
        CHECK(oauth::kUserCodeAlphabet.find(letter) != std::string_view::npos);
        CHECK(times > 640);  // 800 are expected, with a deviation of 28
        CHECK(times < 960);
    }
}

TEST_CASE("parse_user_code: in any case, with whatever is not a letter between them [DEV-6, RFC 8628 §6.1]") {
    struct Row {
        const char* when;
        std::string typed;
        const char* letters;  ///< "": no code
    };
    const Row rows[] = {
        {"as it is shown", "WDJB-MJHT", "WDJBMJHT"},
        {"without the hyphen", "WDJBMJHT", "WDJBMJHT"},
        {"in lower case", "wdjb-mjht", "WDJBMJHT"},
        {"with blanks", " wDjB mJhT\t", "WDJBMJHT"},
        {"with the hyphen of a word processor", "WDJB\xe2\x80\x91MJHT", "WDJBMJHT"},
        {"with digits between", "W1D2J3B4M5J6H7T8", "WDJBMJHT"},
        {"of 64 bytes", "WDJBMJHT" + std::string(56, '-'), "WDJBMJHT"},
        {"longer", "WDJBMJHT" + std::string(57, '-'), ""},
        {"nothing", "", ""},
        {"a letter less", "WDJB-MJH", ""},
        {"a letter more", "WDJB-MJHTT", ""},
        {"a vowel", "WDJB-MJHA", ""},
        {"a letter that is not of the alphabet", "WDJB-MJHY", ""},
        {"letters of another script", "WDJB-MJH\xd0\xa2", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(oauth::parse_user_code(row.typed).value_or("") == row.letters);
    }
}

TEST_CASE("shown_user_code: two halves, which are read as they are shown [DEV-6]") {
    CHECK(oauth::shown_user_code("WDJBMJHT") == "WDJB-MJHT");
    CHECK(oauth::parse_user_code(oauth::shown_user_code("WDJBMJHT")) == "WDJBMJHT");
    CHECK(oauth::user_code_hash("WDJBMJHT") == oauth::user_code_hash(*oauth::parse_user_code("wdjb mjht")));
}
