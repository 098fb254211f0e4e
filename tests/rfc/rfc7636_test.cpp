// Proof Key for Code Exchange at both endpoints (RFC 7636 §4), S256 only.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "util/base64.h"

namespace {

using namespace postern::test;

Query without_pkce(const std::string& client) {
    return authorization_request(client).without("code_challenge").without("code_challenge_method");
}

TEST_CASE(
    "pkce: a public client and one registered for it must send a challenge [RFC 9700 §2.1.1, A10, RFC 7636 §4.4.1a, "
    "§5, OIDC Core §16.10, MCP-1]") {
    const Deployment op;
    struct Row {
        std::string client;
        std::string expected;
    };
    const Row rows[] = {{kWeb, "login"},
                        {kOther, "login"},
                        {kTrusted, "login"},
                        {kSpa, "invalid_request"},
                        {kNative, "invalid_request"},
                        {kStrict, "invalid_request"}};
    for (const Row& row : rows) {
        CAPTURE(row.client);
        CHECK(verdict_of(op, op.cgi("authorize", get_request(without_pkce(row.client).text())), row.client) ==
              row.expected);
        CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request(row.client).text())), row.client) ==
              "login");
        // prompt=none is no way around it.
        for (const Query& part : {without_pkce(row.client).with("code_challenge_method", "S256"),
                                  authorization_request(row.client).with("code_challenge", "")}) {
            CHECK(verdict_of(op, op.cgi("authorize", get_request(part.text())), row.client) == "invalid_request");
        }
        const Query empty = without_pkce(row.client).with("code_challenge", "").with("code_challenge_method", "");
        CHECK(verdict_of(op, op.cgi("authorize", get_request(empty.text())), row.client) == row.expected);
        const std::string silent = without_pkce(row.client).with("prompt", "none").text();
        const std::string expected = std::string(row.expected) == "login" ? "login_required" : row.expected;
        CHECK(verdict_of(op, op.cgi("authorize", get_request(silent)), row.client) == expected);
    }
}

TEST_CASE(
    "pkce: the challenge is 43 base64url characters and the method S256 [IF99, RFC 7636 §4.2, §4.3, §4.4.1b, §A, RFC "
    "8414 §2j, A11, A12]") {
    const Deployment op;
    const std::string challenge = kChallenge;
    const Query bare = without_pkce(kWeb);
    const Query with_method = bare.with("code_challenge_method", "S256");
    struct Row {
        std::string clause;
        std::string when;
        Query request;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"§4.3", "as it should be", with_method.with("code_challenge", challenge), "login"},
        {"§4.2", "42 characters", with_method.with("code_challenge", challenge.substr(1)), "invalid_request"},
        {"appendix A", "padding", with_method.with("code_challenge", challenge + "="), "invalid_request"},
        {"appendix A", "not ASCII", with_method.with("code_challenge", challenge.substr(0, 42) + "\xc3\xa9"),
         "invalid_request"},
        {"§4.4.1", "empty challenge", with_method.with("code_challenge", ""), "invalid_request"},
        {"§4.3", "method alone", with_method, "invalid_request"},
        {"§4.3", "absent method means plain", bare.with("code_challenge", challenge), "invalid_request"},
        {"§4.3", "empty method means plain", bare.with("code_challenge", challenge).with("code_challenge_method", ""),
         "invalid_request"},
        {"§4.2", "plain", bare.with("code_challenge", challenge).with("code_challenge_method", "plain"),
         "invalid_request"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        CAPTURE(row.when);
        for (const std::string client : {kWeb, kSpa}) {
            CAPTURE(client);
            const Query request = row.request.with("client_id", client).with("redirect_uri", redirect_uri_of(client));
            CHECK(verdict_of(op, op.cgi("authorize", get_request(request.text())), client) == row.expected);
        }
    }
}

TEST_CASE(
    "pkce: the code needs the verifier of its challenge, and a wrong one burns it [IF84, RFC 7636 §4.1, §4.2a, §4.6a, "
    "§7.2, §B, T07, T09, T14, OIDC Core §16.10]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    const std::string verifier = kVerifier;
    struct Row {
        std::string clause;
        std::string when;
        Query (*change)(const Query&);
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"appendix B", "the verifier", [](const Query& q) { return q; }, "200"},
        {"§4.5", "missing", [](const Query& q) { return q.without("code_verifier"); }, "400 invalid_grant"},
        {"§4.5", "empty", [](const Query& q) { return q.with("code_verifier", ""); }, "400 invalid_grant"},
        {"§4.6", "another", [](const Query& q) { return q.with("code_verifier", std::string(43, 'a')); },
         "400 invalid_grant"},
        {"§4.6", "the challenge, declared plain",
         [](const Query& q) { return q.with("code_verifier", kChallenge).with("code_challenge_method", "plain"); },
         "400 invalid_grant"},
        {"§4.6", "a challenge of its own",
         [](const Query& q) {
             return q.with("code_verifier", std::string(43, 'a'))
                 .with("code_challenge", "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA");
         },
         "400 invalid_grant"},
        {"§4.6", "the method is ignored here", [](const Query& q) { return q.with("code_challenge_method", "plain"); },
         "200"},
    };
    for (const std::string client : {kWeb, kSpa}) {
        for (const Row& row : rows) {
            CAPTURE(client);
            CAPTURE(row.clause);
            CAPTURE(row.when);
            const Query good = token_request(alice.obtain_code(authorization_request(client)), client);
            CHECK(redeem(op, row.change(good), client).verdict() == row.expected);
            CHECK(redeem(op, good, client).verdict() == "400 invalid_grant");
        }
    }
}

