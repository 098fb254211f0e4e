// The syntax of a token request (RFC 6749 §3.2, §4.1.3).
#include "oauth/token_request.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;
using oauth::ErrorCode;

namespace {

const char* const kGood =
    "grant_type=authorization_code&code=c&redirect_uri=https://a/cb&code_verifier=v&client_id=app&client_secret=s";

/// Paths with the page of devices.
const oauth::Paths& paths() {
    static const oauth::Paths paths = [] {
        oauth::Paths all;
        all.device = "/device";
        return all;
    }();
    return paths;
}

}  // namespace

TEST_CASE("parse_token_request: every part where it belongs") {
    const auto parsed =
        oauth::parse_token_request({}, test::post(kGood, "aud=https://api.example&code=other&client_id=evil"));
    REQUIRE(parsed);
    REQUIRE(parsed->grant);
    const auto& grant = std::get<oauth::AuthorizationCodeGrant>(*parsed->grant);
    CHECK(grant.code == "c");
    CHECK(grant.redirect_uri == "https://a/cb");
    CHECK(grant.code_verifier == "v");
    CHECK(grant.target == "https://api.example");
    REQUIRE(parsed->credentials.readings.size() == 1);
    CHECK(parsed->credentials.readings.front().client_id.str() == "app");
}

TEST_CASE("parse_token_request: what is wrong with the grant waits for the client's authentication") {
    struct Row {
        const char* form;
        ErrorCode code;
    };
    const Row rows[] = {
        {"client_id=app", ErrorCode::invalid_request},
        {"grant_type=&client_id=app", ErrorCode::invalid_request},
        {"grant_type=authorization_code", ErrorCode::invalid_request},
        {"grant_type=password&username=u&password=p", ErrorCode::unsupported_grant_type},
        {"grant_type=Authorization_Code&code=c", ErrorCode::unsupported_grant_type},
        {"grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", ErrorCode::unsupported_grant_type},
        {"grant_type=urn:ietf:params:oauth:grant-type:device_code", ErrorCode::invalid_request},
        {"grant_type=device_code&device_code=c", ErrorCode::unsupported_grant_type},
        {"grant_type=authorization_code&code=c&aud=a&audience=b", ErrorCode::invalid_target},
        {"grant_type=authorization_code&code=c&resource=api", ErrorCode::invalid_target},
        {"grant_type=client_credentials&resource=https://a.example/&resource=https://b.example/",
         ErrorCode::invalid_target},
    };
    for (const Row& row : rows) {
        CAPTURE(row.form);
        const auto parsed = oauth::parse_token_request(paths(), test::post(row.form));
        REQUIRE(parsed);
        REQUIRE_FALSE(parsed->grant);
        CHECK(parsed->grant.error().code == row.code);
    }
    const auto off =
        oauth::parse_token_request({}, test::post("grant_type=urn:ietf:params:oauth:grant-type:device_code"));
    REQUIRE(off);
    CHECK(off->grant.error().code == ErrorCode::unsupported_grant_type);
}
