// Tests of lib/http/params.cpp.
#include "http/params.h"

#include <doctest/doctest.h>

using namespace postern::http;
using namespace std::string_view_literals;

namespace {

Params parsed(std::string_view text) {
    auto params = Params::parse(text, 64);
    REQUIRE(params);
    return *params;
}

std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    while (times-- > 0) out += text;
    return out;
}

}  // namespace

TEST_CASE("Params: values are decoded once [RFC 6749 appendix B]") {
    struct Row {
        std::string_view text;
        const char* value;
    };
    const Row rows[] = {
        {"p=v", "v"},         {"p=a+b", "a b"},
        {"p=a%2Bb", "a+b"},   {"p=%2500", "%00"},
        {"p=a=b==", "a=b=="}, {"p=a%26b%3Dc", "a&b=c"},
        {"%70=v", "v"},       {"x=1&p=v&y=2", "v"},
        {"p=a;q=b", "a;q=b"}, {"p=%E5%98%8A%E5%98%8D", "\xE5\x98\x8A\xE5\x98\x8D"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(parsed(row.text).find("p") == std::string(row.value));
        CHECK_FALSE(parsed(row.text).fault_of("p"));
    }
}

TEST_CASE("Params: an empty value counts as absent and is not a fault [RFC 6749 §3.1f, §3.2, X12]") {
    for (const auto text :
         {""sv, "p"sv, "p="sv, "&p=&"sv, "=v"sv, "&"sv, "&&&"sv, "="sv, "=&="sv, "P=v"sv, "p+=v"sv, "pp=v"sv}) {
        CAPTURE(text);
        CHECK_FALSE(parsed(text).find("p"));
        CHECK_FALSE(parsed(text).fault_of("p"));
    }
    const Params params = parsed("scope=&state=&foo=bar&=x&&&");
    CHECK(params.find("foo") == "bar");
    CHECK_FALSE(params.find("scope"));
    CHECK_FALSE(params.find(""));
}

TEST_CASE("Params: a name given twice has no value, equal or empty ones included [RFC 6749 §3.1, §3.2, X10]") {
    for (const auto text : {"p=a&p=b"sv, "p=a&p=a"sv, "p=a&x=1&p=a"sv, "p=a&%70=b"sv, "p=a&p="sv, "p=&p=a"sv, "p&p"sv,
                            "p=a&p=b&p=c"sv, "p=%zz&p=a"sv, "p=a&p=%zz"sv}) {
        CAPTURE(text);
        const Params params = parsed(text);
        CHECK_FALSE(params.find("p"));
        CHECK(params.fault_of("p") == ParamFault::duplicate);
    }
}

TEST_CASE(
    "Params: a value with broken encoding, control bytes or bytes that are not UTF-8 is malformed [RFC 6749 §10.14]") {
    for (const auto text : {"p=%"sv, "p=%4"sv, "p=%zz"sv, "p=%u0041"sv, "p=a%"sv, "p=a%00"sv, "p=%00"sv,
                            "p=a%0d%0aSet-Cookie:x"sv, "p=%0a"sv, "p=%09"sv, "p=%1f"sv, "p=%7f"sv, "p=%ff"sv,
                            "p=%c0%af"sv, "p=%ed%a0%80"sv, "p=a\nb"sv, "p=a\0b"sv, "p=\xFF"sv}) {
        CAPTURE(text);
        const Params params = parsed(text);
        CHECK_FALSE(params.find("p"));
        CHECK(params.fault_of("p") == ParamFault::malformed);
    }
}

TEST_CASE("Params: a fault stays with its own parameter") {
    const Params params = parsed("a=%zz&b=ok&c=1&c=2");
    CHECK(params.find("b") == "ok");
    CHECK_FALSE(params.fault_of("b"));
    CHECK_FALSE(params.fault_of("never sent"));
}

TEST_CASE("Params: first_fault names the first faulty one in the order asked for; unknown parameters do not matter") {
    const Params params = parsed("state=%00&x=1&x=2&scope=a&scope=a&client_id=c");
    CHECK(params.first_fault({"client_id", "scope", "state"}) == "scope");
    CHECK(params.first_fault({"client_id", "state", "scope"}) == "state");
    CHECK_FALSE(params.first_fault({"client_id", "nonce"}));
    CHECK_FALSE(params.first_fault({}));
}

TEST_CASE("Params: a malformed name refuses the whole text: it might be any parameter") {
    for (const auto text : {"%=v"sv, "a=1&%zz=v"sv, "a%00=v"sv, "%ff=v"sv, "a%0a"sv, "\x01=v"sv}) {
        CAPTURE(text);
        const auto params = Params::parse(text, 64);
        REQUIRE_FALSE(params);
        CHECK(params.error() == ParamsError::malformed_name);
    }
}

TEST_CASE("Params: the number of parameters is bounded, separators do not count") {
    CHECK(Params::parse("a=1&b=2", 2));
    CHECK(Params::parse("&&a=1&&b=2&=x&&", 2));
    for (const std::string& text :
         {std::string("a=1&b=2&c=3"), std::string("a=1&a=1&a=1"), std::string("a&b&c"), repeat("a=1&", 100'000)}) {
        const auto params = Params::parse(text, 2);
        REQUIRE_FALSE(params);
        CHECK(params.error() == ParamsError::too_many);
    }
    CHECK(Params::parse("", 0));
    CHECK_FALSE(Params::parse("a=1", 0));
}

TEST_CASE("Params: long names and values are neither cut nor mixed up") {
    const std::string name(60'000, 'n');
    const Params params = parsed(name + "=" + std::string(5'000, 'v'));
    CHECK(params.find(name) == std::string(5'000, 'v'));
    CHECK_FALSE(params.find(name.substr(1)));
}

TEST_CASE("Params: every reserved character arrives when it is percent-encoded") {
    const Params params = parsed("state=a%20b%2Bc%26d%3De%23f%2525%22%3C%3E%C3%A9&x%3Dy=z&b%20c=%26%3D%2B%25");
    CHECK(params.find("state") == "a b+c&d=e#f%25\"<>\xC3\xA9");
    CHECK(params.find("x=y") == "z");
    CHECK(params.find("b c") == "&=+%");
}

TEST_CASE("Params: find_all has every value of a parameter that may be repeated [RFC 8707 §2]") {
    using Values = std::vector<std::string>;
    CHECK(parsed("p=a&q=x&p=b&p=a").find_all("p") == Values{"a", "b", "a"});
    CHECK(parsed("p=&p=b&p=").find_all("p") == Values{"b"});
    CHECK(parsed("q=x").find_all("p") == Values{});
    for (const char* text : {"p=%00", "p=%00&p=b", "p=a&p=%zz", "p=a&p=%ff&p=b"}) {
        CAPTURE(text);
        CHECK_FALSE(parsed(text).find_all("p"));
    }
    CHECK(parsed("p=a&p=%00").fault_of("p") == ParamFault::duplicate);
}

TEST_CASE(
    "Params::find_typed: what a person typed, without what cannot be seen around it; what is not text has no reading") {
    struct Row {
        std::optional<std::string> typed;
        std::vector<std::string_view> texts;
    };
    const Row rows[] = {
        {"alice",
         {"p=alice", "p=alice+", "p=+alice", "p=alice%20", "p=alice%09", "p=%09alice", "p=alice%0D%0A", "p=alice%C2%A0",
          "p=%E2%80%83alice", "p=alice%E3%80%80", "p=alice%E2%80%8B", "p=%EF%BB%BFalice"}},
        {"123 456", {"p=123%09456"}},
        {"a b", {"p=a%0Ab"}},
        {"", {"p=", "p=+%09+", "q=x"}},
        {std::nullopt, {"p=alice&p=alice", "p=al%00ice", "p=alice%00", "p=a%1Bb", "p=%FF", "p=%zz", "p=x&p=%09"}}};
    for (const Row& row : rows)
        for (const std::string_view text : row.texts) {
            CAPTURE(text);
            CHECK(parsed(text).find_typed("p") == row.typed);
        }
    // Everything else reads a parameter as it came.
    CHECK(parsed("p=alice+").find("p") == "alice ");
    CHECK_FALSE(parsed("p=alice%09").find("p"));
    CHECK(parsed("p=alice%09").fault_of("p") == ParamFault::malformed);
    CHECK_FALSE(parsed("p=alice%09").find_all("p"));
}
