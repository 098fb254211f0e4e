// What the server says about itself (OpenID Connect Discovery §3, §4; RFC 8414 §2, §3) and its key set (RFC 7517 §5).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "json/writer.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
namespace json = postern::json;

constexpr const char* kOAuthPath = "/.well-known/oauth-authorization-server";

std::vector<std::string> list_of(const json::Object& object, const char* name) {
    std::vector<std::string> list;
    const json::Value* value = object.find(name);
    if (value && value->if_array())
        for (const json::Value& item : *value->if_array()) list.push_back(item.if_string() ? *item.if_string() : "?");
    return list;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

bool flag_of(const json::Object& object, const char* name, bool missing) {
    const json::Value* value = object.find(name);
    return value && value->if_bool() ? *value->if_bool() : missing;
}

using Strings = std::vector<std::string>;

TEST_CASE("discovery: says what is true of this server and nothing more [D01]") {
    const Deployment op;
    const Answer answer = op.cgi("discovery");
    REQUIRE(answer.status == 200);
    const auto document = answer.json();
    CHECK(text_of(document, "issuer") == "https://op.example");
    CHECK(text_of(document, "authorization_endpoint") == "https://op.example/authorize");
    CHECK(text_of(document, "token_endpoint") == "https://op.example/token");
    CHECK(text_of(document, "userinfo_endpoint") == "https://op.example/userinfo");
    CHECK(text_of(document, "jwks_uri") == "https://op.example/jwks");
    CHECK(list_of(document, "response_types_supported") == Strings{"code"});
    CHECK(list_of(document, "code_challenge_methods_supported") == Strings{"S256"});
    CHECK(list_of(document, "subject_types_supported") == Strings{"public"});
    CHECK(list_of(document, "id_token_signing_alg_values_supported") == Strings{"RS256"});
    CHECK(contains(list_of(document, "grant_types_supported"), "authorization_code"));
    CHECK_FALSE(contains(list_of(document, "grant_types_supported"), "implicit"));
    CHECK_FALSE(contains(list_of(document, "grant_types_supported"), "password"));
    CHECK(contains(list_of(document, "response_modes_supported"), "query"));
    for (const std::string scope : {"openid", "profile", "email", "address", "phone", "offline_access"})
        CHECK(contains(list_of(document, "scopes_supported"), scope));
    for (const std::string claim :
         {"sub", "name", "email", "email_verified", "phone_number", "address", "preferred_username"})
        CHECK(contains(list_of(document, "claims_supported"), claim));
    for (const std::string method : {"client_secret_basic", "client_secret_post", "none"})
        CHECK(contains(list_of(document, "token_endpoint_auth_methods_supported"), method));
    CHECK_FALSE(flag_of(document, "request_parameter_supported", false));
    CHECK_FALSE(flag_of(document, "request_uri_parameter_supported", true));  // true when left out
    CHECK_FALSE(flag_of(document, "claims_parameter_supported", false));
    CHECK(flag_of(document, "authorization_response_iss_parameter_supported", false));
    CHECK(answer.body.find("none\"") == answer.body.rfind("none\""));  // the client authentication method only
    CHECK(answer.body.find("plain") == std::string::npos);
}

TEST_CASE("discovery: what it lists is what the endpoints do") {
    const Deployment op;
    const auto document = op.cgi("discovery").json();
    for (const std::string mode : {"query", "fragment", "form_post"}) {
        CAPTURE(mode);
        const Answer answer =
            op.cgi("authorize", get_request(authorization_request().with("response_mode", mode).text()));
        CHECK((answer.location().find("/login") != std::string::npos) ==
              contains(list_of(document, "response_modes_supported"), mode));
    }
    for (const std::string grant : {"authorization_code", "refresh_token", "client_credentials", "password"}) {
        CAPTURE(grant);
        const Answer answer = op.cgi("token", with_basic(Query{{"grant_type", grant}}.text()));
        CHECK((answer.member("error") != "unsupported_grant_type") ==
              contains(list_of(document, "grant_types_supported"), grant));
    }
    for (const std::string member : {"introspection_endpoint", "revocation_endpoint", "end_session_endpoint"}) {
        CAPTURE(member);
        const std::string endpoint = std::string(member) == "introspection_endpoint" ? "introspect"
                                     : std::string(member) == "revocation_endpoint"  ? "revoke"
                                                                                     : "logout";
        const bool is_built = std::filesystem::exists(build_directory() / "cgi-bin" / endpoint);
        CHECK((document.find(member) != nullptr) == is_built);
    }
}

TEST_CASE("discovery: both well-known addresses answer the same document [RFC 8414 §3, Discovery §4]") {
    struct Row {
        std::string issuer;
        std::string openid;
        std::string oauth;
    };
    const Row rows[] = {
        {"https://op.example", "/.well-known/openid-configuration", kOAuthPath},
        {"https://op.example/auth", "/auth/.well-known/openid-configuration",
         "/.well-known/oauth-authorization-server/auth"},
        {"https://op.example/a/b", "/a/b/.well-known/openid-configuration",
         "/.well-known/oauth-authorization-server/a/b"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.issuer);
        Deployment::Options options;
        options.issuer = row.issuer;
        const Deployment op(options);
        CgiRequest request;
        request.path = row.openid;
        const Answer appended = op.cgi("discovery", request);
        CHECK(appended.status == 200);
        request.path = row.oauth;
        CHECK(op.cgi("discovery", request).body == appended.body);
        const auto document = appended.json();
        CHECK(text_of(document, "issuer") == row.issuer);
        for (const std::string member : {"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"})
            CHECK(text_of(document, member).starts_with(std::string(row.issuer) + "/"));
        for (const std::string path :
             {"/.well-known/openid-configuration/", "/.well-known/oauth-authorization-server/x", "/.well-known/",
              "/x/.well-known/openid-configuration", "/.well-known/OPENID-configuration",
              "/.well-known/openid-configuration/auth", "/.well-known/openid%2dconfiguration"}) {
            CAPTURE(path);
            request.path = path;
            CHECK(op.cgi("discovery", request).status == 404);
        }
    }
}

TEST_CASE("discovery: renamed and withdrawn endpoints") {
    Deployment::Options options;
    options.config = {
        {"paths", json::Object{{"authorize", "/oauth/authorize"}, {"token", "/v1/token"}, {"userinfo", nullptr}}}};
    const Deployment op(options);
    const auto document = op.cgi("discovery").json();
    CHECK(text_of(document, "authorization_endpoint") == "https://op.example/oauth/authorize");
    CHECK(text_of(document, "token_endpoint") == "https://op.example/v1/token");
    CHECK(document.find("userinfo_endpoint") == nullptr);
    CHECK(op.cgi("userinfo").status == 404);
    UserAgent alice(op);
    CHECK(obtain_tokens(op, alice, authorization_request()).find("access_token") != nullptr);
    CgiRequest old = get_request(authorization_request().text());
    old.path = "/authorize";
    CHECK(op.cgi("authorize", old).status == 404);
}

TEST_CASE("discovery: configured members and scopes are added, computed ones stay") {
    Deployment::Options options;
    options.config = {{"metadata", json::Object{{"service_documentation", "https://op.example/docs"},
                                                {"op_policy_uri", "https://op.example/policy"}}},
                      {"scopeDescriptions", json::Object{{"api", "Use the \"API\" </script>"}}},
                      {"idTokenAlgorithm", "EdDSA"}};
    const Deployment op(options);
    const Answer answer = op.cgi("discovery");
    const auto document = answer.json();
    CHECK(text_of(document, "service_documentation") == "https://op.example/docs");
    CHECK(contains(list_of(document, "scopes_supported"), "api"));
    CHECK(list_of(document, "id_token_signing_alg_values_supported") == Strings{"EdDSA"});
    CHECK(answer.body.find("</script>") == std::string::npos);
}

TEST_CASE("discovery: without OpenID Connect only the members of RFC 8414 are left") {
    Deployment op;
    auto config = op.config();
    config.erase("oidc");
    op.write_config(json::write_pretty(config));
    for (const std::string path : {"/.well-known/openid-configuration", kOAuthPath}) {
        CAPTURE(path);
        CgiRequest request;
        request.path = path;
        const auto document = op.cgi("discovery", request).json();
        CHECK(text_of(document, "issuer") == "https://op.example");
        for (const std::string member :
             {"userinfo_endpoint", "subject_types_supported", "id_token_signing_alg_values_supported",
              "claims_supported", "request_uri_parameter_supported", "end_session_endpoint"})
            CHECK(document.find(member) == nullptr);
        CHECK_FALSE(contains(list_of(document, "scopes_supported"), "openid"));
    }
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().text()))) == "invalid_scope");
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().with("scope", "api").text()))) ==
          "login");
}

