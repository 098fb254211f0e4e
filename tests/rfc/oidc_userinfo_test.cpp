// UserInfo's complete table of refusals, and the options that switch the endpoint on and off (OpenID Connect Core §5.3,
// the interface specification).
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

/// Alice has signed in at the web client, with a refresh token.
struct Site {
    Deployment op;
    UserAgent alice{op};
    json::Object tokens = obtain_tokens(op, alice, authorization_request());
    std::string access = text_of(tokens, "access_token");
};

std::string invalid_token(const std::string& reason) {
    return "401 Bearer error=\"invalid_token\", error_description=\"" + reason + "\"";
}
const std::string kNoScope =
    R"(403 Bearer error="insufficient_scope", error_description="openid scope required", scope="openid")";

/// "200", or the status and the challenge, which must agree with the body; no claim in it, and nobody keeps it.
std::string said(const Answer& answer) {
    CHECK(answer.header("Content-Type") == "application/json");
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("Vary") == "Authorization, Origin");
    if (answer.status == 200) return "200";
    CHECK(answer.json().find("sub") == nullptr);
    const std::string challenge = answer.header("WWW-Authenticate");
    CHECK(has(challenge, "error=\"" + answer.member("error") + "\""));
    CHECK(has(challenge, "error_description=\"" + answer.member("error_description") + "\""));
    return std::to_string(answer.status) + " " + challenge;
}

CgiRequest with_header(const std::string& value) {
    CgiRequest request;
    request.headers = {{"Authorization", value}};
    return request;
}

/// The token with another header in front of its payload and signature.
std::string under_header(const std::string& token, const std::string& header) {
    return postern::util::base64url_encode(header) + token.substr(token.find('.'));
}

