#include "gateway/fcgi_request.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace postern::gateway {
namespace {

using Verdict = FcgiHead::Verdict;

constexpr char kBegin = 1, kAbort = 2, kParams = 4, kStdin = 5, kGetValues = 9;

std::string record(char type, const std::string& content, char padding = 0, char id = 1, char version = 1) {
    const auto high = static_cast<char>(content.size() / 256);
    const auto low = static_cast<char>(content.size() % 256);
    return std::string{version, type, 0, id, high, low, padding, 0} + content +
           std::string(static_cast<unsigned char>(padding), 'p');
}

const std::string kBeginning = record(kBegin, std::string{0, 1, 0, 0, 0, 0, 0, 0});
const std::string kEnd = record(kParams, "");

std::string long_length(unsigned length) {
    return {static_cast<char>(0x80U | (length >> 24U)), static_cast<char>(length >> 16U),
            static_cast<char>(length >> 8U), static_cast<char>(length)};
}

std::string pair(const std::string& name, const std::string& value) {
    return std::string{static_cast<char>(name.size())} + long_length(static_cast<unsigned>(value.size())) + name +
           value;
}

Verdict of(const std::string& bytes) { return FcgiHead().take(bytes); }

TEST_CASE("FcgiHead: a beginning and whole variables are good, however they are cut into records [FastCGI 1.0 §3.3]") {
    const std::string variables = pair("A", "b") + pair("", "") + pair("QUERY_STRING", std::string(300, 'q'));
    std::string single;
    for (const char byte : variables) single += record(kParams, {byte});
    const std::vector<std::string> good = {
        kBeginning + record(kParams, variables) + kEnd,
        kBeginning + record(kParams, variables, 7) + record(kParams, "", char(255)),
        kBeginning + single + kEnd,
        kBeginning + kEnd,
        record(kBegin, std::string{0, 1, 1, 0, 0, 0, 0, 0}, 0, 77) + record(kParams, variables, 0, 77) +
            record(kParams, "", 0, 77),
    };
    for (const std::string& bytes : good) {
        CAPTURE(bytes.size());
        CHECK(of(bytes) == Verdict::good);
        CHECK(of(bytes + "whatever comes then") == Verdict::good);
        FcgiHead head;
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            CHECK(of(bytes.substr(0, at)) == Verdict::incomplete);
            CHECK(head.take(bytes.substr(at, 1)) == (at + 1 == bytes.size() ? Verdict::good : Verdict::incomplete));
        }
        CHECK(head.take("more") == Verdict::good);
    }
}

TEST_CASE("FcgiHead: lengths that cannot be added up, or have no end, are bad at once [X24, CVE-2025-23016]") {
    const unsigned most = kLongestHead;
    for (const unsigned length : {0x7FFFFFFFU, 0x7FFFFFFEU, 0x40000000U, 0x00FFFFFFU, most + 1}) {
        CAPTURE(length);
        CHECK(of(kBeginning + record(kParams, long_length(length))) == Verdict::bad);
        CHECK(of(kBeginning + record(kParams, std::string{1} + long_length(length))) == Verdict::bad);
    }
    CHECK(of(kBeginning + record(kParams, long_length(most / 2 + 1) + long_length(most / 2))) == Verdict::bad);
    CHECK(of(kBeginning + record(kParams, long_length(most / 2) + long_length(most / 2))) == Verdict::incomplete);
}

TEST_CASE("FcgiHead: what is no head of one request is bad [X24]") {
    const std::string variables = pair("A", "b");
    const std::string params = record(kParams, variables);
    const std::vector<std::string> bad = {
        "GET /jwks HTTP/1.1\r\n",
        params,
        record(kStdin, "x"),
        record(kBegin, ""),
        record(kBegin, std::string(7, 1)),
        record(kBegin, std::string(9, 1)),
        record(kBegin, std::string{0, 1, 0, 0, 0, 0, 0, 0}, 0, 0),
        record(kBegin, std::string{0, 2, 0, 0, 0, 0, 0, 0}),  // as authorizer
        record(kBegin, std::string{1, 1, 0, 0, 0, 0, 0, 0}),
        record(kBegin, std::string{0, 1, 0, 0, 0, 0, 0, 0}, 0, 1, 0),
        record(kGetValues, pair("FCGI_MAX_CONNS", ""), 0, 0),
        kBeginning + kBeginning,
        kBeginning + record(kAbort, ""),
        kBeginning + record(kStdin, "x"),
        kBeginning + record(kParams, variables, 0, 2),
        kBeginning + record(kParams, variables, 0, 1, 2),
        kBeginning + params + record(kGetValues, "", 0, 0),
        kBeginning + record(kParams, {char(0x80)}) + kEnd,
        kBeginning + record(kParams, std::string{1}) + kEnd,
        kBeginning + record(kParams, variables.substr(0, variables.size() - 1)) + kEnd,
    };
    for (const std::string& bytes : bad) {
        CAPTURE(bytes.size());
        CHECK(of(bytes) == Verdict::bad);
        CHECK(of(bytes + kEnd) == Verdict::bad);
    }
}

