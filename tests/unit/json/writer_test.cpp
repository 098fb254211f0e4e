// Tests of lib/json/writer.cpp.
#include "json/writer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "json/reader.h"

using namespace postern::json;

TEST_CASE("write: every type, compact, members in the order given [RFC 8259]") {
    struct Row {
        Value value;
        const char* text;
    };
    const Row rows[] = {
        {nullptr, "null"},
        {true, "true"},
        {false, "false"},
        {0, "0"},
        {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
        {std::numeric_limits<std::int64_t>::max(), "9223372036854775807"},
        {0.1, "0.1"},
        {2.0, "2.0"},
        {-0.0, "-0.0"},
        {1e300, "1e+300"},
        {"", R"("")"},
        {Array{}, "[]"},
        {Object{}, "{}"},
        {Array{1, "a", nullptr, Array{true}}, R"([1,"a",null,[true]])"},
        {Object{{"b", 1}, {"a", Object{{"x", Array{}}}}}, R"({"b":1,"a":{"x":[]}})"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(write(row.value) == row.text);
    }
}

TEST_CASE("write: names and strings are valid UTF-8 and inert in HTML [X15, X31]") {
    CHECK(write(Object{{"</a>\"", "</script>\xE2\x80\xA8\xFF"}}) ==
          "{\"\\u003c/a\\u003e\\\"\":\"\\u003c/script\\u003e\\u2028\xEF\xBF\xBD\"}");
}

TEST_CASE("write: a number that JSON cannot say is refused, not turned into something else") {
    for (const double bad :
         {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(write(Array{bad}), std::invalid_argument);
    }
}

TEST_CASE("write_pretty: two spaces a level and a newline at the end") {
    CHECK(write_pretty(Object{{"a", Array{1, 2}}, {"b", Object{}}, {"c", Object{{"d", nullptr}}}}) ==
          "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": {\n    \"d\": null\n  }\n}\n");
    CHECK(write_pretty("x") == "\"x\"\n");
}

TEST_CASE("write: what is written reads back the same") {
    const Value value = Object{{"i", std::int64_t{-9007199254740993}},
                               {"d", 1.0},
                               {"e", 5e-324},
                               {"s", "\"\\\n\x7F<\xF0\x9F\x98\x80"},
                               {"a", Array{Object{}, false}}};
    const auto compact = parse(write(value));
    const auto pretty = parse(write_pretty(value));
    REQUIRE(compact);
    REQUIRE(pretty);
    CHECK(write(*compact) == write(value));
    CHECK(write(*pretty) == write(value));
    CHECK(*compact->if_object()->find("s")->if_string() == "\"\\\n\x7F<\xF0\x9F\x98\x80");
    CHECK(*compact->if_object()->find("d")->if_number() == 1.0);
}
