// Tests of lib/json/reader.cpp.
#include "json/reader.h"

#include <doctest/doctest.h>

#include "json/writer.h"
#include "util/text.h"

using namespace postern;
using namespace postern::json;
using namespace std::string_view_literals;

namespace {

/// What was read, written again; or the reason.
std::string read(std::string_view text, Dialect dialect = Dialect::strict, const Limits& limits = {}) {
    const auto value = parse(text, dialect, limits);
    return value ? write(*value) : "refused: " + value.error().reason;
}

struct Row {
    std::string_view text;
    const char* result;
};

void check(std::initializer_list<Row> rows, Dialect dialect = Dialect::strict) {
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(read(row.text, dialect) == row.result);
    }
}

std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    while (times-- > 0) out += text;
    return out;
}

}  // namespace

TEST_CASE("parse: every type of value, as root too [RFC 8259 §2]") {
    check({
        {"null", "null"},
        {" true ", "true"},
        {"false", "false"},
        {"\"\"", "\"\""},
        {"[]", "[]"},
        {"{}", "{}"},
        {"\t\r\n[ 1 , \"a\" , { \"b\" : null } ] ", R"([1,"a",{"b":null}])"},
        {R"({"z":1,"a":{"y":[],"x":{}}})", R"({"z":1,"a":{"y":[],"x":{}}})"},
    });
}

TEST_CASE("parse: strings come unescaped") {
    const auto value = parse(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00")");
    REQUIRE(value);
    CHECK(*value->if_string() == "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST_CASE("parse: text that is not JSON is refused [RFC 8259]") {
    for (const auto bad : {""sv,
                           // clang-format off
                           "  "sv, "nul"sv, "True"sv, "NaN"sv, "Infinity"sv, "-Infinity"sv, "'a'"sv, "a"sv, "{"sv,
                           "}"sv, "["sv, "]"sv, "[1"sv, "[1 2]"sv, "[,]"sv, "{\"a\"}"sv, "{\"a\":}"sv, "{\"a\" 1}"sv,
                           "{a:1}"sv, "{1:1}"sv, "{\"a\":1 \"b\":2}"sv, "\"a"sv, "\"\\x\""sv, "\"\\u12\""sv,
                           "\"\\u12g4\""sv, "\"a\nb\""sv, "\"a\tb\""sv, "[1}"sv, "{\"a\":1]"sv,
                           // clang-format on
                           "\xC2\xA0"
                           "1"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(parse(bad));
        CHECK_FALSE(parse(bad, Dialect::relaxed));
    }
}

TEST_CASE("parse: one value and nothing behind it") {
    check({
        {"{} {}", "refused: text after the value"},
        {"1 2", "refused: text after the value"},
        {"{}x", "refused: text after the value"},
        {"{}\0"sv, "refused: a NUL byte"},
        {"{}\0{"sv, "refused: a NUL byte"},
    });
}

TEST_CASE("parse: bytes that are not clean UTF-8 text are refused [RFC 8259 §8.1, RFC 8725 §3.7]") {
    check({
        {"\xEF\xBB\xBF{}", "refused: a byte order mark"},
        {"\xFF\xFE{\0}\0"sv, "refused: a NUL byte"},
        {"\"a\0b\""sv, "refused: a NUL byte"},
        {"\"\xFF\"", "refused: not UTF-8"},
        {"\"\xC0\xAF\"", "refused: not UTF-8"},
        {"\"\xED\xA0\x80\"", "refused: not UTF-8"},
        {"{\"\xC3\":1}", "refused: not UTF-8"},
        {"// \xFF\n1", "refused: not UTF-8"},
    });
    CHECK(read("// \xFF\n1", Dialect::relaxed) == "refused: not UTF-8");
}

TEST_CASE("parse: lone surrogates and escaped NUL are refused in names and values [RFC 8259 §8.2, X15]") {
    check({
        {R"("\ud83d")", "refused: a lone surrogate in a string"},
        {R"("\ud83dx")", "refused: a lone surrogate in a string"},
        {R"("\ud83d\u0041")", "refused: a lone surrogate in a string"},
        {R"("\udc00")", "refused: a lone surrogate in a string"},
        {R"("\ude00\ud83d")", "refused: a lone surrogate in a string"},
        {R"({"\udc00":1})", "refused: a lone surrogate in a string"},
        {R"("a\u0000")", "refused: NUL in a string"},
        {R"({"a\u0000":1})", "refused: NUL in a string"},
        {R"("\u0001")", R"("\u0001")"},
    });
}

TEST_CASE(
    "parse: a name that is there twice is refused, however it is spelled [RFC 8259 §4, RFC 8725 §2.4, J09, G08]") {
    check({
        {R"({"a":1,"a":1})", "refused: a duplicate member name"},
        {R"({"a":1,"\u0061":2})", "refused: a duplicate member name"},
        {R"({"x":{"a":1,"b":2,"a":3}})", "refused: a duplicate member name"},
        {R"([{"":1,"":2}])", "refused: a duplicate member name"},
        {R"({"a":1,"A":2,"a ":3})", R"({"a":1,"A":2,"a ":3})"},
        {R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})", R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})"},
    });
    // The configuration is the operator's own text: the name is said, unless it could garble the message.
    check({{R"({"issuer":1,"issuer":2})", "refused: duplicate member \"issuer\""},
           {R"({"a\n":1,"a\n":2})", "refused: a duplicate member name"}},
          Dialect::relaxed);
}

