// The token endpoint with the refresh token grant (RFC 6749 §6, RFC 9700 §4.14, OpenID Connect Core §12), a row per
// rule.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

Query refresh_request(const std::string& token) {
    return Query{{"grant_type", "refresh_token"}, {"refresh_token", token}};
}

struct Row {
    std::string clause;
    std::string when;
    Query (*change)(const Query& good);
    std::string expected;
};

/// Signed with a grace for lost answers, as shipped, and opaque without one.
std::vector<Deployment::Options> kinds() {
    return {{}, {.config = json::Object{{"useOpaqueRefreshTokens", true}, {"refreshReuseGrace", 0}}}};
}

/// A refused request changes nothing: the good one works after each.
void check_refused(const Deployment& op, std::string token, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const Answer refused = redeem(op, row.change(refresh_request(token)));
        CHECK(refused.verdict() == row.expected);
        CHECK(refused.header("Cache-Control") == "no-store");
        const Answer good = redeem(op, refresh_request(token));
        REQUIRE(good.verdict() == "200");
        token = good.member("refresh_token");
    }
}

TEST_CASE(
    "refresh: a new access token, a new refresh token, and what else the answer says [RFC 6749 §5.1a, §6, OIDC Core "
    "§12.2a, MCP-1]") {
    SignedIn r;
    CHECK(text_of(r.tokens, "refresh_token").size() > 40);
    r.op.advance(seconds(5));
    const Answer answer = redeem(r.op, refresh_request(r.refresh_token()));
    REQUIRE(answer.status == 200);
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.header("Content-Type").starts_with("application/json"));
    CHECK(answer.member("token_type") == "Bearer");
    CHECK(answer.member("scope") == "openid email");
    CHECK(number_of(answer.json(), "expires_in") == 900);
    CHECK(answer.member("access_token") != text_of(r.tokens, "access_token"));
    CHECK(answer.member("refresh_token") != r.refresh_token());
    CHECK(userinfo(r.op, answer.member("access_token")).status == 200);
    const auto claims = jwt_claims(answer.member("access_token"));
    CHECK(number_of(claims, "iat") == r.op.now());
    CHECK(number_of(claims, "exp") == r.op.now() + 900);
    // The access token that was there lives on.
    CHECK(userinfo(r.op, text_of(r.tokens, "access_token")).status == 200);
}

TEST_CASE("refresh: syntax of the request [RFC 6749 §3.2e, §5.2e, §6a, OIDC Core §12.3]") {
    const SignedIn r;
    check_refused(
        r.op, r.refresh_token(),
        {
            {"§6", "missing", [](const Query& q) { return q.without("refresh_token"); }, "400 invalid_request"},
            {"§3.2", "empty", [](const Query& q) { return q.with("refresh_token", ""); }, "400 invalid_request"},
            {"§3.2", "twice", [](const Query& q) { return q.and_also("refresh_token", "x"); }, "400 invalid_request"},
            {"§3.2", "scope twice",
             [](const Query& q) { return q.with("scope", "openid").and_also("scope", "openid"); },
             "400 invalid_request"},
            {"§5.2", "unknown", [](const Query& q) { return q.with("refresh_token", std::string(43, 'A')); },
             "400 invalid_grant"},
            {"§5.2", "SQL", [](const Query& q) { return q.with("refresh_token", "' OR '1'='1"); }, "400 invalid_grant"},
            {"§5.2", "20 KB", [](const Query& q) { return q.with("refresh_token", std::string(20480, 'r')); },
             "400 invalid_grant"},
            {"X13", "NUL", [](const Query& q) { return q.without("refresh_token").raw("refresh_token=x%00"); },
             "400 invalid_request"},
        });
}

