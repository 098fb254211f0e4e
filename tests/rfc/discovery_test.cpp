// What the server says about itself (OpenID Connect Discovery §3, §4; RFC 8414 §2, §3) and its key set (RFC 7517 §5).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "has.h"
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

TEST_CASE(
    "discovery: says what is true of this server and nothing more [IF6, D01, RFC 8414 §2ac, RFC 7009 §2b, OIDC Core "
    "§2m, §5.6a, §8, Discovery §3abcklq, §4.2ab]") {
    const Deployment op;
    const Answer answer = op.cgi("discovery");
    REQUIRE(answer.status == 200);
    const auto document = answer.json();
    CHECK(text_of(document, "issuer") == "https://op.example");
    CHECK(text_of(document, "authorization_endpoint") == "https://op.example/authorize");
    CHECK(text_of(document, "token_endpoint") == "https://op.example/token");
    CHECK(text_of(document, "introspection_endpoint") == "https://op.example/token/introspect");
    CHECK(text_of(document, "revocation_endpoint") == "https://op.example/token/revoke");
    CHECK(text_of(document, "userinfo_endpoint") == "https://op.example/userinfo");
    CHECK(text_of(document, "end_session_endpoint") == "https://op.example/logout");
    CHECK(text_of(document, "jwks_uri") == "https://op.example/jwks");
    CHECK(list_of(document, "subject_types_supported") == Strings{"public"});
    CHECK(list_of(document, "id_token_signing_alg_values_supported") == Strings{"RS256"});
    CHECK(list_of(document, "claim_types_supported") == Strings{"normal"});
    CHECK(flag_of(document, "authorization_response_iss_parameter_supported", false));
    // Nothing is empty: RFC 8414 §3.2. Nothing is said twice.
    for (const auto& member : document.members()) {
        CAPTURE(member.first);
        if (!member.second.if_array()) continue;
        Strings list = list_of(document, member.first.c_str());
        CHECK_FALSE(list.empty());
        std::sort(list.begin(), list.end());
        CHECK(std::adjacent_find(list.begin(), list.end()) == list.end());
        if (!member.first.ends_with("_alg_values_supported")) continue;
        for (const std::string& algorithm : list) CHECK(contains({"RS256", "ES256", "EdDSA"}, algorithm));
    }
    for (const std::string weak : {"plain", "\"HS", "HS256", "\"password\"", "RS1"})
        CHECK_FALSE(has(answer.body, weak));
    CHECK_FALSE(contains(list_of(document, "id_token_signing_alg_values_supported"), "none"));
}

/// Whether the authorization endpoint goes on with the request, whatever the client may be told later.
bool is_taken(const Deployment& op, const Query& request, const std::string& client = kWeb) {
    return verdict_of(op, op.cgi("authorize", get_request(request.text())), client) == "login";
}

TEST_CASE(
    "discovery: response types and modes, grants and PKCE methods are the ones that work, implicit on and off [RFC "
    "8414 §2fg, OIDC Core §15.2a, §16.16, Discovery §3ghi, Multiple Response Types §4, §5a, D01, MCP-3]") {
    for (const bool implicit : {false, true}) {
        CAPTURE(implicit);
        Deployment op;
        op.configure("implicit", implicit);
        op.must({"client", "set", kWeb, "--grant", "authorization_code", "--grant", "refresh_token"});
        std::string both = kWeb;
        if (implicit) {
            both = "both";
            op.must({"client", "add", both, "--grant", "authorization_code", "--grant", "implicit", "--redirect-uri",
                     redirect_uri_of(both), "--scope", "openid email"});
        }
        const auto document = op.cgi("discovery").json();
        const Query good = authorization_request(both);
        for (const std::string type : {"code", "token", "id_token", "id_token token", "code token", "code id_token",
                                       "code id_token token", "none"}) {
            CAPTURE(type);
            CHECK(is_taken(op, good.with("response_type", type), both) ==
                  contains(list_of(document, "response_types_supported"), type));
        }
        for (const std::string mode : {"query", "fragment", "form_post", "web_message", "jwt", "query.jwt"}) {
            CAPTURE(mode);
            CHECK(is_taken(op, good.with("response_mode", mode), both) ==
                  contains(list_of(document, "response_modes_supported"), mode));
        }
        for (const std::string method : {"S256", "plain"})
            CHECK(is_taken(op, good.with("code_challenge_method", method), both) ==
                  contains(list_of(document, "code_challenge_methods_supported"), method));
        const Strings grants = list_of(document, "grant_types_supported");
        for (const std::string grant :
             {"authorization_code", "refresh_token", "client_credentials", "password",
              "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:jwt-bearer"}) {
            CAPTURE(grant);
            const Answer answer = op.cgi("token", with_basic(Query{{"grant_type", grant}}.text()));
            CHECK((answer.member("error") != "unsupported_grant_type") == contains(grants, grant));
        }
        CHECK(contains(grants, "implicit") == implicit);
    }
}

