#include "gateway/body.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/variables.h"

namespace postern::gateway {
namespace {

/// A transport that holds `bytes`, hands them over in small pieces and counts what was taken.
struct Source {
    std::string bytes;
    bool breaks = false;  ///< fails where it should end
    std::size_t taken = 0;

    ReadSome reader() {
        return [this](char* buffer, std::size_t size) -> std::optional<std::size_t> {
            const std::size_t piece = std::min({size, std::size_t{1000}, bytes.size() - taken});
            if (piece == 0 && breaks) return std::nullopt;
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(taken), piece, buffer);
            taken += piece;
            return piece;
        };
    }
};

Variables with_length(std::string_view length) {
    Variables variables;
    test::set(variables, "CONTENT_LENGTH", length);
    return variables;
}

constexpr std::size_t kCap = 4096;

TEST_CASE("receive_body: a body is exactly what was announced, or refused [RFC 3875 §4.2, X06]") {
    struct Row {
        const char* when;
        const char* length;  ///< nullptr: no CONTENT_LENGTH
        std::size_t sent;
        bool breaks;
        BodyState state;
    };
    const Row rows[] = {
        {"no body", nullptr, 0, false, BodyState::whole},
        {"an empty announcement", "", 0, false, BodyState::whole},
        {"zero", "0", 0, false, BodyState::whole},
        {"as announced", "5", 5, false, BodyState::whole},
        {"leading zeros are digits", "0005", 5, false, BodyState::whole},
        {"exactly the cap", "4096", 4096, false, BodyState::whole},
        {"one over the cap", "4097", 4097, false, BodyState::too_large},
        {"announced small, sent large", "5", 5000, false, BodyState::too_large},
        {"one too few", "5", 4, false, BodyState::incomplete},
        {"one too many", "5", 6, false, BodyState::incomplete},
        {"broken off", "5", 4, true, BodyState::incomplete},
        {"broken at the very end", "5", 5, true, BodyState::incomplete},
        {"bytes without a length", nullptr, 5, false, BodyState::no_length},
        {"negative", "-1", 0, false, BodyState::bad_length},
        {"signed", "+5", 5, false, BodyState::bad_length},
        {"hexadecimal", "0x5", 5, false, BodyState::bad_length},
        {"exponent", "1e9", 5, false, BodyState::bad_length},
        {"blank", " 5", 5, false, BodyState::bad_length},
        {"two of them", "5, 5", 5, false, BodyState::bad_length},
        {"over 64 bits", "99999999999999999999", 5, false, BodyState::bad_length},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Source source{std::string(row.sent, 'x'), row.breaks};
        const Variables variables = row.length == nullptr ? Variables{} : with_length(row.length);
        const Body body = receive_body(variables, kCap, StreamEnd::by_itself, source.reader());
        CHECK(body.state == row.state);
        CHECK(body.bytes == (row.state == BodyState::whole ? source.bytes : std::string()));
    }
}

TEST_CASE("receive_body: a chunked request without a length is never an empty body [RFC 9112 §7.1, X07]") {
    Variables variables;
    test::set(variables, "HTTP_TRANSFER_ENCODING", "chunked");
    Source source{""};
    CHECK(receive_body(variables, kCap, StreamEnd::at_length_only, source.reader()).state == BodyState::no_length);
    test::set(variables, "CONTENT_LENGTH", "0");  // the web server has collected it
    CHECK(receive_body(variables, kCap, StreamEnd::at_length_only, source.reader()).state == BodyState::whole);
}

TEST_CASE(
    "receive_body: under CGI a form without a length is never an empty form, whatever else may be empty [RFC 9113 §8.1.1]") {
    struct Row {
        const char* when;
        const char* method;
        const char* type;
        const char* length;  ///< nullptr: no CONTENT_LENGTH
        BodyState state;
    };
    const Row rows[] = {
        {"a form without a length", "POST", "application/x-www-form-urlencoded", nullptr, BodyState::no_length},
        {"a form that is empty", "POST", "application/x-www-form-urlencoded", "0", BodyState::whole},
        {"a web server that says nothing", "POST", "application/x-www-form-urlencoded", "", BodyState::whole},
        {"without a type there is no body", "POST", "", nullptr, BodyState::whole},
        {"a body of GET means nothing", "GET", "application/x-www-form-urlencoded", nullptr, BodyState::whole},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Variables variables = row.length == nullptr ? Variables{} : with_length(row.length);
        test::set(variables, "REQUEST_METHOD", row.method);
        test::set(variables, "CONTENT_TYPE", row.type);
        Source nothing{""};
        const Body body = receive_body(variables, kCap, StreamEnd::at_length_only, nothing.reader());
        CHECK(body.state == row.state);
        CHECK(body.end == StreamEnd::at_length_only);
        // FastCGI says itself where a body ends.
        CHECK(receive_body(variables, kCap, StreamEnd::by_itself, nothing.reader()).state == BodyState::whole);
    }
}

TEST_CASE("receive_body: a chunked body is read to its end before it is refused, or Apache loses the answer") {
    Variables variables;
    test::set(variables, "HTTP_TRANSFER_ENCODING", "chunked");
    Source source{"grant_type=client_credentials"};
    CHECK(receive_body(variables, kCap, StreamEnd::at_length_only, source.reader()).state != BodyState::whole);
    CHECK(source.taken == source.bytes.size());
}

TEST_CASE("receive_body: plain CGI reads no byte beyond the announced length, since no end of file is promised") {
    Source source{"hello, next"};
    const Body body = receive_body(with_length("5"), kCap, StreamEnd::at_length_only, source.reader());
    CHECK(body.state == BodyState::whole);
    CHECK(body.bytes == "hello");
    CHECK(source.taken == 5);
    Source untouched{"hello"};
    CHECK(receive_body(Variables{}, kCap, StreamEnd::at_length_only, untouched.reader()).state == BodyState::whole);
    CHECK(untouched.taken == 0);
}

TEST_CASE("receive_body: a refused body is drained, up to a bound") {
    for (const StreamEnd end : {StreamEnd::by_itself, StreamEnd::at_length_only}) {
        Source moderate{std::string(50000, 'x')};
        CHECK(receive_body(with_length("50000"), kCap, end, moderate.reader()).state == BodyState::too_large);
        CHECK(moderate.taken == 50000);
        Source huge{std::string(3 * kDrainBytes, 'x')};
        CHECK(receive_body(with_length(std::to_string(3 * kDrainBytes)), kCap, end, huge.reader()).state ==
              BodyState::too_large);
        CHECK(huge.taken == kDrainBytes);
    }
}

}  // namespace
}  // namespace postern::gateway
