// The login that a client wants (OpenID Connect Core §3.1.2.1, §3.1.2.2): a fresh one, one of a certain user, or none.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

std::int64_t auth_time(const Deployment& op, const std::string& code) {
    const Answer tokens = redeem(op, token_request(code));
    return tokens.status == 200 ? number_of(jwt_claims(tokens.member("id_token")), "auth_time") : -1;
}

TEST_CASE(
    "fresh login: only the right password counts, however one comes back [IF69, IF106, IF107, A17, OIDC Core "
    "§3.1.2.1nr]") {
    for (const std::string demand : {"max_age=1", "prompt=login", "max_age=0", "prompt=select_account"}) {
        CAPTURE(demand);
        Deployment op;
        UserAgent alice(op);
        alice.sign_in(authorization_request());
        const std::int64_t first = op.now();
        op.advance(seconds(3));
        const Query request = authorization_request().raw(demand);
        const Landing login = alice.authorize(request);
        CHECK(login.verdict() == "login");
        const std::string resume = resume_of(login);
        // By hand to the endpoints behind the form.
        CHECK(alice.open(op.url("authorize") + "?resume=" + resume).verdict() == "login");
        for (const std::string more : {"max_age=9999", "prompt=none"})
            CHECK(alice.open(op.url("authorize") + "?resume=" + resume + "&" + more).verdict() == "login");
        CHECK(alice.authorize(request).verdict() == "login");
        const Query without_pkce = request.without("code_challenge").without("code_challenge_method");
        CHECK(alice.authorize(without_pkce).verdict() == "login");
        const Landing consent = alice.open(op.url("scopes") + "?resume=" + resume);
        if (consent.verdict() == "consent") CHECK(alice.approve(consent).verdict() == "login");
        CHECK(alice.log_in(login, kAlice, "wrong").verdict() == "login");
        CHECK(alice.open(op.url("authorize") + "?resume=" + resume).verdict() == "login");
        CHECK(auth_time(op, alice.obtain_code(authorization_request())) == first);
        const Landing done = alice.log_in(login);
        CHECK(done.verdict() == "code");
        CHECK(auth_time(op, done.parameter("code")) == first + 3);
        CHECK(auth_time(op, alice.obtain_code(authorization_request())) == first + 3);
    }
}

TEST_CASE("fresh login: is not asked for again after consent, however long consent takes") {
    for (const std::string demand : {"max_age=1", "prompt=login", "max_age=0"}) {
        CAPTURE(demand);
        Deployment op;
        UserAgent alice(op);
        const Landing login = alice.authorize(authorization_request().raw(demand));
        const Landing consent = alice.log_in(login);
        CHECK(consent.verdict() == "consent");
        op.advance(seconds(120));
        const Landing done = alice.approve(consent);
        CHECK(done.verdict() == "code");
        // The token endpoint repeats the check with the consent's time included; 0 could never pass and is not checked
        // again.
        const bool exchangeable = std::string(demand) != "max_age=1";
        CHECK(redeem(op, token_request(done.parameter("code"))).verdict() ==
              (exchangeable ? "200" : "400 invalid_grant"));
    }
}

TEST_CASE("prompt=login: a login made for another request does not count [OIDC Core §3.1.2.1n, A17]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    const Landing wanted = alice.authorize(authorization_request().with("prompt", "login"));
    const Landing other = alice.authorize(authorization_request(kTrusted).with("prompt", "login"));
    CHECK(wanted.verdict() == "login");
    CHECK(alice.log_in(other).verdict() == "code");
    const std::string resume = resume_of(wanted);
    CHECK(alice.open(op.url("authorize") + "?resume=" + resume).verdict() == "login");
    CHECK(alice.log_in(wanted).verdict() == "code");
}

TEST_CASE(
    "max_age: the token endpoint repeats the check, to the second [IF82, IF108, IF177, IF178, A17, T13, OIDC Core "
    "§15.1e]") {
    struct Row {
        std::string max_age;
        int leeway;
        int later;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"2", 0, 0, "200"},
        {"2", 0, 2, "200"},
        {"2", 0, 3, "400 invalid_grant"},
        {"1", 0, 1, "200"},
        {"1", 0, 2, "400 invalid_grant"},
        {"0", 0, 0, "200"},
        {"0", 0, 30, "200"},
        {"30", 0, 0, "200"},
        {"3600", 0, 59, "200"},
        {"1", 5, 6, "200"},
        {"1", 5, 7, "400 invalid_grant"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.max_age);
        CAPTURE(row.later);
        CAPTURE(row.leeway);
        Deployment op;
        op.configure("maxAgeLeeway", row.leeway);
        UserAgent alice(op);
        const std::string code = alice.obtain_code(authorization_request().with("max_age", row.max_age));
        op.advance(seconds(row.later));
        CHECK(redeem(op, token_request(code)).verdict() == row.expected);
    }
}

TEST_CASE("max_age: the leeway is the token endpoint's alone") {
    Deployment op;
    op.configure("maxAgeLeeway", 100);
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    op.advance(seconds(11));
    CHECK(alice.authorize(authorization_request().with("max_age", "10")).verdict() == "login");
}

TEST_CASE("max_age: a login in another tab makes the session young enough") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    op.advance(seconds(11));
    const Landing stale = alice.authorize(authorization_request().with("max_age", "10"));
    CHECK(stale.verdict() == "login");
    CHECK(alice.log_in(alice.authorize(authorization_request(kTrusted).with("prompt", "login"))).verdict() == "code");
    const std::string resume = resume_of(stale);
    CHECK(alice.open(op.url("authorize") + "?resume=" + resume).verdict() == "code");
}

