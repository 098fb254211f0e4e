// Tests of lib/util/utf8.cpp.
#include "util/utf8.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern::util;
using namespace std::string_view_literals;

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
