// The token endpoint with the client credentials grant (RFC 6749 §4.4), a row per rule.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;

Query client_request() { return Query{{"grant_type", "client_credentials"}}; }

struct Row {
    std::string clause;
    std::string when;
    std::string client;
    Query request;
    std::string expected;
};

TEST_CASE(
    "client_credentials: a token for the client itself, and nothing of a user [IF38, RFC 6749 §4.4.3, T20, F2-32]") {
    const Deployment op;
    const Answer answer = redeem(op, client_request(), kMachine);
    REQUIRE(answer.verdict() == "200");
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(answer.member("token_type") == "Bearer");
    CHECK(number_of(answer.json(), "expires_in") == 900);
    CHECK(answer.member("scope") == "api");
    CHECK(answer.json().find("refresh_token") == nullptr);
    CHECK(answer.json().find("id_token") == nullptr);

    const auto claims = jwt_claims(answer.member("access_token"));
    CHECK(text_of(claims, "sub") == kMachine);
    CHECK(text_of(claims, "cid") == kMachine);
    CHECK(text_of(claims, "iss") == op.issuer());
    CHECK(claims.find("client_id") == nullptr);
    CHECK(claims.find("username") == nullptr);
    CHECK(claims.find("aud") == nullptr);
    CHECK(text_of(jwt_header(answer.member("access_token")), "typ") == "at+jwt");
    // No user's claims come of it (RFC 9700 §4.15).
    const Answer info = userinfo(op, answer.member("access_token"));
    CHECK(info.status == 403);
    CHECK(info.member("error") == "insufficient_scope");
}

TEST_CASE(
    "client_credentials: a client named like a user's subject gets none of the user's data [ATP-10, RFC 9700 §4.15, "
    "T20]") {
    const Deployment op;
    const std::string sub = subject_of(op, kAlice);
    op.must({"client", "add", sub, "--grant", "client_credentials", "--scope", "api openid", "--secret-stdin"},
            secret_of(sub) + "\n");
    const Answer answer = redeem(op, client_request().with("scope", "api"), sub);
    REQUIRE(answer.verdict() == "200");
    CHECK(answer.json().size() == 4);
    for (const std::string name : {"access_token", "expires_in", "scope", "token_type"}) {
        CAPTURE(name);
        CHECK(answer.json().find(name) != nullptr);
    }
    CHECK(text_of(jwt_claims(answer.member("access_token")), "sub") == sub);
    CHECK(userinfo(op, answer.member("access_token")).verdict() == "403 insufficient_scope");
    for (const std::string scope : {"openid", "api openid", "openid profile", "offline_access"}) {
        CAPTURE(scope);
        CHECK(redeem(op, client_request().with("scope", scope), sub).verdict() == "400 invalid_scope");
    }
}

TEST_CASE("client_credentials: which clients may, and for which scope [RFC 6749 §3.3e, §4.4, §4.4.2, §5.2fh, T20]") {
    Deployment op;
    op.must({"client", "add", "mixed", "--grant", "client_credentials", "--grant", "authorization_code",
             "--redirect-uri", "https://mixed.example/cb", "--scope", "openid profile api read", "--secret-stdin"},
            secret_of("mixed") + "\n");
    op.must({"client", "add", "bare", "--grant", "client_credentials", "--scope", "", "--secret-stdin"},
            secret_of("bare") + "\n");
    const std::vector<Row> rows = {
        {"§4.4.2", "one of its scopes", kMachine, client_request().with("scope", "api"), "200"},
        {"§3.3", "not registered", kMachine, client_request().with("scope", "api admin"), "400 invalid_scope"},
        {"§A.4", "two blanks", "mixed", client_request().with("scope", "api  read "), "200"},
        {"§3.3", "blanks alone, which are no scope", "mixed", client_request().with("scope", " "), "200"},
        {"§3.3", "an unknown word", "mixed", client_request().with("scope", "api teams"), "400 invalid_scope"},
        {"§3.3", "another case", kMachine, client_request().with("scope", "API"), "400 invalid_scope"},
        {"§3.3", "not a scope", kMachine, client_request().with("scope", "a\"b"), "400 invalid_scope"},
        {"T20", "openid, registered", "mixed", client_request().with("scope", "openid"), "400 invalid_scope"},
        {"T20", "openid among others", "mixed", client_request().with("scope", "api openid"), "400 invalid_scope"},
        {"T20", "nothing else", "mixed", client_request().with("scope", "openid profile"), "400 invalid_scope"},
        {"T20", "openid, not registered", kMachine, client_request().with("scope", "openid"), "400 invalid_scope"},
        {"T20", "offline_access, not registered", kMachine, client_request().with("scope", "offline_access"),
         "400 invalid_scope"},
        {"T20", "profile among others", "mixed", client_request().with("scope", "api profile"), "400 invalid_scope"},
        {"T20", "offline_access", "mixed", client_request().with("scope", "offline_access"), "400 invalid_scope"},
        {"§4.4.2", "none asked for", "mixed", client_request(), "200"},
        {"§5.1", "nothing left", "bare", client_request(), "200"},
        {"§5.2", "not registered for the grant", kWeb, client_request(), "400 unauthorized_client"},
        {"§5.2", "a first-party one", kTrusted, client_request(), "400 unauthorized_client"},
        {"§4.4", "a public client", kSpa, client_request(), "400 unauthorized_client"},
        {"§3.2", "scope twice", kMachine, client_request().with("scope", "api").and_also("scope", "api"),
         "400 invalid_request"},
        {"§2", "an audience", kMachine, client_request().with("audience", "https://rs.example"), "200"},
        {"§2", "the issuer as audience", kMachine, client_request().with("aud", "https://op.example"),
         "400 invalid_target"},
        {"§2", "a client that takes ID tokens as audience", kMachine, client_request().with("aud", kWeb),
         "400 invalid_target"},
        {"§2", "a client without users as audience", kMachine, client_request().with("aud", kMachine), "200"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        const auto before = op.count_rows("grants");
        CHECK(redeem(op, row.request, row.client).verdict() == row.expected);
        CHECK(op.count_rows("grants") - before == (row.expected == "200" ? 1 : 0));
    }
    CHECK(redeem(op, client_request(), "mixed").member("scope") == "api read");
    CHECK(redeem(op, client_request(), "bare").json().find("scope") == nullptr);
    const Answer named = redeem(op, client_request().with("audience", "https://rs.example"), kMachine);
    CHECK(text_of(jwt_claims(named.member("access_token")), "aud") == "https://rs.example");
}

TEST_CASE("client_credentials: only with the client's own secret [RFC 6749 §4.4.2]") {
    const Deployment op;
    const Query by_id = client_request().with("client_id", kMachine);
    CHECK(op.cgi("token", post_form(by_id.text())).verdict() == "401 invalid_client");
    CHECK(op.cgi("token", post_form(by_id.with("client_secret", secret_of(kWeb)).text())).verdict() ==
          "401 invalid_client");
    CHECK(op.cgi("token", post_form(by_id.with("client_secret", secret_of(kMachine)).text())).verdict() == "200");
    CHECK(op.cgi("token", post_form(client_request().text())).verdict() == "401 invalid_client");
    op.must({"client", "disable", kMachine});
    CHECK(redeem(op, client_request(), kMachine).verdict() == "401 invalid_client");
}

}  // namespace
