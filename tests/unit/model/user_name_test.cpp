#include "model/user_name.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

TEST_CASE("is_user_name: what pages can show and people can type, of at most 128 bytes") {
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
    }
}
