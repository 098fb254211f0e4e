// What ID tokens and access tokens say (OpenID Connect Core §2, RFC 9068).
#include "oidc/id_token.h"

#include <doctest/doctest.h>

#include "crypto/digest.h"
#include "jose/jwt.h"
#include "json/writer.h"
#include "model/session.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "support/rules_fixture.h"
#include "util/base64.h"
#include "util/text.h"

using namespace postern;

namespace {

model::Grant grant_of(const test::RulesFixture& fixture) {
    model::Grant grant;
    grant.id = model::GrantId("grant");
    grant.client_id = model::ClientId("app");
    grant.subject = model::Subject("alice-sub");
    grant.scope = *model::Scope::parse("openid email");
    grant.auth_time = fixture.clock.now() - util::Seconds{30};
    grant.sid = model::Sid("sid-1");
    grant.acr = oauth::kPasswordAcr;
    grant.amr = "pwd";
    return grant;
}

std::vector<std::string> names(const json::Object& object) {
    std::vector<std::string> result;
    for (const auto& [name, value] : object.members()) result.push_back(name);
    return result;
}

std::string text_in(const json::Object& object, const char* name) {
    const auto* value = object.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

std::int64_t number(const json::Object& object, const char* name) {
    const auto* value = object.find(name);
    return value && value->if_integer() ? *value->if_integer() : -1;
}

}  // namespace

TEST_CASE("make_id_token: protocol claims and nothing else [OIDC Core §2dhij, §12.2c]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    const auto now = util::to_epoch(fixture.clock.now());
    const std::string token = oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, "n-0S6_WzA2Mj", "hash"});
    const auto jwt = jose::verify_jwt(fixture.keys->verifier(), token, jose::TokenType::id_token, "https://op.example",
                                      fixture.clock.now(), jose::Expiry::enforced);
    REQUIRE(jwt);
    const json::Object& claims = *jwt->claims;
    CHECK(names(claims) == std::vector<std::string>{"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr",
                                                    "nonce", "at_hash", "sid"});
    CHECK(text_in(claims, "sub") == "alice-sub");
    CHECK(text_in(claims, "aud") == "app");
    CHECK(number(claims, "exp") == now + 3600);
    CHECK(number(claims, "iat") == now);
    CHECK(number(claims, "auth_time") == now - 30);
    CHECK(text_in(claims, "nonce") == "n-0S6_WzA2Mj");
    CHECK(text_in(claims, "at_hash") == "hash");
    CHECK(text_in(claims, "sid") == "sid-1");
    CHECK(text_in(claims, "acr") == "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport");
    CHECK(json::write(*claims.find("amr")) == R"(["pwd"])");  // RFC 8176 §2

    const std::string plain = oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "access"});
    const auto without = jose::verify_jwt(fixture.keys->verifier(), plain, jose::TokenType::id_token,
                                          "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
    REQUIRE(without);
    CHECK_FALSE(without->claims->find("nonce"));
}

TEST_CASE("make_id_token: claims that were asked for by name follow the protocol's own [OIDC Core §5.5c]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    json::Object asked{{"name", "Alice"}, {"email_verified", true}};
    const auto jwt =
        jose::verify_jwt(fixture.keys->verifier(),
                         oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "access", asked}),
                         jose::TokenType::id_token, "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
    REQUIRE(jwt);
    CHECK(names(*jwt->claims) == std::vector<std::string>{"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr",
                                                          "at_hash", "sid", "name", "email_verified"});
    CHECK(text_in(*jwt->claims, "name") == "Alice");
}

TEST_CASE("at_hash: the left half of the digest [OIDC Core §3.1.3.6]") {
    // The access token and value of OpenID Connect Core appendix A.3.
    oauth::AccessTokenIssue access;
    access.value = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    access.digest = crypto::sha256(access.value);
    CHECK(oidc::at_hash(crypto::Algorithm::RS256, access) == "77QmUPtjPfzWtF2AnpK9RQ");
    CHECK(oidc::at_hash(crypto::Algorithm::EdDSA, access).size() == 43);
}

