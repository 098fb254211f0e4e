// Tests of lib/http/message.cpp.
#include "http/message.h"

#include <doctest/doctest.h>

using namespace postern;
using namespace postern::http;

namespace {

std::string header(const Response& response, std::string_view name) {
    const std::string* value = response.find(name);
    return value == nullptr ? "(absent)" : *value;
}

}  // namespace

TEST_CASE("to_string: the method as HTTP writes it [RFC 9110 §9]") {
    CHECK(to_string(Method::get) == "GET");
    CHECK(to_string(Method::head) == "HEAD");
    CHECK(to_string(Method::post) == "POST");
    CHECK(to_string(Method::delete_) == "DELETE");
    CHECK(to_string(Method::options) == "OPTIONS");
    CHECK(to_string(Method::other) == "OTHER");
}

TEST_CASE("Response: header names compare without case [RFC 9110 §5.1]") {
    Response response;
    response.set("Cache-Control", "no-store");
    CHECK(header(response, "cache-control") == "no-store");
    response.set("CACHE-CONTROL", "max-age=5");
    CHECK(response.headers.size() == 1);
    CHECK(header(response, "Cache-Control") == "max-age=5");
    CHECK(response.find("Cache") == nullptr);
    CHECK(response.find("Cache-Control-X") == nullptr);
}

TEST_CASE("Response: add keeps what is there, in order") {
    Response response;
    response.add("Set-Cookie", "a=1");
    response.add("Set-Cookie", "b=2");
    REQUIRE(response.headers.size() == 2);
    CHECK(response.headers[0].second == "a=1");
    CHECK(response.headers[1].second == "b=2");
}

TEST_CASE(
    "see_other: 303, so that a form's fields are not sent on [RFC 9700 §4.12, RFC 6749 §1.7, OIDC Core §16.22, F2-23]") {
    const Response response = see_other("https://app.example/cb?code=x");
    CHECK(response.status == 303);
    CHECK(header(response, "Location") == "https://app.example/cb?code=x");
    CHECK(response.body.empty());
}

TEST_CASE("json: the body as JSON, of type application/json") {
    const Response response = http::json(json::Object{{"error", "invalid_grant"}}, 400);
    CHECK(response.status == 400);
    CHECK(header(response, "Content-Type") == "application/json");
    CHECK(response.body == R"({"error":"invalid_grant"})");
    CHECK(http::json(json::Object{}).status == 200);
}

TEST_CASE("html: UTF-8, one style sheet, no script, no frame [RFC 9700 §4.16]") {
    const Response response = html("<p>x</p>", 403, "sha256-AbC/+=");
    CHECK(response.status == 403);
    CHECK(header(response, "Content-Type") == "text/html; charset=utf-8");
    CHECK(header(response, "Content-Security-Policy") ==
          "default-src 'none'; style-src 'sha256-AbC/+='; base-uri 'none'; frame-ancestors 'none'");
    CHECK(header(response, "X-Frame-Options") == "DENY");
    CHECK(response.body == "<p>x</p>");
}

TEST_CASE("html: the policy lets a page have pictures only if it has some [CSP Level 3 §6.1.5]") {
    CHECK(header(html("<p>x</p>", 200, "sha256-AbC/+=", "", http::Pictures::data), "Content-Security-Policy") ==
          "default-src 'none'; style-src 'sha256-AbC/+='; img-src data:; base-uri 'none'; frame-ancestors 'none'");
}

TEST_CASE("html: the policy names the origins of frames, and no frame is loaded where there are none [FCL-1]") {
    CHECK(header(html("<p>x</p>", 200, "sha256-AbC/+=", "", http::Pictures::data,
                      {"https://a.example", "https://b.example:8443"}),
                 "Content-Security-Policy") ==
          "default-src 'none'; style-src 'sha256-AbC/+='; img-src data:; frame-src https://a.example "
          "https://b.example:8443; base-uri 'none'; frame-ancestors 'none'");
}

TEST_CASE("html: a script runs only where its hash is given [CSP Level 3 §2.3.1]") {
    CHECK(header(html("<p>x</p>", 200, "sha256-AbC/+=", "sha256-Script="), "Content-Security-Policy") ==
          "default-src 'none'; script-src 'sha256-Script='; style-src 'sha256-AbC/+='; base-uri 'none'; "
          "frame-ancestors 'none'");
}
