// Tests of lib/util/text.cpp.
#include "util/text.h"

#include <doctest/doctest.h>

#include <limits>

using namespace postern::util;
using namespace std::string_view_literals;

TEST_CASE("is_utf8: whole texts only [RFC 3629]") {
    CHECK(is_utf8(""));
    CHECK(is_utf8("Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x94\x91"));
    CHECK(is_utf8("a\0b"sv));
    for (const auto bad : {"\xFF"sv, "\xC0\xAF"sv, "\xED\xA0\x80"sv, "ok\xC3"sv, "\xC3ok"sv, "\xF4\x90\x80\x80"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(is_utf8(bad));
    }
}

TEST_CASE("has_control_bytes: below 0x20 and 0x7F, wherever they stand") {
    for (const auto with : {"\0"sv, "a\x01"sv,
                            "\x1F"
                            "a"sv,
                            "a\tb"sv, "a\r"sv, "\n"sv, "a\x7F"sv}) {
        CHECK(has_control_bytes(with));
    }
    for (const auto without : {""sv, " ~"sv, "\xC3\xA9"sv, "\xC2\x85"sv}) CHECK_FALSE(has_control_bytes(without));
}

TEST_CASE("is_vschar: %x20-7E [RFC 6749 appendix A]") {
    CHECK(is_vschar(""));
    CHECK(is_vschar(" !\"\\~"));
    for (const auto bad : {"\x1F"sv, "\x7F"sv, "\x80"sv, "\xC3\xA9"sv, "a\0"sv, "a\n"sv}) CHECK_FALSE(is_vschar(bad));
}

TEST_CASE("split: keeps empty pieces") {
    using Pieces = std::vector<std::string_view>;
    CHECK(split("", ' ') == Pieces{""});
    CHECK(split("a", ' ') == Pieces{"a"});
    CHECK(split("a b", ' ') == Pieces{"a", "b"});
    CHECK(split(" a  b ", ' ') == Pieces{"", "a", "", "b", ""});
    CHECK(split("a b", '&') == Pieces{"a b"});
}

TEST_CASE("parse_digits: decimal digits up to the limit, nothing else [A16]") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(parse_digits("0", 0) == 0);
    CHECK(parse_digits("007", 10) == 7);
    CHECK(parse_digits("65535", 65535) == 65535);
    CHECK(parse_digits("9223372036854775807", kMost) == kMost);
    CHECK_FALSE(parse_digits("65536", 65535));
    CHECK_FALSE(parse_digits("1", 0));
    for (const auto text : {"9223372036854775808"sv, "99999999999999999999"sv, ""sv, "+5"sv, "-1"sv, " 5"sv, "5 "sv,
                            "0x10"sv, "1e1"sv, "300x"sv, "5\0"sv}) {
        CAPTURE(text);
        CHECK_FALSE(parse_digits(text, kMost));
    }
}

TEST_CASE("to_lower: ASCII letters only") {
    CHECK(to_lower("AZaz[@`{09") == "azaz[@`{09");
    CHECK(to_lower("\xC3\x89") == "\xC3\x89");
}

TEST_CASE("trim: spaces and tabs at both ends, inner ones stay") {
    CHECK(trim(" \ta b\t ") == "a b");
    CHECK(trim(" \t ").empty());
    CHECK(trim("").empty());
    CHECK(trim("\na\n") == "\na\n");
}

TEST_CASE("displayable: a name cannot reorder or break the sentence around it") {
    struct Row {
        std::string_view text;
        const char* shown;
    };
    const Row rows[] = {
        {"Zo\xC3\xAB O'Neill", "Zo\xC3\xAB O'Neill"},
        {"a\0b\nc\x7F"
         "d"sv,
         "abcd"},
        {"a\xC2\x85"
         "b",
         "ab"},
        {"a\xE2\x80\xAE"
         "b\xE2\x81\xA9"
         "c\xD8\x9C"
         "d\xE2\x80\x8F",
         "abcd"},
        {"a\xE2\x80\x8D"
         "b",
         "a\xE2\x80\x8D"
         "b"},           // zero-width joiner: emoji need it
        {"<b>", "<b>"},  // escaping is the page's business
        {"a\xFF", "a\xEF\xBF\xBD"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.shown);
        CHECK(displayable(row.text) == row.shown);
    }
}

TEST_CASE("parse_port: 1 to 65535 in its only spelling") {
    CHECK(parse_port("1") == 1);
    CHECK(parse_port("443") == 443);
    CHECK(parse_port("65535") == 65535);
    for (const char* text : {"", "0", "080", "65536", "+80", "-1", "80 ", "8o", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_port(text));
    }
}

TEST_CASE("is_letter, is_digit: ASCII and nothing else") {
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        CHECK(is_letter(c) == (letters.find(c) != std::string_view::npos));
        CHECK(is_digit(c) == (std::string_view("0123456789").find(c) != std::string_view::npos));
    }
}