TEST_CASE(
    "refresh: the scope may be narrower, never wider, and the grant keeps its own [RFC 6749 §5.2h, §6bg, F06, F2-14]") {
    const SignedIn r;
    check_refused(
        r.op, r.refresh_token(),
        {
            {"§6", "more than was granted", [](const Query& q) { return q.with("scope", "openid email api"); },
             "400 invalid_scope"},
            {"§6", "something else", [](const Query& q) { return q.with("scope", "api"); }, "400 invalid_scope"},
            {"§3.3", "of the issuer, not registered", [](const Query& q) { return q.with("scope", "openid groups"); },
             "400 invalid_scope"},
            {"§3.3", "nothing that was granted", [](const Query& q) { return q.with("scope", "admin"); },
             "400 invalid_scope"},
            {"§3.3", "whole words", [](const Query& q) { return q.with("scope", "open"); }, "400 invalid_scope"},
            {"§3.3", "another case", [](const Query& q) { return q.with("scope", "OpenID"); }, "400 invalid_scope"},
            {"§3.3", "a comma between", [](const Query& q) { return q.with("scope", "openid,email"); },
             "400 invalid_scope"},
            {"§A.4", "a quote", [](const Query& q) { return q.with("scope", "openid a\"b"); }, "400 invalid_scope"},
            {"§A.4", "not ASCII", [](const Query& q) { return q.with("scope", "openid caf\xc3\xa9"); },
             "400 invalid_scope"},
            {"§A.4", "a tab between", [](const Query& q) { return q.with("scope", "openid\temail"); },
             "400 invalid_request"},
            {"§11", "offline access was not granted",
             [](const Query& q) { return q.with("scope", "openid offline_access"); }, "400 invalid_scope"},
        });
    for (const Deployment::Options& kind : kinds()) {
        const SignedIn k(kind);
        const auto scope_of = [&](const std::string& token) {
            return as_client(k.op, "introspect", {{"token", token}}, kOther).member("scope");
        };
        const Answer narrow = redeem(k.op, refresh_request(k.refresh_token()).with("scope", "openid"));
        REQUIRE(narrow.verdict() == "200");
        CHECK(narrow.member("scope") == "openid");
        CHECK(scope_of(narrow.member("access_token")) == "openid");
        CHECK(scope_of(narrow.member("refresh_token")) == "openid email");
        const Answer again =
            redeem(k.op, refresh_request(narrow.member("refresh_token")).with("scope", "openid email"));
        CHECK(again.member("scope") == "openid email");
    }
    for (const Deployment::Options& kind : kinds()) {
        SignedIn k(kind);
        const auto small = obtain_tokens(k.op, k.alice, authorization_request().with("scope", "openid"));
        const Query request = refresh_request(text_of(small, "refresh_token"));
        for (const std::string scope : {"openid email", "email", "openid api", "nonsense", "OPENID"}) {
            CAPTURE(scope);
            CHECK(redeem(k.op, request.with("scope", scope)).verdict() == "400 invalid_scope");
        }
        CHECK(redeem(k.op, request).verdict() == "200");  // a refused request rotates nothing
    }
    SignedIn n;
    const Answer narrow = redeem(n.op, refresh_request(n.refresh_token()).with("scope", "openid"));
    REQUIRE(narrow.verdict() == "200");
    CHECK(narrow.member("scope") == "openid");
    CHECK(userinfo(n.op, narrow.member("access_token")).json().find("email") == nullptr);
    const Answer wide = redeem(n.op, refresh_request(narrow.member("refresh_token")));
    CHECK(wide.member("scope") == "openid email");
    const Answer without = redeem(n.op, refresh_request(wide.member("refresh_token")).with("scope", "email"));
    CHECK(without.member("scope") == "email");
    CHECK(without.json().find("id_token") == nullptr);
    CHECK(userinfo(n.op, without.member("access_token")).status == 403);
}