TEST_CASE("discovery: each response mode that is listed brings the answer in that mode [RFC 8414 §2f, Discovery §3h]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string& mode : list_of(op.cgi("discovery").json(), "response_modes_supported")) {
        CAPTURE(mode);
        const Landing landing = alice.sign_in(authorization_request().with("response_mode", mode));
        CHECK(landing.verdict() == "code");
        CHECK(landing.mode == mode);
    }
}

TEST_CASE(
    "discovery: the ways to authenticate are the ones that each endpoint takes [RFC 8414 §2hi, OIDC Core §9abc, "
    "Discovery §3n]") {
    struct Row {
        std::string when;
        json::Object config;
    };
    const std::vector<Row> rows = {
        {"as installed", {}},
        {"public clients may introspect", {{"introspectionRequiresConfidentialClient", false}}},
        {"nobody authenticates to introspect", {{"authenticateIntrospect", false}}},
        {"nobody authenticates to revoke", {{"authenticateRevoke", false}}},
    };
    struct Way {
        std::string method;
        CgiRequest (*request)(const Query&);
    };
    const std::vector<Way> ways = {
        {"client_secret_basic", [](const Query& q) { return with_basic(q.text()); }},
        {"client_secret_post",
         [](const Query& q) {
             return post_form(q.with("client_id", kWeb).with("client_secret", secret_of(kWeb)).text());
         }},
        {"none", [](const Query& q) { return post_form(q.with("client_id", kSpa).text()); }},
    };
    struct Endpoint {
        std::string name;
        std::string member;
        Query query;
    };
    const std::vector<Endpoint> endpoints = {
        {"token", "token_endpoint", {{"grant_type", "authorization_code"}, {"code", "x"}}},
        {"introspect", "introspection_endpoint", {{"token", "x"}}},
        {"revoke", "revocation_endpoint", {{"token", "x"}}},
    };
    for (const Row& row : rows) {
        const Deployment op({.config = row.config});
        const auto document = op.cgi("discovery").json();
        for (const Endpoint& endpoint : endpoints) {
            CAPTURE(row.when);
            CAPTURE(endpoint.name);
            const Strings listed = list_of(document, (endpoint.member + "_auth_methods_supported").c_str());
            const Answer nobody = op.cgi(endpoint.name, post_form(endpoint.query.text()));
            if (nobody.member("error") != "invalid_client") {
                CHECK(listed == Strings{"none"});  // nobody is asked, so no way is taken
                continue;
            }
            for (const Way& way : ways) {
                CAPTURE(way.method);
                const Answer answer = op.cgi(endpoint.name, way.request(endpoint.query));
                CHECK((answer.member("error") != "invalid_client") == contains(listed, way.method));
            }
        }
    }
}

