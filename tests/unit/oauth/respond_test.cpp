// The shapes of protocol answers (RFC 6749 §4.1.2, §5.2; RFC 6750 §3; RFC 9207 §2).
#include "oauth/respond.h"

#include <doctest/doctest.h>

#include "support/world.h"

using namespace postern;

TEST_CASE("json_error: the body, the status, and a challenge only for who used the header [RFC 6749 §5.2]") {
    http::Request request = test::post("client_id=app");
    const auto plain = respond::json_error(request, oauth::invalid_client("words", "secret reason"));
    CHECK(plain.status == 401);
    CHECK(plain.body == R"({"error":"invalid_client","error_description":"words"})");
    CHECK_FALSE(plain.find("WWW-Authenticate"));
    REQUIRE(plain.refusal);
    CHECK(plain.refusal->detail == "secret reason");
    CHECK(plain.refusal->client_id == "app");
    request.authorization = "Basic x";
    CHECK(respond::json_error(request, oauth::invalid_client("words")).find("WWW-Authenticate")->starts_with("Basic "));
    CHECK_FALSE(respond::json_error(request, oauth::invalid_grant("words")).find("WWW-Authenticate"));
}

TEST_CASE(
    "bearer_error: error and description in the challenge, the missing scope for insufficient_scope [RFC 6750 §3]") {
    const auto token =
        respond::bearer_error(oauth::make_error(oauth::ErrorCode::invalid_token, "the access token has expired"));
    CHECK(token.status == 401);
    CHECK(*token.find("WWW-Authenticate") ==
          R"(Bearer error="invalid_token", error_description="the access token has expired")");
    const auto scope = respond::bearer_error(
        oauth::make_error(oauth::ErrorCode::insufficient_scope, "openid scope required"), "openid");
    CHECK(scope.status == 403);
    CHECK(*scope.find("WWW-Authenticate") ==
          R"(Bearer error="insufficient_scope", error_description="openid scope required", scope="openid")");
}

TEST_CASE("redirects: appended to a query that is there, values intact, iss always, 303") {
    test::World world;
    auto context = world.context();
    world.add_confidential("app", "https://app.example/cb?x=1", "s");
    const std::string state = "a b+c&d=e#f%\"<>\xc3\xa9&code=evil";
    const auto target = oauth::verify_redirect(
        context, test::params("client_id=app&state=a+b%2Bc%26d%3De%23f%25%22%3C%3E%C3%A9%26code%3Devil"));
    REQUIRE(target);
    const auto code = respond::redirect_code(*target, "CODE");
    CHECK(code.status == 303);
    CHECK(code.find("Location")->starts_with("https://app.example/cb?x=1&code=CODE&"));
    CHECK(test::location_parameter(code, "state") == state);
    CHECK(test::location_parameter(code, "code") == "CODE");
    CHECK(test::location_parameter(code, "iss") == "https://op.example");
    const auto error = respond::redirect_error(*target, oauth::invalid_scope("words"));
    CHECK(test::location_parameter(error, "error") == "invalid_scope");
    CHECK(test::location_parameter(error, "state") == state);
    CHECK(test::location_parameter(error, "iss") == "https://op.example");
    CHECK(test::location_parameter(error, "code") == "");
    CHECK(error.refusal->client_id == "app");
}

TEST_CASE("redirects: no state is returned when none was sent") {
    test::World world;
    auto context = world.context();
    world.add_confidential("app", "https://app.example/cb", "s");
    const auto target = oauth::verify_redirect(context, test::params("client_id=app"));
    REQUIRE(target);
    CHECK(respond::redirect_code(*target, "C").find("Location")->find("state") == std::string::npos);
}