TEST_CASE("prompt=login: another user may log in, and the code is theirs [IF28, OIDC Core §3.1.2.1p]") {
    const Deployment op;
    UserAgent browser(op);
    browser.sign_in(authorization_request());
    const Landing login = browser.authorize(authorization_request().with("prompt", "login"));
    const Landing consent = browser.log_in(login, kBob, kBobPassword);
    CHECK(consent.verdict() == "consent");  // Alice's does not count
    const Landing done = browser.approve(consent);
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "sub") == subject_of(op, kBob));
}

std::string subject_in(const Deployment& op, const Landing& done) {
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    return tokens.status == 200 ? text_of(jwt_claims(tokens.member("id_token")), "sub") : tokens.verdict();
}

/// Requests for Alice and nobody else, by hint and by claim.
std::vector<Query> wanting_alice(const Deployment& op) {
    UserAgent alice(op);
    const std::string hint = text_of(obtain_tokens(op, alice, authorization_request()), "id_token");
    const std::string sub = subject_of(op, kAlice);
    return {authorization_request().with("id_token_hint", hint),
            authorization_request().with("claims", "{\"id_token\":{\"sub\":{\"value\":\"" + sub + "\"}}}")};
}

TEST_CASE("expected user: another user is asked to log in, and Alice's login brings the code") {
    const Deployment op;
    for (const Query& request : wanting_alice(op)) {
        UserAgent browser(op);
        REQUIRE(browser.log_in(browser.authorize(authorization_request(kTrusted)), kBob, kBobPassword).verdict() ==
                "code");
        const Landing login = browser.authorize(request);
        REQUIRE(login.verdict() == "login");
        CHECK(browser.log_in(login, kAlice, "wrong").verdict() == "login");
        const Landing done = browser.log_in(login);
        CHECK(done.verdict() == "code");
        CHECK(subject_in(op, done) == subject_of(op, kAlice));
    }
}

TEST_CASE(
    "expected user: another user's login gives the client login_required, once, and no code [OIDC Core §3.1.2.1u]") {
    const Deployment op;
    for (const Query& request : wanting_alice(op)) {
        UserAgent browser(op);
        const Landing login = browser.authorize(request.with("state", "a&b"));
        REQUIRE(login.verdict() == "login");
        const Landing refused = browser.log_in(login, kBob, kBobPassword);
        CHECK(refused.verdict() == "login_required");
        CHECK(refused.parameter("state") == "a&b");
        CHECK(refused.parameter("iss") == op.issuer());
        CHECK_FALSE(refused.parameter("error_description").empty());
        // Going back, as Bob and as Alice: the request has ended.
        const std::string resume = op.url("authorize") + "?resume=" + resume_of(login);
        CHECK(browser.open(resume).verdict().starts_with("page"));
        CHECK(browser.log_in(login).verdict().starts_with("page"));
        // A new one is as good as ever, now that Alice is there.
        CHECK(browser.authorize(request).verdict() == "code");
    }
}

Query silent(const char* client = kWeb) { return authorization_request(client).with("prompt", "none"); }

TEST_CASE("prompt=none: the life of a silent renewal [IF67, IF103, OIDC Core §3.1.2.1w, A13]") {
    Deployment op;
    UserAgent alice(op);
    const auto ask = [&](const Query& request) {
        const Answer answer = alice.fetch(op.url("authorize") + "?" + request.text());
        CHECK(answer.body.find("<form") == std::string::npos);
        return verdict_of(op, answer);
    };
    CHECK(ask(silent()) == "login_required");
    CHECK(op.count_rows("authorization_requests") == 0);
    alice.log_in(alice.authorize(authorization_request()));
    CHECK(ask(silent()) == "consent_required");
    alice.sign_in(authorization_request());
    CHECK(ask(silent()) == "code");
    CHECK(ask(silent().with("scope", "openid email api")) == "consent_required");
    CHECK(ask(silent().with("max_age", "600")) == "code");
    op.advance(seconds(100));
    CHECK(ask(silent().with("max_age", "100")) == "code");
    CHECK(ask(silent().with("max_age", "99")) == "login_required");
    CHECK(ask(silent().with("max_age", "0")) == "login_required");
    const std::string code = alice.obtain_code(silent());
    CHECK(redeem(op, token_request(code)).status == 200);
    op.advance(seconds(7201));
    CHECK(ask(silent()) == "login_required");
}

TEST_CASE("prompt=none: the client gets the reason of a refusal, and the state [IF104, IF175]") {
    const Deployment op;
    UserAgent visitor(op);
    const Landing refused = visitor.authorize(silent().with("state", "a&b=c"));
    CHECK(refused.verdict() == "login_required");
    CHECK(refused.parameter("state") == "a&b=c");
    CHECK(refused.mode == "query");
    CHECK(refused.parameter("iss") == op.issuer());
    CHECK_FALSE(refused.parameter("error_description").empty());
    CHECK(refused.visited.size() == 1);
}

TEST_CASE("prompt=none: does not make an open redirector [RFC 9700 §4.11.2, A14, RFC 6749 §10.15]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    for (const std::string uri : {"https://evil.example/", "https://evil.example/cb", "https://app.example/cb/",
                                  "https://app.example/cb/..", "//evil.example", "javascript:alert(1)"}) {
        CAPTURE(uri);
        UserAgent visitor(op);
        for (UserAgent* browser : {&alice, &visitor}) {
            const Answer answer = browser->fetch(op.url("authorize") + "?" + silent().with("redirect_uri", uri).text());
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
        }
    }
}

}  // namespace
