// A fresh login is a password check and nothing else, and it is asked for once (the interface specification, authorize
// rule 2).
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

}  // namespace
