#include "model/user.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE("is_user_name: what pages can show and users can type, of at most 128 bytes") {
    const std::pair<std::string, bool> rows[] = {
        {"alice", true},
        {"Alice Liddell", true},
        {"alice@EXAMPLE.ORG", true},
        {"/C=DE/CN=Alice", true},
        {"J\xc3\xb6rg", true},
        {std::string(128, 'a'), true},
        {std::string(129, 'a'), false},
        {"", false},
        {" ", false},
        {" alice", false},
        {"alice ", false},
        {"alice\t", false},
        {"al\nice", false},
        {std::string("al\0ice", 6), false},
        {"al\x7fice", false},
        {"J\xf6rg", false},
        {"alice\xe2\x80\xae", false},  // U+202E, right-to-left override
    };
    for (const auto& row : rows) {
        const std::string& name = row.first;
        const bool fits = row.second;
        CAPTURE(name);
        CHECK(model::is_user_name(name) == fits);
        CHECK(model::is_new_user_name(name) == fits);
    }
}

TEST_CASE("is_new_user_name: no invisible character; existing users with such a name keep it [RFC 8265 §3]") {
    const std::pair<std::string, bool> rows[] = {
        {"\u200b", false},        // zero width space
        {"\u00ad", false},        // soft hyphen
        {"\ufeff", false},        // byte order mark
        {"\u2060\u2060", false},  // word joiners
        {"\u3164", false},        // Hangul filler, a letter by its category
        {"\u034f", false},        // combining grapheme joiner
        {"\ufe0f", false},        // variation selector
        {"\U000e0041", false},    // tag
        {"\u2800", false},        // braille pattern without a dot
        {"\u00a0", false},        // no-break space
        {"\u3000\u2003", false},  // ideographic space, em space
        {"\u200d", false},        // joiner
        {"\ufeffalice", false},
        {"alice\ufeff", false},
        {"al\u00adice", false},
        {"ali\u200bce", false},
        {"\u00a0alice", false},
        {"alice\u2003", false},
        {"alice\u200d", false},
        {"\u200calice", false},
        {"Alice\u00a0Liddell", true},                    // seen as a blank
        {"\u0646\u0627\u0645\u200c\u0647\u0627", true},  // Persian, with the joiner that its spelling needs
        {"\u0d28\u0d4d\u200d\u0d30", true},              // Malayalam
        {"\u738b", true},
        {"\U0001f600", true},
    };
    for (const auto& row : rows) {
        const auto& name = row.first;
        const auto& fits = row.second;
        CAPTURE(name);
        CHECK(model::is_user_name(name));
        CHECK(model::is_new_user_name(name) == fits);
    }
}