TEST_CASE("discovery and jwks: public, cacheable for at most an hour, open to any page [D04, D05, H08]") {
    const Deployment op;
    for (const std::string endpoint : {"discovery", "jwks"}) {
        CAPTURE(endpoint);
        CgiRequest request = get_request("callback=x&=%zz");
        request.headers = {{"Origin", "https://page.example"}, {"Host", "evil.example"}};
        const Answer answer = op.cgi(endpoint, request);
        CHECK(answer.status == 200);
        CHECK(answer.header("Content-Type").starts_with("application/json"));
        CHECK(answer.header("X-Content-Type-Options") == "nosniff");
        CHECK(answer.header("Access-Control-Allow-Origin") == "*");
        CHECK_FALSE(answer.has("Access-Control-Allow-Credentials"));
        CHECK(answer.header("Cache-Control") == "public, max-age=3600");
        CHECK(answer.body.starts_with("{"));
        CHECK(answer.body.find("evil.example") == std::string::npos);
        request.method = "HEAD";
        const Answer head = op.cgi(endpoint, request);
        CHECK(head.status == 200);
        CHECK(head.body.empty());
        CgiRequest post = post_form("a=b");
        const Answer refused = op.cgi(endpoint, post);
        CHECK(refused.status == 405);
        CHECK(refused.header("Allow").find("GET") != std::string::npos);
    }
}