TEST_CASE(
    "discovery: prompts, scopes and parameters that are listed do something [OIDC Core §3.1.2.1, §5.5e, §6, Discovery "
    "§3fst, D01, MCP-8]") {
    Deployment op;
    op.configure("scopeDescriptions", json::Object{{"api", "Use the API"}});
    op.must({"client", "set", kWeb, "--scope", "openid profile email address phone api groups"});
    const auto document = op.cgi("discovery").json();
    UserAgent alice(op);
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    const std::vector<std::pair<std::string, std::string>> prompts = {
        {"none", "code"}, {"login", "login"}, {"consent", "consent"}, {"select_account", "login"}, {"create", "code"}};
    for (const auto& [prompt, expected] : prompts) {
        CAPTURE(prompt);
        CHECK(alice.authorize(authorization_request().with("prompt", prompt)).verdict() == expected);
        CHECK(contains(list_of(document, "prompt_values_supported"), prompt) == (prompt != "create"));
    }
    for (const std::string& scope : list_of(document, "scopes_supported")) {
        CAPTURE(scope);
        CHECK(is_taken(op, authorization_request().with("scope", "openid " + scope)));
    }
    for (const std::string scope :
         {"openid", "profile", "email", "address", "phone", "offline_access", "api", "groups"})
        CHECK(contains(list_of(document, "scopes_supported"), scope));
    CHECK(text_of(obtain_tokens(op, alice, authorization_request().with("scope", "openid admin")), "scope") ==
          "openid");
    for (const std::string object : {"x", "e30.e30."})
        CHECK(is_taken(op, authorization_request().with("request", object)) ==
              flag_of(document, "request_parameter_supported", false));
    CHECK(is_taken(op, authorization_request().with("request_uri", "https://a.example/")) ==
          flag_of(document, "request_uri_parameter_supported", true));  // true when left out
    CHECK(flag_of(document, "claims_parameter_supported", false));
    const auto tokens = obtain_tokens(
        op, alice,
        authorization_request().with("scope", "openid email").with("claims", R"({"id_token":{"email":null}})"));
    CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "email") == "alice@op.example");
}

TEST_CASE("discovery: acr and claims are the ones that tokens and UserInfo have [Discovery §3jr, RFC 9470 §7]") {
    const Deployment op;
    const char* claims = R"({"name":"F","family_name":"F","given_name":"F","middle_name":"F","nickname":"F",
        "preferred_username":"F","profile":"https://f.example/","picture":"https://f.example/p","website":"https://f.example/w",
        "gender":"f","birthdate":"2000-01-01","zoneinfo":"Europe/Vienna","locale":"de-AT","email":"f@op.example",
        "email_verified":true,"address":{"locality":"X"},"phone_number":"+1 555","phone_number_verified":false})";
    std::string line = claims;
    std::replace(line.begin(), line.end(), '\n', ' ');
    op.must({"user", "add", "full", "--password-stdin", "--claims-stdin"},
            std::string(kAlicePassword) + "\n" + line + "\n");
    op.must({"group", "add", "staff"});
    op.must({"group", "member", "add", "staff", "full"});
    op.must({"client", "set", kWeb, "--scope", "openid profile email address phone groups"});
    UserAgent full(op);
    const Query request = authorization_request().with("scope", "openid profile email address phone groups");
    const Landing landing = full.approve(full.log_in(full.authorize(request), "full"));
    const auto tokens = redeem(op, token_request(landing.parameter("code"))).json();
    const auto id_token = jwt_claims(text_of(tokens, "id_token"));
    const auto told = userinfo(op, text_of(tokens, "access_token")).json();

    const auto document = op.cgi("discovery").json();
    const Strings listed = list_of(document, "claims_supported");
    for (const std::string& claim : listed) {
        CAPTURE(claim);
        CHECK((id_token.find(claim) || told.find(claim)));
    }
    for (const auto& object : {id_token, told})
        for (const auto& member : object.members())
            if (member.first != "at_hash") CHECK_MESSAGE(contains(listed, member.first), member.first);
    CHECK(contains(list_of(document, "acr_values_supported"), text_of(id_token, "acr")));
}