TEST_CASE("parse: an integer keeps its value or is refused") {
    check({
        {"0", "0"},
        {"-0", "0"},
        {"9007199254740993", "9007199254740993"},
        {"4294967296", "4294967296"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "refused: an integer beyond 64 bits"},
        {"18446744073709551615", "refused: an integer beyond 64 bits"},
        {"18446744073709551616", "refused: an integer beyond 64 bits"},
        {"-9223372036854775809", "refused: an integer beyond 64 bits"},
        {"[100000000000000000000000000000]", "refused: an integer beyond 64 bits"},
    });
    for (const auto bad : {"01"sv, "-01"sv, "+1"sv, "-"sv, "0x10"sv, "--1"sv, "1_000"sv}) CHECK_FALSE(parse(bad));
}

TEST_CASE("parse: a fraction or an exponent makes a double, which is finite [G08]") {
    struct NumberRow {
        const char* text;
        double number;
    };
    const NumberRow rows[] = {
        {"0.1", 0.1},       {"-2.5e3", -2500}, {"1.0", 1},
        {"1e2", 100},       {"1E+2", 100},     {"1.7976931348623157e308", 1.7976931348623157e308},
        {"5e-324", 5e-324}, {"0e99", 0},       {"123456789012345678901234567890.0", 123456789012345678901234567890.0},
    };
    for (const NumberRow& row : rows) {
        CAPTURE(row.text);
        const auto value = parse(row.text);
        REQUIRE(value);
        REQUIRE(value->if_number() != nullptr);
        CHECK(*value->if_number() == row.number);
    }
    check({
        {"1e309", "refused: a number beyond the range of a double"},
        {"-1e999", "refused: a number beyond the range of a double"},
        {"1e999999999999", "refused: a number beyond the range of a double"},
        {"1e-2147483648", "refused: a number beyond the range of a double"},
        {"1e-99999999999999999999", "refused: a number beyond the range of a double"},
        {"1.", "refused: no digit after the decimal point"},
        {"1.e5", "refused: no digit after the decimal point"},
        {"1e", "refused: no digit in the exponent"},
        {"1e+", "refused: no digit in the exponent"},
    });
    CHECK_FALSE(parse(".5"));
    CHECK(read("0." + std::string(5000, '0') + "1e-2147483647") == "refused: a number beyond the range of a double");
}

