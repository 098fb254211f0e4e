// Tests of lib/util/percent.cpp.
#include "util/percent.h"

#include <doctest/doctest.h>

using namespace postern::util;
using namespace std::string_view_literals;

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

TEST_CASE("form_decode: never reads behind the view it was given") {
    const std::string_view cut = std::string_view("%41").substr(0, 2);
    CHECK_FALSE(form_decode(cut));
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