TEST_CASE(
    "refresh: a list that was good at the authorization endpoint is good here, whatever changed since [RFC 6749 §5.2h, "
    "§6b, OIDC Core §3.1.2.1c]") {
    struct ListRow {
        const char* when;
        std::string authorized;  ///< the list at the authorization endpoint
        std::string registered;  ///< the client's scope by the time of the refresh
        std::string repeated;    ///< the list of the refresh
        std::string expected;    ///< the scope of the token, or the error
    };
    const std::string of_web = "openid profile email address phone api";
    const ListRow rows[] = {
        {"an unknown word", "openid email teams", of_web, "openid email teams", "openid email"},
        {"an unknown word that is new", "openid email", of_web, "openid email teams", "openid email"},
        {"an unknown word, later registered", "openid teams", of_web + " teams", "openid teams", "openid"},
        {"a word of the issuer, later registered", "openid", of_web + " groups", "openid groups", "invalid_scope"},
        {"a word that was taken away", "openid email api", "openid email", "openid email api", "openid email"},
        {"a word of the issuer that was taken away", "openid email phone", "openid", "openid email phone", "openid"},
        {"every word was taken away", "api", "openid", "api", "invalid_scope"},
        {"without openid, a word taken away", "api email", "email", "api email", "email"},
        {"without openid, an unknown word", "api", of_web, "api teams", "invalid_scope"},
        {"two blanks", "openid  email", of_web, "openid  email", "openid email"},
        {"blanks around it", " openid email ", of_web, "  openid email ", "openid email"},
        {"a word twice", "openid email email", of_web, "email openid email", "email openid"},
        {"blanks alone", " openid email", of_web, "  ", "openid email"},
        {"empty", "openid email", of_web, "", "openid email"},
        {"offline_access", "openid offline_access", "openid", "openid offline_access", "openid offline_access"},
        {"registered and never asked for", "openid teams", of_web, "openid teams api", "invalid_scope"},
    };
    Deployment op;
    UserAgent alice(op);
    for (const ListRow& row : rows) {
        CAPTURE(row.when);
        op.must({"client", "set", kWeb, "--scope", of_web});
        const auto tokens = obtain_tokens(op, alice, authorization_request().with("scope", row.authorized));
        op.must({"client", "set", kWeb, "--scope", row.registered});
        const Answer answer = redeem(op, refresh_request(text_of(tokens, "refresh_token")).with("scope", row.repeated));
        CHECK((answer.status == 200 ? answer.member("scope") : answer.member("error")) == row.expected);
    }
}

TEST_CASE("refresh: each request decides again about aud, and a refused one rotates nothing [IF41, RFC 8707 §2.2]") {
    const SignedIn r;
    check_refused(
        r.op, r.refresh_token(),
        {
            {"§2", "the issuer", [](const Query& q) { return q.with("audience", "https://op.example"); },
             "400 invalid_target"},
            {"§2", "a client", [](const Query& q) { return q.with("aud", kOther); }, "400 invalid_target"},
            {"§2", "two that differ",
             [](const Query& q) { return q.with("aud", "https://a.example").with("audience", "https://b.example"); },
             "400 invalid_target"},
        });
    SignedIn a;
    const Answer named = redeem(a.op, refresh_request(a.refresh_token()).with("audience", "https://rs.example"));
    CHECK(text_of(jwt_claims(named.member("access_token")), "aud") == "https://rs.example");
    const Answer plain = redeem(a.op, refresh_request(named.member("refresh_token")));
    CHECK(jwt_claims(plain.member("access_token")).find("aud") == nullptr);
}

