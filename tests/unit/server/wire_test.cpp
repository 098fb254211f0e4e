#include "server/wire.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace postern::server {
namespace {

const WireFacts kFacts{"0123456789ab", true, false};

http::Response text(std::string body) {
    http::Response response;
    response.set("Content-Type", "text/plain");
    response.body = std::move(body);
    return response;
}

bool has_line(const std::string& wire, const std::string& line) {
    return wire.find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST_CASE(
    "to_wire: the status comes first, the common headers are always there, the body is counted [RFC 6749 §5.1b]") {
    CHECK(to_wire(text("hi\n"), kFacts) ==
          "Status: 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nPragma: no-cache\r\n"
          "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nStrict-Transport-Security: "
          "max-age=31536000\r\n"
          "X-Request-Id: 0123456789ab\r\nContent-Length: 3\r\n\r\nhi\n");
}

TEST_CASE("to_wire: a 200 without a body is an answer too [RFC 7009 §2.2c]") {
    const std::string wire = to_wire(http::Response{}, kFacts);
    CHECK(wire.starts_with("Status: 200 OK\r\n"));
    CHECK(has_line(wire, "Content-Length: 0"));
    CHECK(wire.ends_with("\r\n\r\n"));
}

TEST_CASE("to_wire: what an authorizer says to the web server has no header for the browser [GATE-12]") {
    http::Response response;
    response.is_bare = true;
    response.add("Variable-REMOTE_USER", "alice");
    CHECK(to_wire(response, kFacts) == "Status: 200 OK\r\nVariable-REMOTE_USER: alice\r\n\r\n");
    response.set("Variable-REMOTE_USER", "alice\r\nX: y");
    CHECK_THROWS_AS(to_wire(response, kFacts), std::logic_error);
}

TEST_CASE("to_wire: an endpoint that decides its caching is not contradicted") {
    http::Response response = text("x");
    response.set("Cache-Control", "public, max-age=3600");
    const std::string wire = to_wire(response, kFacts);
    CHECK(wire.find("no-store") == std::string::npos);
    CHECK(wire.find("Pragma") == std::string::npos);
    CHECK(has_line(wire, "Cache-Control: public, max-age=3600"));
}

TEST_CASE("to_wire: headers of the response stand once, Set-Cookie as often as it was added") {
    http::Response response = text("x");
    response.set("Referrer-Policy", "no-referrer");
    response.add("Set-Cookie", "a=1");
    response.add("Set-Cookie", "b=2");
    const std::string wire = to_wire(response, kFacts);
    CHECK(wire.find("Referrer-Policy") == wire.rfind("Referrer-Policy"));
    CHECK(has_line(wire, "Set-Cookie: a=1"));
    CHECK(has_line(wire, "Set-Cookie: b=2"));
}

TEST_CASE(
    "to_wire: HSTS only where the issuer is https; no body for HEAD, but its length [RFC 9110 §9.3.2, RFC 7009 §2c, "
    "OIDC Core §16.17, H06, F2-57]") {
    CHECK(to_wire(text("x"), {"id", false, false}).find("Strict-Transport-Security") == std::string::npos);
    const std::string head = to_wire(text("xyz"), {"id", true, true});
    CHECK(has_line(head, "Content-Length: 3"));
    CHECK(head.ends_with("\r\n\r\n"));
}

TEST_CASE("to_wire: 204 and 304 have neither body nor length [RFC 9110 §8.6]") {
    for (const int status : {204, 304}) {
        http::Response response;
        response.status = status;
        CHECK(to_wire(response, kFacts).find("Content-Length") == std::string::npos);
        response = text("x");
        response.status = status;
        CHECK_THROWS_AS(to_wire(response, kFacts), std::logic_error);
    }
}

TEST_CASE("to_wire: Location is absolute, or nothing is sent [RFC 3875 §6.3.3, X03]") {
    for (const char* good : {"https://app.example/cb?a=b#c", "com.example.app:/cb", "http://127.0.0.1:3000"}) {
        CAPTURE(good);
        CHECK(has_line(to_wire(http::see_other(good), kFacts), std::string("Location: ") + good));
    }
    for (const char* bad : {"", "/login", "//evil.example", "login", "1https://x", ":x", "https:", "https://a b",
                            "https://b\xc3\xbc.example", "https://x\r\nSet-Cookie: a=b", "a/b:c"}) {
        CAPTURE(bad);
        http::Response response;
        response.status = 303;
        response.add("location", bad);
        CHECK_THROWS_AS(to_wire(response, kFacts), std::logic_error);
    }
}

TEST_CASE(
    "to_wire: no control byte, odd name or order to the web server leaves in a header [RFC 9110 §5.5, CWE-113, X04]") {
    const auto with = [](const std::string& name, const std::string& value) {
        http::Response response = text("x");
        response.add(name, value);
        return response;
    };
    for (const std::string& value : {std::string("a\r\nb"), std::string("a\nb"), std::string("a\0b", 3),
                                     std::string("a\tb"), std::string("a\x7f")}) {
        CAPTURE(value);
        CHECK_THROWS_AS(to_wire(with("X-A", value), kFacts), std::logic_error);
    }
    for (const char* name : {"", "X A", "X-A:", "X-A\r\nX-B", "Status", "Content-Length", "X-Request-Id", "X-Sendfile",
                             "x-LIGHTTPD-send-file", "X-Accel-Redirect"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(to_wire(with(name, "a"), kFacts), std::logic_error);
    }
    CHECK_THROWS_AS(to_wire(text("x"), {"a\nb", true, false}), std::logic_error);
}

TEST_CASE("to_wire: a body without a type and a status that is none are refused") {
    http::Response untyped;
    untyped.body = "x";
    CHECK_THROWS_AS(to_wire(untyped, kFacts), std::logic_error);
    for (const int status : {0, 100, 199, 600}) {
        http::Response response = text("x");
        response.status = status;
        CHECK_THROWS_AS(to_wire(response, kFacts), std::logic_error);
    }
}

TEST_CASE("bare_failure, bare_unavailability: complete answers with the length they say") {
    for (const auto& [wire, status] :
         {std::pair{bare_failure(), "Status: 500 "}, std::pair{bare_unavailability(), "Status: 503 "}}) {
        const std::size_t body = wire.find("\r\n\r\n") + 4;
        CHECK(wire.starts_with(status));
        CHECK(has_line(wire, "Content-Length: " + std::to_string(wire.size() - body)));
    }
    CHECK(has_line(bare_unavailability(), "Retry-After: 5"));
}

}  // namespace
}  // namespace postern::server