TEST_CASE(
    "discovery: all well-known addresses answer the same document [IF79, RFC 8414 §3, §3.1, §3.2c, §3.3, §5, "
    "Discovery §4, §4.2c, §4.3, OIDC Core §15.2b, META-1, MCP-2, F2-1]") {
    struct Row {
        std::string issuer;
        std::string openid;
        Strings inserted;
        std::string of_another;  ///< 404
    };
    const Row rows[] = {
        {"https://op.example",
         "/.well-known/openid-configuration",
         {kOAuthPath},
         "/.well-known/openid-configuration/auth"},
        {"https://op.example/auth",
         "/auth/.well-known/openid-configuration",
         {"/.well-known/oauth-authorization-server/auth", "/.well-known/openid-configuration/auth"},
         "/auth/.well-known/openid-configuration/auth"},
        {"https://op.example/a/b",
         "/a/b/.well-known/openid-configuration",
         {"/.well-known/oauth-authorization-server/a/b", "/.well-known/openid-configuration/a/b"},
         "/.well-known/openid-configuration/a"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.issuer);
        const Deployment op({.issuer = row.issuer});
        CgiRequest request;
        request.path = row.openid;
        const Answer appended = op.cgi("discovery", request);
        CHECK(appended.status == 200);
        for (const std::string& path : row.inserted) {
            CAPTURE(path);
            request.path = path;
            const Answer answer = op.cgi("discovery", request);
            CHECK(answer.status == 200);
            CHECK(answer.body == appended.body);
        }
        const auto document = appended.json();
        CHECK(text_of(document, "issuer") == row.issuer);
        for (const std::string member : {"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"})
            CHECK(text_of(document, member).starts_with(std::string(row.issuer) + "/"));
        for (const std::string path :
             {"/.well-known/openid-configuration/", "/.well-known/oauth-authorization-server/x", "/.well-known/",
              "/x/.well-known/openid-configuration", "/.well-known/OPENID-configuration", row.of_another.c_str(),
              "/.well-known/openid%2dconfiguration"}) {
            CAPTURE(path);
            request.path = path;
            CHECK(op.cgi("discovery", request).status == 404);
        }
    }
}

/// The executable behind each member that is an address.
const std::vector<std::pair<std::string, std::string>> kAddresses = {
    {"authorization_endpoint", "authorize"},
    {"token_endpoint", "token"},
    {"introspection_endpoint", "introspect"},
    {"revocation_endpoint", "revoke"},
    {"userinfo_endpoint", "userinfo"},
    {"end_session_endpoint", "logout"},
    {"jwks_uri", "jwks"},
};

/// The status of the executable at the address, by GET.
int status_at(const Deployment& op, const std::string& endpoint, const std::string& url) {
    CgiRequest request;
    request.path = url.substr(url.find('/', std::string("https://").size()));
    return op.cgi(endpoint, request).status;
}

TEST_CASE(
    "discovery: every address in it is answered there, renamed and under a base path, too [IF73, IF85, IF180, RFC 8414 "
    "§2b, RFC 7009 §2b, RFC 7662 §2, Discovery §3bc, RP-Initiated Logout §2.1, D01]") {
    const json::Object renamed{{"authorize", "/oauth/authorize"},
                               {"token", "/v1/token"},
                               {"introspect", "/i"},
                               {"revoke", "/v1/revoke"},
                               {"userinfo", "/me"},
                               {"logout", "/bye"},
                               {"jwks", "/keys.json"},
                               {"login", "/sign-in"},
                               {"scopes", "/consent"}};
    for (const std::string issuer : {"https://op.example", "https://op.example/auth", "https://op.example/a/b"}) {
        for (const bool rename : {false, true}) {
            CAPTURE(issuer);
            CAPTURE(rename);
            Deployment::Options options;
            options.issuer = issuer;
            if (rename) options.config = {{"paths", renamed}};
            const Deployment op(options);
            const auto document = op.cgi("discovery").json();
            const auto is_address = [](const auto& member) {
                return member.first.ends_with("_endpoint") || member.first.ends_with("_uri");
            };
            CHECK(std::ranges::count_if(document.members(), is_address) == std::ssize(kAddresses));
            for (const auto& row : kAddresses) {
                CAPTURE(row.first);
                const std::string url = text_of(document, row.first);
                CHECK(url == op.url(row.second));
                CHECK(url.starts_with(issuer + "/"));
                CHECK(status_at(op, row.second, url) != 404);
                CHECK(status_at(op, row.second, url + "x") == 404);
            }
            UserAgent alice(op);
            CHECK(obtain_tokens(op, alice, authorization_request()).find("access_token") != nullptr);
        }
    }
}