TEST_CASE(
    "refresh: only the client it was issued to, authenticated, and registered for the grant [RFC 6749 §1.5, §5.2f, "
    "§6cd, §10.4b, OIDC Core §12.1, §12.3, F11]") {
    SignedIn r;
    CHECK(redeem(r.op, refresh_request(r.refresh_token()), kOther).verdict() == "400 invalid_grant");
    CHECK(redeem(r.op, refresh_request(r.refresh_token()), kMachine).verdict() == "400 unauthorized_client");
    const Query anonymous = refresh_request(r.refresh_token()).with("client_id", kWeb);
    CHECK(r.op.cgi("token", post_form(anonymous.text())).verdict() == "401 invalid_client");
    const Query forged = anonymous.with("client_secret", secret_of(kOther));
    CHECK(r.op.cgi("token", post_form(forged.text())).verdict() == "401 invalid_client");
    // None of these took anything from its owner (F05).
    CHECK(redeem(r.op, refresh_request(r.refresh_token())).verdict() == "200");

    // A client that is not registered for the grant is given none, and what it has is void at once.
    r.op.must({"client", "set", kWeb, "--grant", "authorization_code"});
    CHECK(redeem(r.op, refresh_request(r.refresh_token())).verdict() == "400 unauthorized_client");
    for (const std::string scope : {"openid", "openid offline_access"})
        CHECK(obtain_tokens(r.op, r.alice, authorization_request().with("scope", scope)).find("refresh_token") ==
              nullptr);
}

TEST_CASE("refresh: takes along the access tokens of its grant that ended more than a minute ago, and no others") {
    struct RefusedRow {
        const char* when;
        int after;  ///< seconds
        int rows;
    };
    for (const RefusedRow& row : {RefusedRow{"the first token lives", 899, 2}, RefusedRow{"it has just ended", 959, 2},
                                  RefusedRow{"it ended a minute ago", 960, 1}}) {
        CAPTURE(row.when);
        SignedIn r;
        r.op.advance(seconds(row.after));
        const Answer answer = redeem(r.op, refresh_request(r.refresh_token()));
        REQUIRE(answer.verdict() == "200");
        CHECK(r.op.count_rows("access_tokens") == row.rows);
        CHECK(r.op.count_rows("refresh_tokens") == 2);
        CHECK(userinfo(r.op, answer.member("access_token")).status == 200);
    }
}

TEST_CASE(
    "refresh: nothing else is a refresh token, and it is nothing else [RFC 8725 §3.12, RFC 6749 §5.2e, §6e, §10.4d, "
    "F08]") {
    const SignedIn r;
    const std::string refresh = r.refresh_token();
    for (const char* kind : {"access_token", "id_token"})
        CHECK(redeem(r.op, refresh_request(text_of(r.tokens, kind))).verdict() == "400 invalid_grant");
    CHECK(userinfo(r.op, refresh).status == 401);
    CHECK(redeem(r.op, token_request(refresh)).verdict() == "400 invalid_grant");

    // A JWT: typ says what it is; another payload or signature is not it.
    CHECK(text_of(jwt_header(refresh), "typ") == "rt+jwt");
    CHECK(text_of(jwt_header(refresh), "alg") == text_of(jwt_header(text_of(r.tokens, "access_token")), "alg"));
    const auto dot = refresh.rfind('.');
    const std::string access = text_of(r.tokens, "access_token");
    for (const std::string& forged :
         {refresh.substr(0, dot + 1), refresh.substr(0, dot) + access.substr(access.rfind('.')), refresh + "A",
          access.substr(0, access.find('.')) + refresh.substr(refresh.find('.'))})
        CHECK(redeem(r.op, refresh_request(forged)).verdict() == "400 invalid_grant");
    CHECK(redeem(r.op, refresh_request(refresh)).verdict() == "200");
}

TEST_CASE("refresh: the ID token says the same of the login, and has no nonce [OIDC Core §12.2abc]") {
    SignedIn r;
    r.op.advance(seconds(100));
    const Answer answer = redeem(r.op, refresh_request(r.refresh_token()));
    const auto before = jwt_claims(text_of(r.tokens, "id_token"));
    const auto after = jwt_claims(answer.member("id_token"));
    for (const char* claim : {"iss", "sub", "aud", "sid"}) CHECK(text_of(after, claim) == text_of(before, claim));
    CHECK(number_of(after, "auth_time") == number_of(before, "auth_time"));
    CHECK(number_of(after, "iat") == r.op.now());
    CHECK(number_of(after, "iat") != number_of(before, "iat"));
    CHECK(before.find("nonce") != nullptr);
    CHECK(after.find("nonce") == nullptr);
    CHECK(text_of(after, "at_hash") != text_of(before, "at_hash"));
}