TEST_CASE("pkce: verifiers of 43 to 128 unreserved characters work, and no others [RFC 7636 §4.1, §4.2a, T09]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    struct Row {
        std::string verifier;
        std::string challenge;  ///< base64url(SHA-256(verifier)), computed with another program
        std::string expected;
    };
    const std::vector<Row> rows = {
        {std::string(43, 'a'), "ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA", "200"},
        {std::string(128, '~'), "zNhOm5Jyonenca7bQzzpjUpwFDVrfhrbbOGCqgWA6HU", "200"},
        {"-._~-._~-._~-._~-._~-._~-._~-._~-._~-._~-._", "Ms__qe2gUSNlgU6HcA-wulzwF1uM4cqZCFUfpVd5NoM", "200"},
        {std::string(42, 'a'), "elOGB_2quSlplZKfRRVlu7gULhhEEXMiqv0rPXawGv8", "400 invalid_grant"},
        {std::string(129, 'a'), "wSywJKLlVRzKDgj86PHF4xRVXMP-9jKe6ZSj23UhZq4", "400 invalid_grant"},
        {"!" + std::string(42, 'a'), "srduCx673NwhRlG7O0Ic7lDK4FWuBBAH3wDTe5Qi64c", "400 invalid_grant"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.verifier);
        const std::string code = alice.obtain_code(authorization_request().with("code_challenge", row.challenge));
        CHECK(redeem(op, token_request(code).with("code_verifier", row.verifier)).verdict() == row.expected);
    }
}

TEST_CASE(
    "pkce: a verifier without a challenge means that the challenge was removed on the way [RFC 9700 §4.8.2, T08, RFC 7636 §4.6b, §5]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string code = alice.obtain_code(without_pkce(kWeb));
    const Query request = token_request(code);
    CHECK(redeem(op, request).verdict() == "400 invalid_grant");
    CHECK(redeem(op, request.without("code_verifier")).verdict() == "400 invalid_grant");  // burned
    const std::string plain = alice.obtain_code(without_pkce(kWeb));
    CHECK(redeem(op, token_request(plain).without("code_verifier")).verdict() == "200");
}

TEST_CASE("pkce: a challenge once sent binds confidential clients too [RFC 7636 §4.4a, §4.5]") {
    const Deployment op;
    for (const std::string client : {kWeb, kStrict, kSpa, kNative}) {
        CAPTURE(client);
        UserAgent alice(op);
        const std::string code = alice.obtain_code(authorization_request(client));
        CHECK(redeem(op, token_request(code, client).without("code_verifier"), client).verdict() ==
              "400 invalid_grant");
        const std::string again = alice.obtain_code(authorization_request(client));
        CHECK(redeem(op, token_request(again, client), client).verdict() == "200");
    }
}

TEST_CASE("pkce: only the client knows the challenge: no address, page, code or token has it [RFC 7636 §4.4b]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string asked = op.url("authorize") + "?" + authorization_request().text();
    const Landing login = alice.follow(asked, alice.fetch(asked));
    const Landing consent = alice.log_in(login);
    const Landing client = alice.approve(consent);
    REQUIRE(client.verdict() == "code");
    const Answer tokens = redeem(op, token_request(client.parameter("code")));
    REQUIRE(tokens.verdict() == "200");
    std::string seen = login.url + login.answer.raw + consent.url + consent.answer.raw + client.answer.raw + tokens.raw;
    for (const char* name : {"access_token", "id_token", "refresh_token"})
        seen += postern::json::write(jwt_claims(tokens.member(name)));
    // The request travels sealed, which is more than encoded.
    const auto resume = postern::util::base64url_decode(query_parameter(login.url, "resume").value_or("?"));
    REQUIRE(resume);
    seen += *resume;
    CHECK_FALSE(has(seen, kChallenge));
}

}  // namespace