TEST_CASE("discovery: an endpoint that is withdrawn is not in it, and is 404 [IF7, RFC 8414 §2i]") {
    const Deployment op({.config = {{"paths", json::Object{{"authorize", "/oauth/authorize"},
                                                           {"introspect", nullptr},
                                                           {"revoke", nullptr},
                                                           {"userinfo", nullptr},
                                                           {"logout", nullptr}}}}});
    const auto document = op.cgi("discovery").json();
    const std::vector<std::pair<std::string, std::string>> gone = {{"introspection_endpoint", "/token/introspect"},
                                                                   {"revocation_endpoint", "/token/revoke"},
                                                                   {"userinfo_endpoint", "/userinfo"},
                                                                   {"end_session_endpoint", "/logout"}};
    for (const auto& row : kAddresses) {
        for (const auto& withdrawn : gone) {
            if (withdrawn.first != row.first) continue;
            CAPTURE(row.first);
            CHECK(document.find(row.first) == nullptr);
            CHECK(document.find(row.first + "_auth_methods_supported") == nullptr);
            CHECK(status_at(op, row.second, "https://op.example" + withdrawn.second) == 404);
        }
    }
    CHECK(status_at(op, "authorize", "https://op.example/authorize") == 404);  // the old name of a renamed one
}

TEST_CASE("discovery: configured members and scopes are added, computed ones stay [RFC 8414 §2ek, Discovery §3v]") {
    const Deployment op({.config = {{"metadata", json::Object{{"service_documentation", "https://op.example/docs"},
                                                              {"op_policy_uri", "https://op.example/policy"}}},
                                    {"scopeDescriptions", json::Object{{"api", "Use the \"API\" </script>"}}},
                                    {"idTokenAlgorithm", "EdDSA"}}});
    const Answer answer = op.cgi("discovery");
    const auto document = answer.json();
    CHECK(text_of(document, "service_documentation") == "https://op.example/docs");
    CHECK(contains(list_of(document, "scopes_supported"), "api"));
    CHECK(list_of(document, "id_token_signing_alg_values_supported") == Strings{"EdDSA"});
    CHECK_FALSE(has(answer.body, "</script>"));
}

TEST_CASE(
    "discovery: the option metadata replaces nothing [docs: every member the server computes, RFC 8414 §6.2b, "
    "Discovery §3w]") {
    const Deployment op;
    const auto document = op.cgi("discovery").json();
    for (const auto& member : document.members()) {
        CAPTURE(member.first);
        Deployment other;
        other.configure("metadata", json::Object{{member.first, "x"}});
        const Answer answer = other.cgi("discovery");
        CHECK(answer.exit_code == 1);
        CHECK(has(answer.log, "metadata." + member.first));
    }
}

TEST_CASE("discovery: without OpenID Connect only the members of RFC 8414 are left") {
    // RFC 8414 §2, RFC 9207 §3: what this server can say of itself.
    const std::set<std::string> known = {
        "issuer",
        // clang-format off
                                         "authorization_endpoint", "token_endpoint", "jwks_uri", "scopes_supported",
                                         "response_types_supported", "response_modes_supported",
                                         "grant_types_supported", "token_endpoint_auth_methods_supported",
                                         "revocation_endpoint", "revocation_endpoint_auth_methods_supported",
                                         "introspection_endpoint", "introspection_endpoint_auth_methods_supported",
                                         "code_challenge_methods_supported",
                                         "authorization_response_iss_parameter_supported",
        // clang-format on
        "service_documentation"};
    Deployment op;
    auto config = op.config();
    config.erase("oidc");
    config.set("metadata", json::Object{{"service_documentation", "https://op.example/docs"}});
    config.set("scopeDescriptions", json::Object{{"api", "Use the API"}});
    op.write_config(json::write_pretty(config));
    for (const std::string path : {"/.well-known/openid-configuration", kOAuthPath}) {
        CAPTURE(path);
        CgiRequest request;
        request.path = path;
        const auto document = op.cgi("discovery", request).json();
        CHECK(text_of(document, "issuer") == "https://op.example");
        std::set<std::string> names;
        for (const auto& member : document.members()) names.insert(member.first);
        CHECK(names == known);
        CHECK(list_of(document, "scopes_supported") == Strings{"api"});
    }
    CHECK(status_at(op, "userinfo", "https://op.example/userinfo") == 404);
    CHECK(status_at(op, "logout", "https://op.example/logout") == 404);
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().text()))) == "invalid_scope");
    CHECK(is_taken(op, authorization_request().with("scope", "api")));
}

