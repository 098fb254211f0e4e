// Which times, audiences and names of JWTs of others are good (KEY-7, KEY-8, JTI-5).
#include "jose/foreign_claims.h"

#include <doctest/doctest.h>

#include <string>

#include "json/reader.h"

using namespace postern;
using util::Seconds;

namespace {

constexpr util::Time kNow = util::from_epoch(1'800'000'000);

json::Object object(const std::string& text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return std::move(*value->if_object());
}

std::string at(int seconds) { return std::to_string(1'800'000'000 + seconds); }

}  // namespace

TEST_CASE(
    "foreign claims: times are numbers, and a clock may be off a little [KEY-7, RFC 7519 §4.1.4, §4.1.5, §4.1.6]") {
    struct Row {
        std::string claims;
        const char* fault;
        bool is_of_clocks = false;
    };
    const Row rows[] = {
        {"{}", ""},
        {R"({"exp":)" + at(1) + "}", ""},
        {R"({"exp":)" + at(-9) + "}", ""},
        {R"({"exp":)" + at(-9) + ".9}", ""},
        {R"({"exp":)" + at(-10) + "}", "expired 10 s ago by the clock of this server", true},
        {R"({"exp":)" + at(-10) + ".9}", "expired 10 s ago", true},
        {R"({"exp":)" + at(-310) + R"(,"iat":)" + at(-370) + "}",
         "expired 310 s ago by the clock of this server, and its "
         "\"iat\" is 370 s ago",
         true},
        {R"({"exp":)" + at(-10) + R"(,"iat":"x"})", "\"iat\" is not a time"},
        {R"({"exp":"1800000100"})", "not a time"},
        {R"({"exp":null})", "not a time"},
        {R"({"exp":-1})", "not a time"},
        {R"({"exp":-0.5})", "not a time"},
        {R"({"exp":9007199254740991})", ""},
        {R"({"exp":9007199254740992})", "not a time"},
        {R"({"exp":1e300})", "not a time"},
        {R"({"exp":1.8000001e9})", ""},
        {R"({"iat":)" + at(30) + "}", ""},
        {R"({"iat":)" + at(31) + "}", "\"iat\" is 31 s ahead", true},
        {R"({"iat":0})", ""},
        {R"({"iat":true})", "not a time"},
        {R"({"nbf":)" + at(30) + ".5}", ""},
        {R"({"nbf":)" + at(31) + "}", "\"nbf\" is 31 s ahead", true},
        {R"({"nbf":[1]})", "not a time"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.claims);
        const auto checked = jose::check_times(object(row.claims), kNow, Seconds(30));
        const std::string fault = checked ? std::string() : checked.error().detail;
        CAPTURE(fault);
        CHECK(static_cast<bool>(checked) == std::string(row.fault).empty());
        CHECK(fault.find(row.fault) != std::string::npos);
        if (!checked) CHECK(checked.error().is_of_clocks == row.is_of_clocks);
    }
}

TEST_CASE("foreign claims: an audience is a string or an array of strings [KEY-8, RFC 7519 §4.1.3]") {
    CHECK(jose::find_audience(object(R"({"aud":"a"})"))->values == std::vector<std::string>{"a"});
    CHECK_FALSE(jose::find_audience(object(R"({"aud":"a"})"))->is_array);
    CHECK(jose::find_audience(object(R"({"aud":["a","b"]})"))->values == std::vector<std::string>{"a", "b"});
    CHECK(jose::find_audience(object(R"({"aud":["a"]})"))->is_array);
    for (const char* claims : {"{}", R"({"aud":[]})", R"({"aud":[1]})", R"({"aud":["a",null]})", R"({"aud":{}})"}) {
        CAPTURE(claims);
        CHECK_FALSE(jose::find_audience(object(claims)));
    }
}

TEST_CASE("foreign claims: jti is a string of 1 to 256 bytes, compared after unescaping [JTI-5]") {
    const auto jti = [](const std::string& value) {
        const auto claims = object(R"({"jti":)" + value + "}");
        const std::string* found = jose::find_jti(claims);
        return found != nullptr ? std::optional(*found) : std::nullopt;
    };
    CHECK(jti("\"a\"") == "a");
    CHECK(jti("\"\\u0061\"") == "a");
    CHECK(jti('"' + std::string(256, 'j') + '"') == std::string(256, 'j'));
    CHECK_FALSE(jti('"' + std::string(257, 'j') + '"'));
    CHECK_FALSE(jti("\"\""));
    CHECK_FALSE(jti("1"));
    CHECK_FALSE(jti("null"));
    CHECK(jose::find_jti(object("{}")) == nullptr);
}
