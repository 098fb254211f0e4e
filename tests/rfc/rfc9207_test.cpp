// The issuer in authorization responses (RFC 9207): always, exactly, and announced.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

TEST_CASE(
    "iss: every authorization response carries the issuer of the metadata, once [RFC 9207 §2ab, §2.3, §2.4b, §3, A25, "
    "OIDC Core §16.2, MCP-4]") {
    for (const std::string issuer :
         {"https://op.example", "https://op.example/auth", "https://op.example:8443", "http://127.0.0.1:8080"}) {
        CAPTURE(issuer);
        const Deployment op({.issuer = issuer});
        const auto metadata = op.cgi("discovery").json();
        CHECK(text_of(metadata, "issuer") == issuer);
        const auto* supported = metadata.find("authorization_response_iss_parameter_supported");
        REQUIRE(supported != nullptr);
        REQUIRE(supported->if_bool() != nullptr);
        CHECK(*supported->if_bool());

        UserAgent alice(op);
        const Query good = authorization_request();
        const std::vector<std::pair<std::string, Query>> errors = {
            {"login_required", good.with("prompt", "none")},
            {"invalid_request", good.without("response_type")},
            {"unsupported_response_type", good.with("response_type", "zz")},
            {"invalid_scope", good.with("scope", "admin")},
            {"invalid_request", good.with("max_age", "x")},
            {"unsupported_response_type", good.without("state").with("response_type", "zz")},
            {"invalid_scope", good.with("scope", "admin").with("response_mode", "fragment")},
            {"request_not_supported", good.with("request", "x")},
        };
        for (const auto& [error, request] : errors) {
            CAPTURE(error);
            const Landing landing = alice.authorize(request);
            CHECK(landing.verdict() == error);
            CHECK(landing.parameter("iss") == issuer);
            CHECK(landing.url.find("iss=") == landing.url.rfind("iss="));
        }
        const Landing consent = alice.log_in(alice.authorize(good));
        const Landing denied = alice.deny(consent);
        CHECK(denied.verdict() == "access_denied");
        CHECK(denied.parameter("iss") == issuer);
        const Landing success = alice.sign_in(good);
        CHECK(success.verdict() == "code");
        CHECK(success.parameter("iss") == issuer);
        CHECK(success.url.find("iss=") == success.url.rfind("iss="));
        CHECK(alice.authorize(good.with("response_mode", "form_post")).posted.at("iss") == issuer);
        // A claim of the same name in the request has no say.
        const Landing told = alice.authorize(good.with("iss", "https://evil.example"));
        CHECK(told.parameter("iss") == issuer);
    }
}

TEST_CASE(
    "iss: the ID token and the access token name the same issuer [RFC 9207 §2.4a, OIDC Core §2a, Discovery §3a]") {
    const Deployment op({.issuer = "https://op.example/auth"});
    UserAgent alice(op);
    const Landing landing = alice.sign_in(authorization_request());
    const Answer tokens = redeem(op, token_request(landing.parameter("code")));
    REQUIRE(tokens.status == 200);
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "iss") == landing.parameter("iss"));
    CHECK(text_of(jwt_claims(tokens.member("access_token")), "iss") == landing.parameter("iss"));
}

TEST_CASE("iss: not sent where no redirect is allowed [RFC 9207 §4]") {
    const Deployment op;
    const Answer page = op.cgi("authorize", get_request(authorization_request().with("client_id", "nobody").text()));
    CHECK(page.status == 400);
    CHECK_FALSE(page.has("Location"));
}

}  // namespace