TEST_CASE(
    "discovery and jwks: public, cacheable for at most an hour, open to any page [IF164, D04, D05, H08, RFC 8414 "
    "§3.2a, §6.2a, Discovery §4.1, §4.2ac, §7.2]") {
    const Deployment op;
    const std::vector<std::pair<std::string, std::optional<std::string>>> documents = {
        {"discovery", std::nullopt}, {"discovery", kOAuthPath}, {"jwks", std::nullopt}};
    for (const auto& row : documents) {
        const auto& endpoint = row.first;
        const auto& path = row.second;
        CAPTURE(endpoint);
        CgiRequest plain;
        plain.path = path;
        const std::string document = op.cgi(endpoint, plain).body;
        for (const std::string query :
             {"callback=x", "jsonp=alert", "format=js", "a=%zz", "=", "a=1&a=1", "callback=x&=%zz"}) {
            CAPTURE(query);
            CgiRequest asked = get_request(query);
            asked.path = path;
            asked.headers = {{"If-None-Match", "\"another\""}};
            const Answer answer = op.cgi(endpoint, asked);
            CHECK(answer.status == 200);
            CHECK(answer.body == document);
            CHECK(answer.header("Content-Type").starts_with("application/json"));
            CHECK(answer.header("X-Content-Type-Options") == "nosniff");
        }
        CgiRequest request = get_request("callback=x&=%zz");
        request.path = path;
        request.headers = {{"Origin", "https://page.example"}, {"Host", "evil.example"}};
        const Answer answer = op.cgi(endpoint, request);
        CHECK(answer.status == 200);
        CHECK(answer.header("Content-Type").starts_with("application/json"));
        CHECK(answer.header("X-Content-Type-Options") == "nosniff");
        CHECK(answer.header("Access-Control-Allow-Origin") == "https://page.example");
        CHECK(answer.header("Vary") == "Origin");
        CHECK(answer.header("Cache-Control") == "public, max-age=3600");
        CHECK(answer.body.starts_with("{"));
        CHECK_FALSE(has(answer.body, "evil.example"));
        const std::string tag = answer.header("ETag");
        CHECK(tag.size() > 20);
        request.headers.emplace_back("If-None-Match", "\"other\", W/" + tag);
        const Answer kept = op.cgi(endpoint, request);
        CHECK(kept.status == 304);
        CHECK(kept.body.empty());
        CHECK(kept.header("ETag") == tag);
        CHECK(kept.header("Access-Control-Allow-Origin") == "https://page.example");
        CHECK(kept.header("Vary") == "Origin");
        CHECK_FALSE(kept.has("Content-Length"));
        request.headers.pop_back();
        request.method = "HEAD";
        const Answer head = op.cgi(endpoint, request);
        CHECK(head.status == 200);
        CHECK(head.body.empty());
        CgiRequest post = post_form("a=b");
        const Answer refused = op.cgi(endpoint, post);
        CHECK(refused.status == 405);
        CHECK(has(refused.header("Allow"), "GET"));
    }
}

TEST_CASE(
    "jwks: public members only, one key per algorithm in use [IF80, IF86, RFC 7517 §5, D02, RFC 8414 §2c, OIDC Core "
    "§10.1, §15.2b, Discovery §3d]") {
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
        const std::string kid = text_of(key, "kid");
        CHECK(kid.size() == 43);
        CHECK(kid.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
              std::string::npos);
        for (const std::string secret : {"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
            CHECK(key.find(secret) == nullptr);
    }
    std::sort(algorithms.begin(), algorithms.end());
    CHECK(algorithms == Strings{"ES256", "RS256"});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    for (const std::string name : {"access_token", "id_token"})
        CHECK(has(answer.body, "\"" + text_of(jwt_header(text_of(tokens, name)), "kid") + "\""));
}

TEST_CASE("discovery and jwks: need neither database nor private keys [D02, D03]") {
    const Deployment op;
    std::filesystem::remove_all(op.database_file().parent_path());
    for (const auto& entry : std::filesystem::directory_iterator(op.keys_directory()))
        if (entry.path().filename() != "jwks.json") std::filesystem::remove(entry.path());
    CHECK(op.cgi("discovery").status == 200);
    CgiRequest oauth;
    oauth.path = kOAuthPath;
    CHECK(op.cgi("discovery", oauth).status == 200);
    CHECK(op.cgi("jwks").status == 200);
    CHECK(op.cgi("token", with_basic("grant_type=authorization_code")).status == 500);
}

}  // namespace
