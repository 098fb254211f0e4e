// A refusal that somebody saw is explained to the operator by its request id, without telling a secret.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/reader.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

/// The explanation as JSON, after its text was seen to name the same error.
postern::json::Object explain(const Deployment& op, const std::string& request_id) {
    const auto value = postern::json::parse(op.must({"why", request_id, "--json"}));
    REQUIRE(value);
    REQUIRE(value->if_object() != nullptr);
    const std::string text = op.must({"why", request_id});
    CHECK(text.find(request_id) != std::string::npos);
    CHECK(text.find(text_of(*value->if_object(), "error")) != std::string::npos);
    return *value->if_object();
}

CgiRequest with_method(const std::string& method) {
    CgiRequest request;
    request.method = method;
    return request;
}

TEST_CASE("why: tells what was expected and what came, for each kind of refusal") {
    const Deployment op;
    UserAgent alice(op);
    const std::string code = alice.obtain_code(authorization_request());
    const auto authorize = [&](const Query& query) { return op.cgi("authorize", get_request(query.text())); };
    struct Row {
        std::string when;
        Answer answer;
        std::string error;
        std::vector<std::string> told;  ///< somewhere in the explanation
    };
    const std::vector<Row> rows = {
        {"unknown client",
         authorize(authorization_request().with("client_id", "typo")),
         "client_unknown",
         {"typo", "client list"}},
        {"redirect_uri off by a slash",
         authorize(authorization_request().with("redirect_uri", "https://app.example/cb/")),
         "redirect_unregistered",
         {"https://app.example/cb", "https://app.example/cb/", "web"}},
        {"scope",
         authorize(authorization_request().with("scope", "admin")),
         "invalid_scope",
         {"unknown scope: admin", "client set web --scope", "scopeDescriptions"}},
        {"a scope that is known here, and not registered for the client",
         authorize(authorization_request(kOther).with("scope", "openid phone")),
         "invalid_scope",
         {"refused scope: phone", "client set other --scope"}},
        {"no challenge, by registration",
         authorize(authorization_request(kStrict).without("code_challenge").without("code_challenge_method")),
         "invalid_request",
         {"--pkce required", "client set strict --pkce optional"}},
        {"no challenge, by a public client",
         authorize(authorization_request(kSpa).without("code_challenge").without("code_challenge_method")),
         "invalid_request",
         {"a public client", "client set spa --confidential"}},
        {"this server as the audience",
         redeem(op, token_request(code).with("audience", op.issuer())),
         "invalid_target",
         {"audience: " + op.issuer(), "UserInfo needs none"}},
        {"a client as the audience",
         redeem(op, token_request(code).with("aud", kOther)),
         "invalid_target",
         {"audience: other", "--grant client_credentials"}},
        {"two audiences",
         redeem(op, token_request(code).with("aud", "https://a.example").with("audience", "https://b.example")),
         "invalid_target",
         {"Let the client send one of them"}},
        {"OpenID scopes without a user",
         redeem(op, Query().with("grant_type", "client_credentials").with("scope", "offline_access"), kMachine),
         "invalid_scope",
         {"No user takes part", "machine"}},
        {"verifier",
         redeem(op, token_request(code).with("code_verifier", std::string(43, 'a'))),
         "invalid_grant",
         {"code_verifier"}},
        {"burned code", redeem(op, token_request(code)), "invalid_grant", {"spent the code before"}},
        {"client secret",
         op.cgi("token",
                post_form(token_request("x").with("client_id", kWeb).with("client_secret", "wrong-secret").text())),
         "invalid_client",
         {"wrong secret", "web"}},
        {"no credentials",
         op.cgi("token", post_form("grant_type=authorization_code")),
         "invalid_client",
         {"CGIPassAuth"}},
        {"no token", op.cgi("userinfo"), "invalid_token", {"CGIPassAuth"}},
        {"a wrong method", op.cgi("token"), "invalid_request", {"POST", "does not answer that method"}},
        {"POST where only GET is on [OIDC Core §3.1.2.1]",
         op.cgi("authorize", post_form(authorization_request().text())),
         "invalid_request",
         {"authorizeMethods", "§3.1.2.1", "got POST"}},
        {"a method that can never be on",
         op.cgi("authorize", with_method("DELETE")),
         "invalid_request",
         {"does not answer that method", "expected GET"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const std::string id = row.answer.header("X-Request-Id");
        REQUIRE_FALSE(id.empty());
        const auto explanation = explain(op, id);
        CHECK(text_of(explanation, "error") == row.error);
        CHECK(text_of(explanation, "request_id") == id);
        CHECK(number_of(explanation, "status") == row.answer.status);
        CHECK(number_of(explanation, "time") == op.now());
        const std::string whole = op.must({"why", id});
        for (const std::string& told : row.told) {
            CAPTURE(told);
            CHECK(whole.find(told) != std::string::npos);
        }
        for (const std::string& secret : {code, std::string("wrong-secret"), std::string(43, 'a')})
            CHECK(whole.find(secret) == std::string::npos);
    }
}

TEST_CASE("why: the id on an error page is the one that is explained") {
    const Deployment op;
    const Answer page = op.cgi("authorize", get_request(authorization_request().with("client_id", "typo").text()));
    const std::string id = page.header("X-Request-Id");
    CHECK(visible_text(page.body).find(id) != std::string::npos);
    CHECK(text_of(explain(op, id), "endpoint") == "authorize");
}

TEST_CASE("why: failed logins are explained without the password") {
    const Deployment op;
    UserAgent visitor(op);
    const Landing login = visitor.authorize(authorization_request());
    const Landing wrong = visitor.log_in(login, kAlice, "not-the-password");
    const std::string whole = op.must({"why", wrong.answer.header("X-Request-Id")});
    CHECK(whole.find("wrong password") != std::string::npos);
    CHECK(whole.find("not-the-password") == std::string::npos);
    const Landing unknown = visitor.log_in(login, "mallory", "x");
    CHECK(op.must({"why", unknown.answer.header("X-Request-Id")}).find("no such user") != std::string::npos);
}

TEST_CASE(
    "why: a refusal names the user whom a login, a session or a grant identified, and never a name that was typed") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const Query silent = authorization_request().with("prompt", "none");
    const std::string code = UserAgent(op).obtain_code(authorization_request());
    struct Row {
        std::string when;
        std::string request_id;
        std::string username;
    };
    std::vector<Row> rows;
    const auto add = [&](const std::string& when, const Answer& answer, const std::string& username) {
        CHECK(answer.status != 200);
        rows.push_back({when, answer.header("X-Request-Id"), username});
    };
    add("no session", alice.authorize(silent).answer, "");
    rows.push_back({"a wrong password", alice.log_in(login, kAlice, "wrong").answer.header("X-Request-Id"), kAlice});
    const Answer typed = alice.log_in(login, "pass-typed-as-name", "x").answer;
    rows.push_back({"a name that nobody has", typed.header("X-Request-Id"), ""});
    alice.log_in(login);
    add("a session without consent", alice.fetch(op.url("authorize") + "?" + silent.with("scope", "openid api").text()),
        kAlice);
    add("a code", redeem(op, token_request(code).with("code_verifier", std::string(43, 'a'))), kAlice);
    add("an unknown code", redeem(op, token_request("x")), "");
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto explanation = explain(op, row.request_id);
        CHECK(text_of(explanation, "username") == row.username);
        CHECK(text_of(explanation, "subject") == (row.username.empty() ? "" : subject_of(op, row.username)));
        CHECK(op.must({"why", row.request_id}).find("pass-typed-as-name") == std::string::npos);
    }
    const auto last = [&](const std::vector<std::string>& filter) {
        std::vector<std::string> line = {"why", "--last", "--json"};
        line.insert(line.end(), filter.begin(), filter.end());
        return text_of(*postern::json::parse(op.must(line))->if_object(), "request_id");
    };
    CHECK(last({}) == rows.back().request_id);
    CHECK(last({"--user", kAlice}) == rows[4].request_id);
    CHECK(last({"--user", kAlice, "--client", kWeb}) == rows[4].request_id);
    CHECK(op.postern({"why", "--last", "--user", kBob}).exit_code == 1);
}

TEST_CASE("why: unknown ids are refused, and so are ids that try to be something else") {
    const Deployment op;
    for (const std::string id : {"zzzzzzzzzzzz", "", "../../etc/passwd", "' OR 1=1"}) {
        CAPTURE(id);
        const CommandResult result = op.postern({"why", id});
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
        CHECK_FALSE(result.err.empty());
    }
}

TEST_CASE("why: a success leaves nothing to explain") {
    const Deployment op;
    const Answer fine = op.cgi("jwks");
    CHECK(op.postern({"why", fine.header("X-Request-Id")}).exit_code == 1);
}

}  // namespace
