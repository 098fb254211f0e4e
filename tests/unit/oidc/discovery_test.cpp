// What the discovery document says, with OpenID Connect on and off (Discovery §3, RFC 8414 §2).
#include "oidc/discovery.h"

#include <doctest/doctest.h>

#include "json/writer.h"

using namespace postern;

namespace {

std::string member(const json::Object& document, const char* name) {
    const json::Value* value = document.find(name);
    return value ? json::write(*value) : "absent";
}

}  // namespace

TEST_CASE("discovery: a row per member, with OpenID Connect and without") {
    oauth::Settings settings;
    settings.issuer = "https://op.example/auth";
    settings.scope_descriptions = {{"read", "Read your notes"}};
    struct Row {
        const char* name;
        const char* on;
        const char* off;
    };
    const Row rows[] = {
        {"issuer", R"("https://op.example/auth")", R"("https://op.example/auth")"},
        {"authorization_endpoint", R"("https://op.example/auth/authorize")", R"("https://op.example/auth/authorize")"},
        {"token_endpoint", R"("https://op.example/auth/token")", R"("https://op.example/auth/token")"},
        {"jwks_uri", R"("https://op.example/auth/jwks")", R"("https://op.example/auth/jwks")"},
        {"userinfo_endpoint", R"("https://op.example/auth/userinfo")", "absent"},
        {"scopes_supported", R"(["openid","profile","email","address","phone","offline_access","read"])",
         R"(["read"])"},
        {"response_types_supported", R"(["code"])", R"(["code"])"},
        {"response_modes_supported", R"(["query"])", R"(["query"])"},
        {"grant_types_supported", R"(["authorization_code"])", R"(["authorization_code"])"},
        {"subject_types_supported", R"(["public"])", "absent"},
        {"id_token_signing_alg_values_supported", R"(["RS256"])", "absent"},
        {"token_endpoint_auth_methods_supported", R"(["client_secret_basic","client_secret_post","none"])",
         R"(["client_secret_basic","client_secret_post","none"])"},
        {"code_challenge_methods_supported", R"(["S256"])", R"(["S256"])"},
        {"authorization_response_iss_parameter_supported", "true", "true"},
        {"request_parameter_supported", "false", "absent"},
        {"request_uri_parameter_supported", "false", "absent"},
        {"claims_parameter_supported", "false", "absent"},
        {"introspection_endpoint", "absent", "absent"},
        {"revocation_endpoint", "absent", "absent"},
        {"end_session_endpoint", "absent", "absent"},
    };
    settings.oidc = true;
    const json::Object on = oidc::discovery(settings);
    settings.oidc = false;
    const json::Object off = oidc::discovery(settings);
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(member(on, row.name) == row.on);
        CHECK(member(off, row.name) == row.off);
    }
}

TEST_CASE("discovery: extra members and an endpoint that is not offered") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.oidc = true;
    settings.paths.userinfo.reset();
    settings.metadata = json::Object{{"op_policy_uri", "https://op.example/policy"}};
    const json::Object document = oidc::discovery(settings);
    CHECK(member(document, "userinfo_endpoint") == "absent");
    CHECK(member(document, "op_policy_uri") == R"("https://op.example/policy")");
}

TEST_CASE("oauth_metadata_path: in front of the issuer's path [RFC 8414 §3.1]") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    CHECK(oidc::oauth_metadata_path(settings) == "/.well-known/oauth-authorization-server");
    settings.issuer = "https://op.example/auth/a";
    CHECK(oidc::oauth_metadata_path(settings) == "/.well-known/oauth-authorization-server/auth/a");
}