TEST_CASE(
    "userinfo: no token, or none that can be read, with the reason [IF171, IF174, the interface specification, RFC "
    "6750 §2.2, §3ad, §3.1b]") {
    const Site site;
    const std::string kMissing =
        "no access token arrived; if one was sent, the web server removes the Authorization header (Apache passes it "
        "with CGIPassAuth On)";
    const std::string kScheme = "the Authorization header is not a Bearer token";
    const std::string kNoJwt = "The token is not a JWT in compact form.";
    const std::string kMalformed = "the access token is malformed";
    CgiRequest in_query = get_request("access_token=" + site.access);
    CgiRequest json_body = post_form("{\"access_token\":\"" + site.access + "\"}");
    json_body.content_type = "application/json";
    CgiRequest get_body = post_form("access_token=" + site.access);
    get_body.method = "GET";
    struct Row {
        std::string when;
        CgiRequest request;
        std::string reason;
    };
    const std::vector<Row> rows = {
        {"nothing", {}, kMissing},
        {"nothing, posted", post_form(""), kMissing},
        {"an empty header", with_header(""), kMissing},
        {"in the query", in_query, kMissing},
        {"in a JSON body", json_body, kMissing},
        {"in the body of GET", get_body, kMissing},
        {"under another name", post_form("token=" + site.access), kMissing},
        {"empty in the body", post_form("access_token="), kMissing},
        {"no scheme", with_header(site.access), kScheme},
        {"another scheme", with_header("DPoP " + site.access), kScheme},
        {"client credentials", with_header(basic(kWeb, secret_of(kWeb))), kScheme},
        {"no token", with_header("Bearer "), kNoJwt},
        {"two tokens", with_header("Bearer x y"), kNoJwt},
        {"twice in the body", post_form("access_token=x&access_token=x"), kMalformed},
        {"badly encoded in the body", post_form("access_token=%zz"), kMalformed},
        {"too long", with_header("Bearer " + std::string(9000, 'a')), kMalformed},
        {"too long in the body", post_form("access_token=" + std::string(9000, 'a')), kMalformed},
        {"a word", with_header("Bearer x"), kNoJwt},
        {"two segments", with_header("Bearer a.b"), kNoJwt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(said(site.op.cgi("userinfo", row.request)) == invalid_token(row.reason));
    }
}

TEST_CASE(
    "userinfo: a token that is not an active access token of this server, with the reason [IF59, IF172, IF174, the interface specification, RFC 6750 §3a, §3.1b, OIDC Core §5.3.3, F2-41]") {
    const std::string kNoJwt = "The token is not a JWT in compact form.";
    const std::string kUnknownKey = "The token is not signed with a key of this server.";
    const std::string kSignature = "The signature of the token is not valid.";
    const std::string kType = "The token is of another kind than is asked for here.";
    const std::string kRevoked = "the access token has been revoked";
    struct Row {
        std::string when;
        std::string reason;
        std::function<std::string(Site&)> token;
    };
    const auto revoked_as = [](const char* member) {
        return [member](Site& site) {
            const Query form = {{"token", text_of(site.tokens, member)}};
            CHECK(as_client(site.op, "revoke", form).status == 200);
            return site.access;
        };
    };
    const auto after = [](std::vector<std::string> command) {
        return [command](Site& site) {
            site.op.must(command);
            return site.access;
        };
    };
    const auto header_with = [](const std::string& header) {
        return [header](Site& site) { return under_header(site.access, header); };
    };
    const std::vector<Row> rows = {
        {"an ID token", kType, [](Site& site) { return text_of(site.tokens, "id_token"); }},
        {"a refresh token", kType, [](Site& site) { return text_of(site.tokens, "refresh_token"); }},
        {"a code", kNoJwt, [](Site& site) { return site.alice.obtain_code(authorization_request()); }},
        {"unsigned", kUnknownKey, header_with(R"({"alg":"none","typ":"at+jwt"})")},
        {"typ JWT", kUnknownKey, header_with(R"({"alg":"ES256","typ":"JWT"})")},
        {"another payload", kSignature,
         [](Site& site) {
             const std::size_t dot = site.access.find('.');
             std::string token = site.access;
             token.replace(dot + 1, 2, token[dot + 1] == 'e' && token[dot + 2] == 'y' ? "ew" : "ey");
             return token;
         }},
        {"another issuer", "The token is from another issuer.",
         [](Site& site) {
             site.op.configure("issuer", "https://other.example");
             return site.access;
         }},
        {"expired", "The token has expired.",
         [](Site& site) {
             site.op.advance(seconds(900));
             return site.access;
         }},
        {"revoked", kRevoked, revoked_as("access_token")},
        {"its grant revoked by the refresh token", kRevoked, revoked_as("refresh_token")},
        {"the user disabled, which ends all grants", kRevoked, after({"user", "disable", kAlice})},
        {"the user removed", "the access token is unknown", after({"user", "remove", kAlice})},
        {"the client removed", "the access token is unknown", after({"client", "remove", kWeb})},
        {"the client disabled", "the client of the access token is disabled", after({"client", "disable", kWeb})},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Site site;
        const std::string token = row.token(site);
        CHECK(said(userinfo(site.op, token)) == invalid_token(row.reason));
        CHECK(said(site.op.cgi("userinfo", post_form(Query{{"access_token", token}}.text()))) ==
              invalid_token(row.reason));
    }
    const Site untouched;
    CHECK(said(userinfo(untouched.op, untouched.access)) == "200");
}

TEST_CASE("userinfo: an opaque refresh token is not an access token either [F08, J11]") {
    const Deployment op({.config = {{"useOpaqueRefreshTokens", true}}});
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    REQUIRE_FALSE(text_of(tokens, "refresh_token").empty());
    CHECK(said(userinfo(op, text_of(tokens, "refresh_token"))) ==
          invalid_token("The token is not a JWT in compact form."));
}

TEST_CASE(
    "userinfo: a valid token without openid is 403 with the scope that is missing [IF5, IF173, RFC 6750 §3c, §3.1c, "
    "U04, U09, OIDC Core §5.3.3, F2-42]") {
    const Deployment op;
    UserAgent alice(op);
    struct Row {
        std::string when;
        std::string token;
        std::string answer;
    };
    const auto scoped = [&](const std::string& scope) {
        return text_of(obtain_tokens(op, alice, authorization_request().with("scope", scope)), "access_token");
    };
    const std::vector<Row> rows = {
        {"other OpenID scopes", scoped("profile email"), kNoScope},
        {"no OpenID scope", scoped("api"), kNoScope},
        {"a client's own token", redeem(op, {{"grant_type", "client_credentials"}}, kMachine).member("access_token"),
         kNoScope},
        {"openid alone", scoped("openid"), "200"},
        {"openid last", scoped("api openid"), "200"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(said(userinfo(op, row.token)) == row.answer);
        CHECK(said(op.cgi("userinfo", post_form(Query{{"access_token", row.token}}.text()))) == row.answer);
    }
    op.must({"client", "disable", kMachine});
    CHECK(said(userinfo(op, rows[2].token)) == invalid_token("the client of the access token is disabled"));
}

TEST_CASE(
    "userinfo: a refusal of the server's own carries no claims and no challenge of another scheme [RFC 9110 §11.6]") {
    const Site site;
    CgiRequest head = bearer(site.access);
    head.method = "HEAD";
    const Answer refused = site.op.cgi("userinfo", head);
    CHECK(refused.status == 405);  // nothing would remain of an answer without its body
    CHECK(refused.header("Allow") == "GET, POST, OPTIONS");
    CHECK(refused.body.empty());
    CHECK_FALSE(refused.has("WWW-Authenticate"));
}

TEST_CASE(
    "options: UserInfo is there with issuer and oidc, and only then [IF7, IF17, IF78, IF148, the interface "
    "specification, Discovery §3c]") {
    struct Row {
        std::string when;
        std::optional<json::Value> oidc;
        std::optional<json::Value> paths;
        bool offered;
    };
    const std::vector<Row> rows = {
        {"oidc", json::Object{}, {}, true},
        {"oidc with its callback named", json::Object{{"userClaims", "database"}}, {}, true},
        {"no oidc", {}, {}, false},
        {"oidc, the path null", json::Object{}, json::Object{{"userinfo", nullptr}}, false},
        {"no oidc, the path named", {}, json::Object{{"userinfo", "/userinfo"}}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Site site;
        auto config = site.op.config();
        config.erase("oidc");
        if (row.oidc) config.set("oidc", *row.oidc);
        if (row.paths) config.set("paths", *row.paths);
        site.op.write_config(json::write_pretty(config));
        CgiRequest options;
        options.method = "OPTIONS";
        CHECK(userinfo(site.op, site.access).status == (row.offered ? 200 : 404));
        CHECK(site.op.cgi("userinfo", post_form("access_token=" + site.access)).status == (row.offered ? 200 : 404));
        CHECK(site.op.cgi("userinfo").status == (row.offered ? 401 : 404));
        CHECK(site.op.cgi("userinfo", options).status == (row.offered ? 204 : 404));
        CHECK((site.op.cgi("discovery").json().find("userinfo_endpoint") != nullptr) == row.offered);
    }
}

TEST_CASE(
    "options: without oidc no ID token is issued and its scopes are unknown [IF18, the interface specification]") {
    for (const bool on : {true, false}) {
        CAPTURE(on);
        Deployment op;
        auto config = op.config();
        if (!on) config.erase("oidc");
        op.write_config(json::write_pretty(config));
        UserAgent alice(op);
        const Query request = authorization_request().with("scope", "api");
        CHECK(verdict_of(op, op.cgi("authorize", get_request(request.with("scope", "openid api").text()))) ==
              (on ? "login" : "invalid_scope"));
        const auto tokens = obtain_tokens(op, alice, on ? request.with("scope", "openid api") : request);
        CHECK((tokens.find("id_token") != nullptr) == on);
    }
    Deployment op;
    auto config = op.config();
    config.erase("issuer");
    op.write_config(json::write_pretty(config));
    const Answer answer = op.cgi("userinfo", {});
    CHECK(answer.status == 500);
    CHECK(has(answer.log, "issuer"));
}

}  // namespace
