#include "factor/typed_code.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;
using factor::CodeKind;

TEST_CASE("parse_code: six or sixteen digits, whatever stands between them [TOTP-8] [CODE-1]") {
    struct Row {
        std::string typed;
        CodeKind kind;
        const char* digits = "";
    };
    const Row rows[] = {
        {"123456", CodeKind::app, "123456"},
        {"123 456", CodeKind::app, "123456"},
        {" 000-000\t", CodeKind::app, "000000"},
        {"123\xC2\xA0"
         "456",
         CodeKind::app, "123456"},
        {"123\xE2\x80\x93"
         "456",
         CodeKind::app, "123456"},
        {"1234 5678 9012 3456", CodeKind::recovery, "1234567890123456"},
        {"1234-5678-9012-3456", CodeKind::recovery, "1234567890123456"},
        {"1234567890123456", CodeKind::recovery, "1234567890123456"},
        {"\u200b123456\ufeff", CodeKind::app, "123456"},
        {"\u200e123\u2003456\u200f", CodeKind::app, "123456"},
        {"123\u2014456", CodeKind::app, "123456"},
        {"1234\u00ad5678\u20119012\uff0d3456\r\n", CodeKind::recovery, "1234567890123456"},
        {"", CodeKind::none},
        {"   ", CodeKind::none},
        {"12345", CodeKind::none},
        {"1234567", CodeKind::none},
        {"123456789012345", CodeKind::none},
        {"12345678901234567", CodeKind::none},
        {"12345a", CodeKind::none},
        {"123.456", CodeKind::none},
        {"+123456", CodeKind::none},
        {std::string("123\0"
                     "456",
                     7),
         CodeKind::none},
        {"12345\xFF", CodeKind::none},
        {std::string(300, ' ') + "123456", CodeKind::none},
        {"\xD9\xA1\xD9\xA2\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6", CodeKind::app, "123456"},  // Arabic-Indic 1 to 6
        {"12345\xEF\xBC\x96", CodeKind::app, "123456"},                                 // full width 6
        {"\u06f0\u06f1\u06f2\u06f3 \u06f4\u06f5\u06f6\u06f7 \u06f8\u06f9\u06f0\u06f1 \u06f2\u06f3\u06f4\u06f5",
         CodeKind::recovery, "0123456789012345"},  // Persian
        {"\u200f\u0661\u0662\u0663 456\u200e", CodeKind::app, "123456"},
        {"\uff10\uff10\uff10\uff0d\uff19\uff19\uff19", CodeKind::app, "000999"},
        {"\xE0\xA5\xAF", CodeKind::none},  // Devanagari 9, alone
        {"\xE0\xA5\xB0", CodeKind::none},  // the sign behind it
        {"\xC2\xB2", CodeKind::none},      // superscript 2: not a digit
    };
    for (const Row& row : rows) {
        CAPTURE(row.typed);
        const auto code = factor::parse_code(row.typed);
        CHECK(code.kind == row.kind);
        CHECK(code.digits == row.digits);
    }
}