TEST_CASE(
    "refresh: the lifetime is the grant's, and use does not prolong it [RFC 9700 §4.14.2, RFC 6749 §6e, OIDC Core "
    "§16.18a, F07]") {
    for (Deployment::Options kind : kinds()) {
        kind.config.set("refreshTokenTTL", 1000);
        SignedIn r(kind);
        const auto about = [&](const std::string& token) {
            return as_client(r.op, "introspect", {{"token", token}}, kOther);
        };
        const auto expiry = number_of(about(r.refresh_token()).json(), "exp");
        CHECK(expiry == r.op.now() + 1000);
        std::string token = r.refresh_token();
        for (const int step : {400, 400, 199}) {
            r.op.advance(seconds(step));
            const Answer answer = redeem(r.op, refresh_request(token));
            REQUIRE(answer.verdict() == "200");
            token = answer.member("refresh_token");
            CHECK(number_of(about(token).json(), "exp") == expiry);
            if (token.find('.') != std::string::npos) CHECK(number_of(jwt_claims(token), "exp") == expiry);
        }
        r.op.advance(seconds(1));
        CHECK(redeem(r.op, refresh_request(token)).verdict() == "400 invalid_grant");
        CHECK(about(token).body == R"({"active":false})");
    }
}

TEST_CASE("refresh: another refreshTokenTTL counts for new grants, and neither prolongs nor cuts one that is there") {
    for (const int changed : {1, 1000000}) {
        CAPTURE(changed);
        SignedIn r({.config = {{"refreshTokenTTL", 1000}}});
        const auto expiry = number_of(jwt_claims(r.refresh_token()), "exp");
        r.op.configure("refreshTokenTTL", changed);
        r.op.advance(seconds(500));
        const Answer answer = redeem(r.op, refresh_request(r.refresh_token()));
        REQUIRE(answer.verdict() == "200");
        CHECK(number_of(jwt_claims(answer.member("refresh_token")), "exp") == expiry);
        r.op.advance(seconds(500));
        CHECK(redeem(r.op, refresh_request(answer.member("refresh_token"))).verdict() == "400 invalid_grant");
        const auto fresh = obtain_tokens(r.op, r.alice, authorization_request());
        CHECK(number_of(jwt_claims(text_of(fresh, "refresh_token")), "exp") == r.op.now() + changed);
    }
}

TEST_CASE(
    "refresh: opaque tokens keep the same rules, and both kinds stay good when the option changes [IF16, "
    "useOpaqueRefreshTokens, RFC 6749 §10.4d, §A.11]") {
    SignedIn r;
    r.op.configure("useOpaqueRefreshTokens", true);
    const Answer second = redeem(r.op, refresh_request(r.refresh_token()));
    REQUIRE(second.verdict() == "200");
    const std::string opaque = second.member("refresh_token");
    CHECK(opaque.find('.') == std::string::npos);
    CHECK(opaque.size() == 43);  // 256 bits
    CHECK(redeem(r.op, refresh_request(opaque), kOther).verdict() == "400 invalid_grant");
    CHECK(redeem(r.op, refresh_request(opaque.substr(1))).verdict() == "400 invalid_grant");
    r.op.configure("useOpaqueRefreshTokens", false);
    const Answer third = redeem(r.op, refresh_request(opaque));
    REQUIRE(third.verdict() == "200");
    CHECK(third.member("refresh_token").find('.') != std::string::npos);
    r.op.advance(seconds(60));
    CHECK(redeem(r.op, refresh_request(opaque)).verdict() == "400 invalid_grant");
    CHECK(redeem(r.op, refresh_request(third.member("refresh_token"))).verdict() == "400 invalid_grant");
}

}  // namespace