TEST_CASE("jwks: public members only, one key per algorithm in use [RFC 7517 §5, D02]") {
    const Deployment op;
    const Answer answer = op.cgi("jwks");
    const auto document = answer.json();
    const auto* keys = document.find("keys");
    REQUIRE(keys != nullptr);
    REQUIRE(keys->if_array() != nullptr);
    CHECK(keys->if_array()->size() == 2);
    Strings algorithms;
    for (const json::Value& value : *keys->if_array()) {
        const json::Object& key = *value.if_object();
        algorithms.push_back(text_of(key, "alg"));
        CHECK(text_of(key, "use") == "sig");
        CHECK(text_of(key, "kid").size() == 43);
        for (const std::string secret : {"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
            CHECK(key.find(secret) == nullptr);
    }
    std::sort(algorithms.begin(), algorithms.end());
    CHECK(algorithms == Strings{"ES256", "RS256"});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    for (const std::string name : {"access_token", "id_token"})
        CHECK(answer.body.find("\"" + text_of(jwt_header(text_of(tokens, name)), "kid") + "\"") != std::string::npos);
}

TEST_CASE("discovery and jwks: need neither database nor private keys [D03]") {
    const Deployment op;
    std::filesystem::remove_all(op.database_file().parent_path());
    for (const auto& entry : std::filesystem::directory_iterator(op.keys_directory()))
        if (entry.path().filename() != "jwks.json") std::filesystem::remove(entry.path());
    CHECK(op.cgi("discovery").status == 200);
    CHECK(op.cgi("jwks").status == 200);
    CHECK(op.cgi("token", with_basic("grant_type=authorization_code")).status == 500);
}

}  // namespace
