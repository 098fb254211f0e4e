// A client that expects one user is answered for that user or not at all (OpenID Connect Core §3.1.2.2).
#include <doctest/doctest.h>

#include <string>

#include "support/flow.h"

namespace {

using namespace postern::test;

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

}  // namespace