TEST_CASE("parse: comments and trailing commas are for the configuration only") {
    const Row rows[] = {
        {"{\"a\":1,}", R"({"a":1})"},
        {"[1,]", "[1]"},
        {"/* c */ {// d\n\"a\" /**/ : 1} // e", R"({"a":1})"},
        {"# x\n1", "refused: not a JSON value"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(read(row.text, Dialect::relaxed) == row.result);
        CHECK_FALSE(parse(row.text));
    }
    check({{"[\"// no comment\",\"/* none */\"]", R"(["// no comment","/* none */"])"}}, Dialect::relaxed);
    for (const auto bad :
         {"{,}"sv, "[,1]"sv, "[1,,]"sv, "{\"a\":1,,}"sv, "{} /* open"sv, "1 /"sv, ","sv, "1,"sv, "// only"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(parse(bad, Dialect::relaxed));
    }
}

TEST_CASE("parse: limits hold at their last value and not one beyond it [G08]") {
    const Limits bytes{.bytes = 4, .depth = 16, .nodes = 16};
    CHECK(read("1234", Dialect::strict, bytes) == "1234");
    CHECK(read("12345", Dialect::strict, bytes) == "refused: longer than 4 bytes");
    CHECK(read("1    ", Dialect::strict, bytes) == "refused: longer than 4 bytes");

    const Limits depth{.bytes = 64, .depth = 2, .nodes = 16};
    CHECK(read(R"([{"a":1}])", Dialect::strict, depth) == R"([{"a":1}])");
    CHECK(read(R"([[],[],[]])", Dialect::strict, depth) == "[[],[],[]]");
    CHECK(read(R"([{"a":[]}])", Dialect::strict, depth) == "refused: nested more than 2 deep");
    CHECK(read(R"({"a":{"b":{}}})", Dialect::strict, depth) == "refused: nested more than 2 deep");

    const Limits nodes{.bytes = 64, .depth = 16, .nodes = 3};
    CHECK(read("[1,2]", Dialect::strict, nodes) == "[1,2]");
    CHECK(read("[1,2,3]", Dialect::strict, nodes) == "refused: more than 3 values");
    CHECK(read("[[],{}]", Dialect::strict, nodes) == "[[],{}]");
    CHECK(read("[[],{},[]]", Dialect::strict, nodes) == "refused: more than 3 values");
}

TEST_CASE("parse: deep nesting costs no stack, under any limit [G08]") {
    const Limits wide{.bytes = 4'000'000, .depth = 1000, .nodes = 4'000'000};
    CHECK(read(repeat("[", 1'000'000), Dialect::strict, wide) == "refused: nested more than 1000 deep");
    CHECK(read(repeat("{\"a\":", 500'000), Dialect::strict, wide) == "refused: nested more than 1000 deep");
}

TEST_CASE("parse: an error says where it is, line and column from 1") {
    struct PlaceRow {
        std::string_view text;
        std::size_t line;
        std::size_t column;
    };
    const PlaceRow rows[] = {
        {"x", 1, 1},
        {"[1,\n  x]", 2, 3},
        {"{\n\n\"a\": 1\n\"b\": 2}", 4, 1},
        {"[\r\n 99999999999999999999]", 2, 2},
        {"\n\xEF\xBB\xBF", 2, 1},
        {"[\"\n", 1, 3},
        {"[\n\"\xFF\"]", 2, 2},
        {"[1", 1, 3},
    };
    for (const PlaceRow& row : rows) {
        CAPTURE(row.text);
        const auto value = parse(row.text);
        REQUIRE_FALSE(value);
        CHECK(value.error().line == row.line);
        CHECK(value.error().column == row.column);
    }
}

TEST_CASE("parse: a reason is ASCII and never holds text of the input") {
    for (const auto bad :
         {"{\"hunter2\":1,\"hunter2\":2}"sv, "[hunter2]"sv, "\"hunter2"sv, "{\"hunter2\":hunter2}"sv, "hunter2"sv}) {
        CAPTURE(bad);
        const auto value = parse(bad);
        REQUIRE_FALSE(value);
        CHECK(value.error().reason.find("hunter2") == std::string::npos);
        CHECK(util::is_vschar(value.error().reason));
    }
}
