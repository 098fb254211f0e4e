// Response types with tokens in the answer of the authorization endpoint (OpenID Connect Core §3.2, §3.3, OAuth 2.0
// Multiple Response Types): off by default, and then by client.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/digest.h"
#include "has.h"
#include "jose/jwk.h"
#include "jose/jws.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "util/base64.h"
#include "util/text.h"

namespace {

using namespace postern::test;
namespace json = postern::json;
using Names = std::set<std::string>;

const std::vector<std::string> kTypes = {"id_token",   "id_token token",      "code id_token",
                                         "code token", "code id_token token", "token"};

bool has_word(std::string_view type, std::string_view word) {
    for (const auto one : postern::util::split(type, ' '))
        if (one == word) return true;
    return false;
}

json::Object all_types() {
    return {{"responseTypes", json::strings({"code", "token", "id_token", "id_token token", "code id_token",
                                             "code token", "code id_token token"})}};
}

/// The client kWeb may ask for every type.
void register_for_all(const Deployment& op, const std::string& client = kWeb) {
    std::vector<std::string> command = {"client", "set", client};
    for (const char* grant : {"authorization_code", "refresh_token", "implicit"})
        command.insert(command.end(), {"--grant", grant});
    command.insert(command.end(), {"--response-type", "code"});
    for (const std::string& type : kTypes) command.insert(command.end(), {"--response-type", type});
    op.must(command);
}

struct Site {
    Deployment op;
    UserAgent alice{op};
    explicit Site(const json::Object& more = {}) : op({.issuer = "https://op.example", .config = with(more)}) {
        register_for_all(op);
    }

private:
    static json::Object with(const json::Object& more) {
        json::Object config = all_types();
        for (const auto& [name, value] : more.members()) config.set(name, value);
        return config;
    }
};

Query asking(const std::string& type, const std::string& client = kWeb) {
    return authorization_request(client).with("response_type", type);
}

Names names_of(const Landing& landing) {
    Names names;
    for (const char* name : {"access_token", "token_type", "expires_in", "scope", "code", "id_token", "state", "iss",
                             "refresh_token", "error", "session_state"})
        if (!landing.parameter(name).empty()) names.insert(name);
    return names;
}

std::string left_half(const std::string& text, const std::string& algorithm) {
    const std::string digest = algorithm == "EdDSA" ? postern::crypto::sha512(text) : postern::crypto::sha256(text);
    return postern::util::base64url_encode(digest.substr(0, digest.size() / 2));
}

std::string text_or_none(const json::Object& claims, const char* name) {
    return claims.find(name) ? text_of(claims, name) : "";
}

TEST_CASE(
    "front channel: each response type has its parameters, in the fragment and with state and iss [HYB-3, HYB-4, OIDC "
    "Core §3.2.2.1a, §3.2.2.5, §3.3.2.5, Multiple Response Types §3, §5a]") {
    const Site site;
    for (const std::string& type : kTypes) {
        CAPTURE(type);
        UserAgent alice(site.op);
        const Landing landing = alice.sign_in(asking(type));
        Names expected = {"state", "iss"};
        if (has_word(type, "code")) expected.insert("code");
        if (has_word(type, "id_token")) expected.insert("id_token");
        if (has_word(type, "token")) expected.insert({"access_token", "token_type", "expires_in", "scope"});
        CHECK(names_of(landing) == expected);
        CHECK(landing.mode == "fragment");
        CHECK(landing.url.find('?') == std::string::npos);
        CHECK(landing.parameter("state") == kState);
        CHECK(landing.parameter("iss") == site.op.issuer());
        CHECK(landing.answer.status == 303);
        CHECK(landing.answer.header("Cache-Control") == "no-store");
        CHECK(landing.answer.header("Referrer-Policy") == "no-referrer");
        for (const char* secret : {"access_token", "code", "id_token"}) {
            const std::string value = landing.parameter(secret);
            if (value.empty()) continue;
            CHECK_FALSE(has(landing.answer.log, value));
            CHECK_FALSE(has(site.op.stored(), value));
        }
    }
    CHECK(UserAgent(site.op).sign_in(asking("token id_token code")).verdict() == "token");
}

TEST_CASE("front channel: by a form that posts itself, from pages whose policy is as ever [HYB-3, Form Post §2f]") {
    const Site site;
    UserAgent alice(site.op);
    std::string policy;
    for (const std::string type : {"code", "id_token", "code id_token", "code id_token token"}) {
        CAPTURE(type);
        const Landing landing = alice.sign_in(asking(type).with("response_mode", "form_post"));
        CHECK(landing.mode == "form_post");
        CHECK(landing.url == redirect_uri_of(kWeb));
        CHECK(landing.posted.contains("id_token") == has_word(type, "id_token"));
        CHECK(landing.posted.contains("code") == has_word(type, "code"));
        CHECK(landing.answer.header("Cache-Control") == "no-store");
        const std::string now = landing.answer.header("Content-Security-Policy");
        if (!policy.empty()) CHECK(now == policy);
        policy = now;
        CHECK_FALSE(landing.answer.has("Access-Control-Allow-Origin"));
    }
}

TEST_CASE(
    "front channel: the ID token is signed, of this user, for this client, with nonce and the hashes of what is beside "
    "it [HYB-4, OIDC Core §3.2.2.9, §3.2.2.10, §3.3.2.11abc, §16.11]") {
    for (const std::string algorithm : {"RS256", "ES256", "EdDSA"}) {
        const Site site({{"idTokenAlgorithms", json::strings({algorithm})}});
        const auto keys = postern::jose::parse_jwk_set(site.op.cgi("jwks").body);
        REQUIRE(keys);
        postern::jose::Verifier verifier(*keys);
        UserAgent alice(site.op);
        for (const std::string& type : kTypes) {
            if (!has_word(type, "id_token")) continue;
            CAPTURE(algorithm);
            CAPTURE(type);
            const Landing landing = alice.sign_in(asking(type));
            const std::string token = landing.parameter("id_token");
            CHECK(static_cast<bool>(verifier.verify(token, postern::jose::TokenType::id_token)));
            CHECK(text_of(jwt_header(token), "alg") == algorithm);
            const json::Object claims = jwt_claims(token);
            CHECK(text_of(claims, "iss") == site.op.issuer());
            CHECK(text_of(claims, "aud") == kWeb);
            CHECK(text_of(claims, "sub") == subject_of(site.op, kAlice));
            CHECK(text_of(claims, "nonce") == kNonce);
            CHECK(number_of(claims, "exp") - number_of(claims, "iat") == 3600);
            CHECK(claims.find("s_hash") == nullptr);
            const bool has_token = has_word(type, "token");
            CHECK(text_or_none(claims, "at_hash") ==
                  (has_token ? left_half(landing.parameter("access_token"), algorithm) : ""));
            const bool has_code = has_word(type, "code");
            CHECK(text_or_none(claims, "c_hash") == (has_code ? left_half(landing.parameter("code"), algorithm) : ""));
        }
    }
}

TEST_CASE(
    "front channel: the ID token of the token endpoint is of the same user, login and session [HYB-4, OIDC Core "
    "§3.3.3.6]") {
    Site site;
    const Landing landing = site.alice.sign_in(asking("code id_token token"));
    const Answer redeemed = redeem(site.op, token_request(landing.parameter("code")));
    REQUIRE(redeemed.status == 200);
    const json::Object front = jwt_claims(landing.parameter("id_token"));
    const json::Object back = jwt_claims(redeemed.member("id_token"));
    for (const char* name : {"iss", "sub", "aud", "nonce", "sid", "acr"})
        CHECK(text_of(front, name) == text_of(back, name));
    CHECK(number_of(front, "auth_time") == number_of(back, "auth_time"));
    CHECK(back.find("c_hash") == nullptr);
    CHECK(text_of(back, "at_hash") == left_half(redeemed.member("access_token"), "RS256"));
}

TEST_CASE(
    "front channel: claims of scopes are in an ID token that stands alone; claims by name in each [HYB-5, OIDC Core "
    "§5.4ce, §5.5c]") {
    Site site;
    site.op.must({"user", "set", kAlice, "--claim", "email=alice@example.org"});
    site.op.must({"client", "set", kWeb, "--id-token-claims"});
    for (const std::string& type : kTypes) {
        if (!has_word(type, "id_token")) continue;
        CAPTURE(type);
        const Landing plain = site.alice.sign_in(asking(type));
        const bool alone = type == "id_token";
        CHECK(text_or_none(jwt_claims(plain.parameter("id_token")), "email") == (alone ? "alice@example.org" : ""));
        const Landing named = site.alice.sign_in(asking(type).with("claims", R"({"id_token":{"email":null}})"));
        CHECK(text_of(jwt_claims(named.parameter("id_token")), "email") == "alice@example.org");
        if (!has_word(type, "code")) continue;
        const Answer redeemed = redeem(site.op, token_request(plain.parameter("code")));
        CHECK(text_of(jwt_claims(redeemed.member("id_token")), "email") == "alice@example.org");  // --id-token-claims
    }
}

TEST_CASE(
    "front channel: what is refused, where, and with which error [HYB-1, HYB-2, HYB-3, OIDC Core §3.2.2.1b, §3.2.2.6, "
    "§3.3.2.6, Multiple Response Types §5b]") {
    const Site site;
    struct Row {
        const char* when;
        Query request;
        const char* expected;
        const char* mode = "fragment";
    };
    const std::vector<Row> rows = {
        {"no nonce", asking("id_token").without("nonce"), "invalid_request"},
        {"no nonce beside a token", asking("id_token token").without("nonce"), "invalid_request"},
        {"no nonce beside a code", asking("code id_token").without("nonce"), "invalid_request"},
        {"no openid", asking("code id_token").with("scope", "email"), "invalid_request"},
        {"in the query", asking("code id_token").with("response_mode", "query"), "invalid_request"},
        {"code and token in the query", asking("code token").with("response_mode", "query"), "invalid_request"},
        {"an unknown mode", asking("id_token").with("response_mode", "web_message"), "invalid_request"},
        {"no nonce, by form", asking("id_token").without("nonce").with("response_mode", "form_post"), "invalid_request",
         "form_post"},
        {"a word twice", asking("id_token id_token"), "unsupported_response_type"},
        {"an unknown word beside it", asking("id_token none"), "unsupported_response_type"},
        {"nothing", asking("id_token").without("response_type"), "invalid_request", "query"},
        {"a request object first", asking("id_token").without("nonce").with("request", "e30.e30."),
         "request_not_supported"},
        {"nobody is logged in", asking("code id_token").with("prompt", "none"), "login_required"},
        {"a client of another type", asking("code id_token", kOther), "unauthorized_client"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Answer answer = site.op.cgi("authorize", get_request(row.request.text()));
        const auto landing = leave(site.op, answer);
        REQUIRE(landing);
        CHECK(landing->parameter("error") == row.expected);
        CHECK(landing->parameter("state") == kState);
        CHECK(landing->parameter("iss") == site.op.issuer());
        CHECK(landing->mode == row.mode);
    }
    const Deployment off({.config = {{"responseTypes", json::strings({"code", "id_token"})}}});
    for (const std::string& type : kTypes) {
        CAPTURE(type);
        if (type == "id_token") continue;
        const Landing landing = UserAgent(off).authorize(asking(type));
        CHECK(landing.verdict() == "unsupported_response_type");
        CHECK(landing.mode == "fragment");
    }
}

TEST_CASE("front channel: public clients prove a code with PKCE, and nothing else [HYB-1, RFC 7636 §4.4.1]") {
    const Site site;
    register_for_all(site.op, kSpa);
    for (const std::string& type : kTypes) {
        CAPTURE(type);
        const Query without = asking(type, kSpa).without("code_challenge").without("code_challenge_method");
        CHECK(verdict_of(site.op, site.op.cgi("authorize", get_request(without.text())), kSpa) ==
              (has_word(type, "code") ? "invalid_request" : "login"));
    }
    UserAgent alice(site.op);
    const Landing landing = alice.sign_in(asking("code id_token", kSpa));
    CHECK(redeem(site.op, token_request(landing.parameter("code"), kSpa), kSpa).status == 200);
}

TEST_CASE("front channel: an ID token alone leaves nothing behind but the remembered approval [HYB-6]") {
    Site site;
    REQUIRE(site.alice.sign_in(asking("id_token")).verdict() == "id_token");
    for (const std::string table : {"grants", "authorization_codes", "access_tokens", "refresh_tokens"})
        CHECK(site.op.count_rows(table) == 0);
    CHECK(site.op.count_rows("consents") == 1);
    CHECK(site.alice.authorize(asking("id_token").with("prompt", "none")).verdict() == "id_token");
}

TEST_CASE(
    "front channel: one grant for a hybrid answer; a replay of its code ends the token beside it, a wrong verifier does "
    "not [HYB-6, RFC 6749 §4.1.2c]") {
    Site site;
    const Landing landing = site.alice.sign_in(asking("code id_token token").with("scope", "openid offline_access"));
    const std::string front = landing.parameter("access_token");
    CHECK(site.op.count_rows("grants") == 1);
    CHECK(site.op.count_rows("access_tokens") == 1);
    CHECK(jwt_claims(front).find("aud") == nullptr);
    CHECK(userinfo(site.op, front).status == 200);
    const Answer redeemed = redeem(site.op, token_request(landing.parameter("code")));
    REQUIRE(redeemed.status == 200);
    CHECK_FALSE(redeemed.member("refresh_token").empty());  // by the code, never in front
    CHECK(userinfo(site.op, redeemed.member("access_token")).status == 200);
    CHECK(redeem(site.op, token_request(landing.parameter("code"))).verdict() == "400 invalid_grant");
    CHECK(userinfo(site.op, front).status == 401);
    CHECK(userinfo(site.op, redeemed.member("access_token")).status == 401);

    const Landing second = site.alice.sign_in(asking("code token"));
    const Query wrong = token_request(second.parameter("code")).with("code_verifier", std::string(43, 'v'));
    CHECK(redeem(site.op, wrong).verdict() == "400 invalid_grant");
    CHECK(redeem(site.op, token_request(second.parameter("code"))).verdict() == "400 invalid_grant");
    CHECK(userinfo(site.op, second.parameter("access_token")).status == 200);
}

TEST_CASE("front channel: one request yields one answer, however often its button is pressed [HYB-6]") {
    for (const std::string& type : kTypes) {
        CAPTURE(type);
        Site site;
        const Landing consent = site.alice.log_in(site.alice.authorize(asking(type)));
        const Landing landing = site.alice.approve(consent);
        REQUIRE(landing.left);
        CHECK(landing.parameter("error").empty());
        CHECK(site.alice.open(landing.visited.back()).verdict() == "page 400");
        CHECK(site.alice.approve(consent).verdict() == "page 400");
    }
}

TEST_CASE("front channel: it ends at once where option or registration end, requests under way included [HYB-1]") {
    Site site;
    const Landing consent = site.alice.log_in(site.alice.authorize(asking("code id_token")));
    site.op.must({"client", "set", kWeb, "--response-type", "code"});
    const Landing lost = site.alice.approve(consent);
    CHECK(lost.verdict() == "unauthorized_client");
    CHECK(lost.mode == "fragment");
    register_for_all(site.op);
    const Landing again = site.alice.authorize(asking("code id_token"));
    site.op.configure("responseTypes", json::strings({"code", "token"}));
    const Landing off = site.alice.approve(again);
    CHECK(off.verdict() == "unsupported_response_type");
    CHECK(off.mode == "fragment");
    CHECK(site.op.count_rows("grants") == 0);
}

TEST_CASE("front channel: a user who says no, in the place of the answer [HYB-3, OIDC Core §3.3.2.6]") {
    Site site;
    const Landing denied = site.alice.deny(site.alice.log_in(site.alice.authorize(asking("code id_token"))));
    CHECK(denied.verdict() == "access_denied");
    CHECK(denied.mode == "fragment");
    CHECK(denied.parameter("code").empty());
    CHECK(denied.parameter("id_token").empty());
}

TEST_CASE(
    "front channel: a client has the algorithm that it is registered for, in both ID tokens; without a key nothing is "
    "spent [ALG-1]") {
    Deployment op({.issuer = "https://op.example",
                   .config = {{"responseTypes", json::strings({"code", "code id_token", "id_token"})},
                              {"idTokenAlgorithms", json::strings({"RS256", "ES256"})}}});
    op.must({"client", "set", kWeb, "--grant", "authorization_code", "--grant", "implicit", "--response-type",
             "code id_token", "--response-type", "id_token", "--id-token-signed-response-alg", "ES256"});
    UserAgent alice(op);
    const auto algorithms = [&](const std::string& client) {
        const Landing landing = alice.sign_in(asking(client == kWeb ? "code id_token" : "code", client));
        const Answer redeemed = redeem(op, token_request(landing.parameter("code"), client), client);
        const std::string front = landing.parameter("id_token");
        return (front.empty() ? "" : text_of(jwt_header(front), "alg") + " ") +
               text_of(jwt_header(redeemed.member("id_token")), "alg");
    };
    CHECK(algorithms(kWeb) == "ES256 ES256");
    CHECK(algorithms(kOther) == "RS256");

    const Landing asked = alice.authorize(asking("code id_token").with("prompt", "consent"));
    REQUIRE(asked.verdict() == "consent");
    op.configure("idTokenAlgorithms", json::strings({"RS256"}));
    const Landing failed = alice.approve(asked);
    CHECK(failed.verdict() == "page 500");
    CHECK(has(failed.answer.log, "idTokenAlgorithms has no more"));
    const std::string code = [&] {
        op.configure("idTokenAlgorithms", json::strings({"RS256", "ES256"}));
        const Landing landing = alice.open(failed.visited.back());  // the request is still open
        CHECK(landing.verdict() == "code");
        return landing.parameter("code");
    }();
    op.configure("idTokenAlgorithms", json::strings({"RS256"}));
    const Answer refused = redeem(op, token_request(code));
    CHECK(refused.verdict() == "500 server_error");
    op.configure("idTokenAlgorithms", json::strings({"RS256", "ES256"}));
    CHECK(redeem(op, token_request(code)).status == 200);
}

TEST_CASE("front channel: the audit log names the response type, and an ID token that has no grant [HYB-6]") {
    Site site;
    const auto issued = [&](const std::string& type) {
        std::string events;
        for (const json::Object& line : audit_lines(site.alice.sign_in(asking(type)).answer.log)) {
            const std::string event = text_of(line, "event");
            if (event != "code_issued" && event != "token_issued") continue;
            events += event + (line.find("response_type") ? "(" + text_of(line, "response_type") + ")" : "") +
                      (line.find("grant") ? "+grant" : "") + (line.find("access_token") ? "+token " : " ");
        }
        return events;
    };
    CHECK(issued("id_token") == "token_issued(id_token) ");
    CHECK(issued("code token") == "code_issued+grant token_issued(code token)+grant+token ");
    CHECK(issued("code id_token") == "code_issued+grant token_issued(code id_token)+grant ");
    CHECK(issued("code") == "code_issued+grant ");
}

}  // namespace
