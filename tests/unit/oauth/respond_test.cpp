// The shapes of errors (RFC 6749 §5.2; RFC 6750 §3).
#include "oauth/respond.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;

TEST_CASE(
    "json_error: the body, the status, and a challenge only for a client that used the header [RFC 6749 §5.2ad, C07]") {
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
    "bearer_error: error and description in the challenge, the missing scope for insufficient_scope [IF174, RFC 6750 "
    "§3ac]") {
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
