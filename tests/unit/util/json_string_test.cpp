// Tests of lib/util/json_string.cpp.
#include "util/json_string.h"

#include <doctest/doctest.h>

using namespace postern::util;
using namespace std::string_view_literals;

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