TEST_CASE("c_hash: the left half of the digest [HYB-4, OIDC Core §3.3.2.11c]") {
    // The code and value of OpenID Connect Core appendix A.4.
    const std::string code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk";
    CHECK(oidc::c_hash(crypto::Algorithm::RS256, code) == "LDktKdoQak3Pk0cnXxCltA");
    CHECK(oidc::c_hash(crypto::Algorithm::ES256, code) == "LDktKdoQak3Pk0cnXxCltA");
    CHECK(oidc::c_hash(crypto::Algorithm::EdDSA, code).size() == 43);
}

TEST_CASE("front ID tokens: the hashes of what is beside them, and scope claims where they are alone [HYB-4, HYB-5]") {
    using enum model::ResponseType;
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    client.id_token_claims = true;
    model::AuthorizationRequest request;
    request.nonce = "n-0S6_WzA2Mj";
    oauth::AccessTokenIssue access;
    access.value = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    access.digest = crypto::sha256(access.value);
    const auto everything = [](const model::Subject&) {
        return json::Object{{"email", "alice@example.org"}, {"name", "Alice"}, {"nickname", "al"}};
    };
    struct Row {
        model::ResponseType type;
        const char* asked_for;
        const char* after_nonce;  ///< the claims behind it
    };
    const Row rows[] = {
        {id_token, "", "sid email"},
        {id_token, "name", "sid email name"},
        {id_token_token, "", "at_hash sid"},
        {id_token_token, "name", "at_hash sid name"},
        {code_id_token, "", "c_hash sid"},
        {code_id_token, "name email", "c_hash sid email name"},
        {code_id_token_token, "", "at_hash c_hash sid"},
    };
    for (const auto algorithm : {crypto::Algorithm::RS256, crypto::Algorithm::ES256, crypto::Algorithm::EdDSA}) {
        fixture.settings.id_token_algorithms = {algorithm};
        for (const Row& row : rows) {
            CAPTURE(to_string(row.type));
            CAPTURE(row.asked_for);
            request.response_type = row.type;
            model::Grant given = grant;
            given.claims.id_token = model::parse_claim_names(row.asked_for);
            oauth::FrontAnswer answer{client, given, request};
            if (model::yields_code(row.type)) answer.code = "a code";
            if (model::yields_token(row.type)) answer.access = access;
            const auto jwt = jose::verify_jwt(
                fixture.keys->verifier(), oidc::front_id_tokens_with(context, everything)(answer),
                jose::TokenType::id_token, "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
            REQUIRE(jwt);
            std::vector<std::string> expected = {"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce"};
            for (const auto name : util::split(row.after_nonce, ' ')) expected.emplace_back(name);
            CHECK(names(*jwt->claims) == expected);
            CHECK(text_in(*jwt->claims, "nonce") == "n-0S6_WzA2Mj");
            if (answer.access) CHECK(text_in(*jwt->claims, "at_hash") == oidc::at_hash(algorithm, access));
            if (answer.code) CHECK(text_in(*jwt->claims, "c_hash") == oidc::c_hash(algorithm, "a code"));
        }
    }
}

TEST_CASE("front ID tokens: claims for which the answer has no room are left out, the longest first [HYB-5]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    auto grant = grant_of(fixture);
    grant.scope = *model::Scope::parse("openid email profile");
    const model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    model::AuthorizationRequest request;
    request.response_type = model::ResponseType::id_token;
    const auto everything = [](const model::Subject&) {
        return json::Object{{"email", "alice@example.org"}, {"name", std::string(900, 'A')}, {"nickname", "al"}};
    };
    const auto told = [&](std::size_t room) {
        oauth::FrontAnswer answer{client, grant, request};
        answer.claim_bytes = room;
        const std::string token = oidc::front_id_tokens_with(context, everything)(answer);
        const auto jwt = jose::verify_jwt(fixture.keys->verifier(), token, jose::TokenType::id_token,
                                          "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
        REQUIRE(jwt);
        std::string words;
        for (const char* name : {"email", "name", "nickname"})
            if (jwt->claims->find(name)) words += std::string(name) + " ";
        return words;
    };
    CHECK(told(4096) == "email name nickname ");
    CHECK(told(1000) == "email nickname ");
    CHECK(told(100) == "");
}

TEST_CASE("ID tokens: a client's own algorithm signs, at either endpoint [ALG-1]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    const auto none = [](const model::Subject&) { return json::Object(); };
    oauth::AccessTokenIssue access;
    access.value = "token";
    access.digest = crypto::sha256(access.value);
    model::AuthorizationRequest request;
    request.response_type = model::ResponseType::id_token;
    const auto algorithms = [&] {
        const std::string back = *oidc::id_tokens_with(context, none)({client, grant, grant.scope, access, {}});
        const std::string front = oidc::front_id_tokens_with(context, none)({client, grant, request});
        std::string words;
        for (const std::string& token : {back, front}) {
            const std::string header = *util::base64url_decode(token.substr(0, token.find('.')));
            for (const char* name : {"RS256", "ES256"})
                if (header.find(name) != std::string::npos) words += std::string(name) + " ";
        }
        return words;
    };
    CHECK(algorithms() == "RS256 RS256 ");
    fixture.settings.id_token_algorithms = {crypto::Algorithm::ES256, crypto::Algorithm::RS256};
    CHECK(algorithms() == "ES256 ES256 ");
    client.id_token_algorithm = crypto::Algorithm::RS256;
    CHECK(algorithms() == "RS256 RS256 ");
    fixture.settings.id_token_algorithms = {crypto::Algorithm::ES256};
    CHECK_THROWS_AS(algorithms(), std::runtime_error);
}

TEST_CASE("make_access_token: the claims of the interface specification, aud on request only [IF39]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    const auto issue = oauth::make_access_token(context, {grant, grant.scope, {}, "alice"});
    const auto jwt = jose::verify_jwt(fixture.keys->verifier(), issue.value, jose::TokenType::access_token,
                                      "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
    REQUIRE(jwt);
    CHECK(names(*jwt->claims) ==
          std::vector<std::string>{"iss", "sub", "cid", "scope", "jti", "iat", "exp", "username"});
    CHECK(text_in(*jwt->claims, "cid") == "app");
    CHECK(text_in(*jwt->claims, "scope") == "openid email");
    CHECK(text_in(*jwt->claims, "jti").starts_with("grant."));
    CHECK(text_in(*jwt->claims, "username") == "alice");
    CHECK(number(*jwt->claims, "exp") - number(*jwt->claims, "iat") == 900);
    CHECK(issue.record.token_hash == oauth::hash_of(issue.value));
    CHECK(issue.record.jti == text_in(*jwt->claims, "jti"));

    fixture.settings.username_in_access_token = false;
    const model::Scope none;
    const auto narrow = oauth::make_access_token(context, {grant, none, {.audience = "https://api.example"}, "alice"});
    const auto second = jose::verify_jwt(fixture.keys->verifier(), narrow.value, jose::TokenType::access_token,
                                         "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
    REQUIRE(second);
    CHECK(names(*second->claims) == std::vector<std::string>{"iss", "sub", "cid", "jti", "iat", "exp", "aud"});
    CHECK(text_in(*second->claims, "aud") == "https://api.example");
}

TEST_CASE(
    "make_access_token: the claims of profile rfc9068, with the algorithm of ID tokens [ATP-1, ATP-2, ATP-3, ATP-4, ATP-5, ATP-6, ATP-7, ATP-8, "
    "CLAIM-6, LEVEL-6, RFC 9068 §2.1ab, §2.2, §2.2.1, §2.2.2, §2.2.3.1, §5b, RFC 9470 §6.1]") {
    test::RulesFixture fixture;
    fixture.settings.oidc = true;
    auto context = fixture.context();
    auto grant = grant_of(fixture);
    const auto made = [&](const model::Grant& of, const char* scope, bool with_groups) {
        const model::Scope words = *model::Scope::parse(scope);
        const auto issue = oauth::make_access_token(context, {.grant = of,
                                                              .scope = words,
                                                              .target = {.audience = "https://api.example"},
                                                              .username = "alice",
                                                              .profile = model::TokenProfile::rfc9068,
                                                              .with_groups = with_groups});
        const auto jwt = jose::verify_jwt(fixture.keys->verifier(), issue.value, jose::TokenType::access_token,
                                          "https://op.example", fixture.clock.now(), jose::Expiry::enforced);
        REQUIRE(jwt);
        CHECK(util::base64url_decode(issue.value.substr(0, issue.value.find('.')))->find("\"RS256\"") !=
              std::string::npos);
        return names(*jwt->claims);
    };
    using Names = std::vector<std::string>;
    const Names user = {"iss", "sub", "cid",       "scope",     "jti", "iat",
                        "exp", "aud", "client_id", "auth_time", "acr", "amr"};
    CHECK(made(grant, "openid groups", false) == user);
    CHECK(made(grant, "openid", true) == user);
    auto with_groups = user;
    with_groups.emplace_back("groups");
    CHECK(made(grant, "openid groups", true) == with_groups);

    fixture.settings.login.method = login::Method::remote_user;
    grant.auth_time = model::kAuthTimeUnknown;
    grant.acr = grant.amr = "";
    CHECK(made(grant, "openid", false) == Names{"iss", "sub", "cid", "scope", "jti", "iat", "exp", "aud", "client_id"});
    grant.subject = {};
    CHECK(made(grant, "read", true) == Names{"iss", "sub", "cid", "scope", "jti", "iat", "exp", "aud", "client_id"});
}

TEST_CASE("make_access_token: lives as long as the resource says, never longer than others [RES-2]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    const auto life = [&](util::Seconds ttl) {
        const auto issue =
            oauth::make_access_token(context, {grant, grant.scope, {.audience = "a", .access_token_ttl = ttl}});
        return (issue.record.expires_at - issue.record.issued_at).count();
    };
    CHECK(life(util::Seconds{60}) == 60);
    CHECK(life(util::Seconds{901}) == 900);
}

TEST_CASE(
    "an ID token is not an access token, and an access token not an ID token [RFC 8725 §3.12, OIDC Core §16.11]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto grant = grant_of(fixture);
    const std::string id = oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "a"});
    const auto access = oauth::make_access_token(context, {grant, grant.scope});
    CHECK_FALSE(jose::verify_jwt(fixture.keys->verifier(), id, jose::TokenType::access_token, "https://op.example",
                                 fixture.clock.now(), jose::Expiry::enforced));
    CHECK_FALSE(jose::verify_jwt(fixture.keys->verifier(), access.value, jose::TokenType::id_token,
                                 "https://op.example", fixture.clock.now(), jose::Expiry::enforced));
}

TEST_CASE("make_id_token: where the web server authenticates users, unknown facts are left out [OIDC Core §2h]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.settings.login.method = login::Method::remote_user;
    auto grant = grant_of(fixture);
    grant.acr = grant.amr = "";
    const auto claims_of = [&] {
        const std::string token =
            oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "access"});
        return jose::verify_jwt(fixture.keys->verifier(), token, jose::TokenType::id_token, "https://op.example",
                                fixture.clock.now(), jose::Expiry::enforced)
            ->claims;
    };
    CHECK(names(*claims_of()) ==
          std::vector<std::string>{"iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "sid"});
    grant.auth_time = model::kAuthTimeUnknown;
    CHECK(names(*claims_of()) == std::vector<std::string>{"iss", "sub", "aud", "exp", "iat", "at_hash", "sid"});
}
