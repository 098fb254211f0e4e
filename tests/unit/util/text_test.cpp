// Tests of text: lib/util/text.cpp, utf8.cpp and percent.cpp.
#include "util/text.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "util/percent.h"
#include "util/utf8.h"

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

TEST_CASE("to_lower, to_upper: ASCII letters only") {
    CHECK(to_lower("AZaz[@`{09") == "azaz[@`{09");
    CHECK(to_lower("\xC3\x89") == "\xC3\x89");
    CHECK(to_upper("AZaz[@`{09") == "AZAZ[@`{09");
    CHECK(to_upper("\xC3\xA9") == "\xC3\xA9");
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

TEST_CASE("next_utf8: the first and last character of every length is read [RFC 3629 §4]") {
    struct Row {
        std::string_view bytes;
        char32_t code_point;
    };
    const Row rows[] = {
        {"\0"sv, 0},
        {"\x7F", 0x7F},
        {"\xC2\x80", 0x80},
        {"\xDF\xBF", 0x7FF},
        {"\xE0\xA0\x80", 0x800},
        {"\xED\x9F\xBF", 0xD7FF},
        {"\xEE\x80\x80", 0xE000},
        {"\xEF\xBF\xBF", 0xFFFF},
        {"\xF0\x90\x80\x80", 0x10000},
        {"\xF4\x8F\xBF\xBF", 0x10FFFF},
    };
    for (const Row& row : rows) {
        CAPTURE(row.bytes);
        const std::string followed = std::string(row.bytes) + "x";
        const Utf8Step step = next_utf8(followed);
        REQUIRE(step.code_point);
        CHECK(*step.code_point == row.code_point);
        CHECK(step.length == row.bytes.size());
    }
}

TEST_CASE("next_utf8: what is no character is skipped up to the byte that shows it [RFC 3629 §3]") {
    struct Row {
        const char* what;
        std::string_view bytes;
        std::size_t length;
    };
    const Row rows[] = {
        {"stray continuation", "\x80x", 1},
        {"overlong of two", "\xC0\xAF", 1},
        {"overlong of two, highest", "\xC1\xBF", 1},
        {"overlong of three", "\xE0\x9F\xBF", 1},
        {"surrogate U+D800", "\xED\xA0\x80", 1},
        {"surrogate U+DFFF", "\xED\xBF\xBF", 1},
        {"overlong of four", "\xF0\x8F\xBF\xBF", 1},
        {"above U+10FFFF", "\xF4\x90\x80\x80", 1},
        {"lead byte of five", "\xF8\x88\x80\x80\x80", 1},
        {"0xFF", "\xFF", 1},
        {"cut short by the end", "\xE2\x82", 2},
        {"cut short by a letter", "\xF0\x9F\x98x", 3},
        {"lead byte alone", "\xC3", 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Utf8Step step = next_utf8(row.bytes);
        CHECK_FALSE(step.code_point);
        CHECK(step.length == row.length);
    }
}

TEST_CASE("valid_utf8_prefix: ends at the first byte that is none") {
    CHECK(valid_utf8_prefix("") == 0);
    CHECK(valid_utf8_prefix("gr\xC3\xBC\xC3\x9F"
                            "e") == 7);
    CHECK(valid_utf8_prefix("ab\xFF"
                            "cd") == 2);
    CHECK(valid_utf8_prefix("ab\xE2\x82") == 2);
}

TEST_CASE("is_control and is_bidi_control: the ranges and their neighbours") {
    for (const char32_t in : {U'\x00', U'\x1F', U'\x7F', U'\x80', U'\x9F'}) CHECK(is_control(in));
    for (const char32_t out : {U'\x20', U'\x7E', U'\xA0'}) CHECK_FALSE(is_control(out));
    for (const char32_t in : {U'\x061C', U'\x200E', U'\x200F', U'\x202A', U'\x202E', U'\x2066', U'\x2069'})
        CHECK(is_bidi_control(in));
    for (const char32_t out : {U'\x061B', U'\x061D', U'\x200D', U'\x2010', U'\x2029', U'\x202F', U'\x2065', U'\x206A'})
        CHECK_FALSE(is_bidi_control(out));
}

TEST_CASE("form_decode: once and strictly [RFC 6749 §B]") {
    struct Row {
        std::string_view text;
        std::string decoded;
    };
    const Row rows[] = {{"", ""},
                        {"a+b", "a b"},
                        {"a%2Bb%2bc", "a+b+c"},
                        {"%41%7a", "Az"},
                        {"%2500", "%00"},  // decoded once
                        {"%252f", "%2f"},
                        {"%00", std::string(1, '\0')},
                        {"%ff", "\xFF"}};
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(form_decode(row.text) == row.decoded);
    }
    for (const char* text : {"%", "%4", "ab%", "ab%4", "%zz", "%4g", "%g4", "%u0041", "% 41", "%+1", "%%41"}) {
        CAPTURE(text);
        CHECK_FALSE(form_decode(text));
    }
}

TEST_CASE("form_decode, percent_decode: never read behind the view they were given") {
    const std::string_view cut = std::string_view("%41").substr(0, 2);
    CHECK_FALSE(form_decode(cut));
    CHECK_FALSE(percent_decode(cut));
    CHECK_FALSE(percent_byte(cut, 0));
}

TEST_CASE("percent_decode: once and strictly, and a plus sign is one [RFC 3986 §2.1]") {
    CHECK(percent_decode("") == "");
    CHECK(percent_decode("a+b%2B%41%7a") == "a+b+Az");
    CHECK(percent_decode("%2500%ff") == "%00\xFF");
    for (const char* text : {"%", "ab%4", "%zz", "%4g", "%+1", "%%41"}) {
        CAPTURE(text);
        CHECK_FALSE(percent_decode(text));
    }
    CHECK(percent_byte("/%2f", 1) == '/');
    CHECK_FALSE(percent_byte("/%2f", 2));
    CHECK_FALSE(percent_byte("/%2f", 4));
}

TEST_CASE("percent_encode: only unreserved characters stay [RFC 3986 §2.3]") {
    CHECK(percent_encode("AZaz09-._~") == "AZaz09-._~");
    CHECK(percent_encode(" +&=#%?/:\"<>\\") == "%20%2B%26%3D%23%25%3F%2F%3A%22%3C%3E%5C");
    CHECK(percent_encode("\0\r\n\x7F\xC3\xA9"sv) == "%00%0D%0A%7F%C3%A9");
}

TEST_CASE("percent_encode: form_decode gives every byte back") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    CHECK(form_decode(percent_encode(all)) == all);
}