TEST_CASE("FcgiHead: 128 KiB are enough, and one byte more is too much") {
    const std::size_t around = kBeginning.size() + 3 * 8 + 8;  // three records, and the one that ends them
    const auto head_of = [&](std::size_t size) {
        const std::string variables = pair("A", std::string(size - around - 6, 'x'));
        return kBeginning + record(kParams, variables.substr(0, 60000)) +
               record(kParams, variables.substr(60000, 60000)) + record(kParams, variables.substr(120000)) + kEnd;
    };
    REQUIRE(head_of(kLongestHead).size() == kLongestHead);
    CHECK(of(head_of(kLongestHead)) == Verdict::good);
    CHECK(of(head_of(kLongestHead + 1)) == Verdict::bad);
}

TEST_CASE(
    "FcgiHead: variables are what was sent, however it was cut, the same name twice included [FastCGI 1.0 §3.4]") {
    const std::string large(70000, 'c');
    const std::string variables =
        pair("A", "b") + pair("COOKIE", large) + pair("", "") + pair("A", "c=d") + pair("E", "");
    FcgiHead head;
    REQUIRE(head.take(record(kBegin, std::string{0, 1, 1, 0, 0, 0, 0, 0}, 9) +
                      record(kParams, variables.substr(0, 3), char(200)) + record(kParams, variables.substr(3, 60000)) +
                      record(kParams, variables.substr(60003), 1) + record(kParams, "", 8) + "the body") ==
            Verdict::good);
    CHECK(head.id() == 1);
    CHECK(head.variables() == NamedValues{{"A", "b"}, {"COOKIE", large}, {"", ""}, {"A", "c=d"}, {"E", ""}});
}

TEST_CASE("FcgiHead: the connection is kept when the web server says so [FastCGI 1.0 §5.1]") {
    for (const auto& [flags, kept] :
         {std::pair<char, bool>{0, false}, {1, true}, {char(0xFE), false}, {char(0xFF), true}}) {
        FcgiHead head;
        REQUIRE(head.take(record(kBegin, std::string{0, 1, flags, 0, 0, 0, 0, 0}) + kEnd) == Verdict::good);
        CHECK(head.keeps_connection() == kept);
    }
}

TEST_CASE("FcgiHead: no variable holds a NUL, as none of a CGI program can") {
    const std::string nul(1, '\0');
    for (const std::string& bad : {pair("A" + nul, "b"), pair("A", "b" + nul + "c"), pair("A", nul)}) {
        CHECK(of(kBeginning + record(kParams, bad) + kEnd) == Verdict::bad);
    }
}

TEST_CASE(
    "fcgi_answer: output in records, an empty one behind it, and the end of the request [FastCGI 1.0 §5.3, §5.5]") {
    constexpr char kEndRequest = 3, kStdout = 6;
    const std::string end = record(kStdout, "", 0, 7) + record(kEndRequest, std::string(8, '\0'), 0, 7);
    CHECK(fcgi_answer(7, "") == end);
    CHECK(fcgi_answer(7, "Status: 200 OK") == record(kStdout, "Status: 200 OK", 0, 7) + end);
    const std::string large(65528, 'x');
    CHECK(fcgi_answer(7, large) == record(kStdout, large, 0, 7) + end);
    CHECK(fcgi_answer(7, large + "y") == record(kStdout, large, 0, 7) + record(kStdout, "y", 0, 7) + end);
    const std::string with_large_id = fcgi_answer(0x1234, "x");
    CHECK(with_large_id[2] == 0x12);
    CHECK(with_large_id[3] == 0x34);
}

/// What a body gives when its records come a few bytes at a time; "broken" after what came before.
std::string body_of(std::string bytes) {
    FcgiBody body(1, [&](char* buffer, std::size_t size) {
        const std::string piece = bytes.substr(0, std::min<std::size_t>(size, 3));
        bytes.erase(0, piece.size());
        piece.copy(buffer, piece.size());
        return piece.size();
    });
    std::string content;
    char buffer[5];
    for (;;) {
        const auto got = body.read(buffer, sizeof buffer);
        if (!got) return content + " broken";
        CHECK((*got == 0) == body.has_ended());
        if (*got == 0) return content + " and " + bytes;
        content.append(buffer, *got);
    }
}

TEST_CASE(
    "FcgiBody: is what stands in its records up to the empty one, and nothing behind it is taken [FastCGI 1.0 §5.3]") {
    const std::string end = record(kStdin, "");
    CHECK(body_of(end + "next") == " and next");
    CHECK(body_of(record(kStdin, "hello") + end + "next") == "hello and next");
    CHECK(body_of(record(kStdin, "hel", 7) + record(kStdin, "lo, world", char(255)) + record(kStdin, "", 9) + "next") ==
          "hello, world and next");
}

TEST_CASE("FcgiBody: whatever is no record of it ends it, before a length in there is believed [X24]") {
    const std::string start = record(kStdin, "hello");
    const std::string questions = record(kGetValues, long_length(0x7FFFFFFE) + long_length(0x7FFFFFFF), 0, 0);
    for (const std::string& bytes : {questions, record(kAbort, ""), record(kAbort, "", 0, 7), kBeginning,
                                     record(kParams, ""), record(kStdin, "x", 0, 2), record(kStdin, "x", 0, 1, 0),
                                     std::string(8, '\xff'), std::string(3, 1), std::string()}) {
        CAPTURE(bytes.size());
        CHECK(body_of(start + bytes) == "hello broken");
    }
    CHECK(body_of(start.substr(0, start.size() - 1)) == "hell broken");
    CHECK(body_of(record(kStdin, "", 9).substr(0, 12)) == " broken");
}

}  // namespace
}  // namespace postern::gateway
