// The user says no: the client is told once, and nothing more comes of the request (RFC 6749 §4.1.2.1).
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

TEST_CASE(
    "denial: access_denied with state and iss, and nothing is minted or remembered [IF70, IF115, RFC 6749 §4.1.2.1d, "
    "OIDC Core §3.1.2.4a, §3.1.2.6c, F2-34]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(authorization_request()));
    const Landing denied = alice.deny(consent);
    CHECK(denied.left);
    CHECK(without_query(denied.url) == redirect_uri_of(kWeb));
    CHECK(denied.verdict() == "access_denied");
    CHECK(denied.parameter("state") == kState);
    CHECK(denied.parameter("code").empty());
    for (const std::string table : {"authorization_codes", "grants", "consents"}) {
        CAPTURE(table);
        CHECK(op.count_rows(table) == 0);
    }
    // She is asked again by a new request, and may say yes.
    const Landing again = alice.authorize(authorization_request());
    CHECK(again.verdict() == "consent");
    CHECK(alice.approve(again).verdict() == "code");
}

TEST_CASE("consent: a person who sees the wrong account signs in as another, and that account approves") {
    const Deployment op;
    UserAgent browser(op);
    const Landing wrong = browser.log_in(browser.authorize(authorization_request()));
    REQUIRE(wrong.verdict() == "consent");
    CHECK(visible_text(wrong.answer.body).find("You are signed in as alice") != std::string::npos);
    const Landing login = browser.open(link_in(wrong.answer.body, "other-account"));
    REQUIRE(login.verdict() == "login");
    const Landing right = browser.log_in(login, kBob, kBobPassword);
    REQUIRE(right.verdict() == "consent");
    CHECK(visible_text(right.answer.body).find("You are signed in as bob") != std::string::npos);
    CHECK(browser.approve(wrong).verdict() == "page 403");  // the page was of Alice
    const Landing done = browser.approve(right);
    CHECK(done.parameter("state") == kState);
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "sub") == subject_of(op, kBob));
}

TEST_CASE("denial: of two answers in two tabs a denial counts, whichever came first, and it is delivered once") {
    const Deployment op;
    const std::string action = op.url("scopes");
    const struct {
        const char* first;
        const char* second;
    } rows[] = {{"deny", "approve"}, {"approve", "deny"}, {"deny", "deny"}};
    for (const auto& row : rows) {
        CAPTURE(row.first);
        CAPTURE(row.second);
        UserAgent alice(op);
        const Landing consent = alice.log_in(alice.authorize(authorization_request().with("prompt", "consent")));
        const Answer early = alice.send(action, alice.form_of(consent, row.first));
        const Answer late = alice.send(action, alice.form_of(consent, row.second));
        CHECK(alice.follow(action, late).verdict() == "access_denied");
        CHECK(alice.follow(action, early).verdict() == "page 400");
    }
    CHECK(op.count_rows("authorization_codes") == 0);
    CHECK(op.count_rows("consents") == 0);
}

TEST_CASE("denial: with its redirect not followed, the form sent again with Allow gives no code [RFC 6749 §4.1.2.1]") {
    const Deployment op;
    UserAgent alice(op);
    const std::string action = op.url("scopes");
    const Landing consent = alice.log_in(alice.authorize(authorization_request()));
    alice.send(action, alice.form_of(consent, "deny"));
    const Answer allowed = alice.send(action, alice.form_of(consent, "approve"));
    const Landing told = alice.follow(action, allowed);
    CHECK(told.verdict() == "access_denied");
    CHECK(told.parameter("code").empty());
    CHECK(alice.approve(consent).verdict() == "page 400");
    for (const std::string table : {"authorization_codes", "grants", "consents"}) {
        CAPTURE(table);
        CHECK(op.count_rows(table) == 0);
    }
    // A new request is asked about anew.
    CHECK(alice.approve(alice.authorize(authorization_request())).verdict() == "code");
}

TEST_CASE("denial: of Deny and Allow sent by two processes at the same time no code comes after access_denied") {
    const Deployment op;
    const std::string action = op.url("scopes");
    for (int round = 0; round < 10; ++round) {
        CAPTURE(round);
        UserAgent alice(op);
        const Landing consent = alice.log_in(alice.authorize(authorization_request().with("prompt", "consent")));
        UserAgent other_tab = alice;
        const auto codes = op.count_rows("authorization_codes");
        std::string denied;
        std::string approved;
        std::thread denying([&] { denied = alice.deny(consent).verdict(); });
        std::thread approving([&] { approved = other_tab.approve(consent).verdict(); });
        denying.join();
        approving.join();
        CAPTURE(denied);
        CAPTURE(approved);
        const int told = (denied == "access_denied") + (approved == "access_denied");
        const int issued = (denied == "code") + (approved == "code");
        CHECK(told + issued == 1);
        CHECK(op.count_rows("authorization_codes") == codes + issued);
    }
}

TEST_CASE("denial: takes back nothing that was approved before") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Landing more = alice.authorize(authorization_request().with("scope", "openid email api"));
    CHECK(more.verdict() == "consent");
    CHECK(alice.deny(more).verdict() == "access_denied");
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
}

}  // namespace