TEST_CASE("json_string: one literal on one line, inert in HTML [RFC 8259 §7]") {
    struct Row {
        std::string_view text;
        const char* literal;
    };
    const Row rows[] = {
        {"", R"("")"},
        {"plain /~'", R"("plain /~'")"},
        {"a\"b\\c", R"("a\"b\\c")"},
        {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
        {"\0\x01\x1F\x7F"sv, R"("\u0000\u0001\u001f\u007f")"},
        {"</script>&", R"("\u003c/script\u003e\u0026")"},
        {"\xC2\x85\xC2\x9B", R"("\u0085\u009b")"},                     // NEL, CSI
        {"\xE2\x80\xA8\xE2\x80\xA9", R"("\u2028\u2029")"},             // line and paragraph separator
        {"\xE2\x80\xAE", R"("\u202e")"},                               // right-to-left override
        {"\xC3\xA9\xF0\x9F\x98\x80", "\"\xC3\xA9\xF0\x9F\x98\x80\""},  // other characters stay themselves
        {"a\xFF"
         "b\xE2\x82",
         "\"a\xEF\xBF\xBD"
         "b\xEF\xBF\xBD\""},  // not UTF-8
    };
    for (const Row& row : rows) {
        CAPTURE(row.literal);
        std::string text = "text: ";
        append_json_string(text, row.text);
        CHECK(text == std::string("text: ") + row.literal);
    }
}
