// Is the name that a user has typed kept, when a page has to come again (WCAG 2.2.1, 3.3.7)?
#include <doctest/doctest.h>

#include <string>

#include "support/app_set_up.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

constexpr seconds kLongerThanARequest{86400};

std::string name_on(const Landing& page) { return value_of(page.answer, "username"); }

/// Alice has an app, and no session.
struct WithApp {
    Deployment op;
    SetUp app{set_up_app_of_alice(op)};

    Landing half(UserAgent& browser) const {
        Landing page = browser.log_in(browser.authorize(authorization_request()));
        REQUIRE(page.verdict() == "second step");
        return page;
    }
};

}  // namespace

TEST_CASE("A11Y-4: a late login form keeps the name") {
    Deployment op;
    UserAgent alice(op);
    const Landing page = alice.authorize(authorization_request());
    op.advance(kLongerThanARequest);
    const Landing late = alice.log_in(page);
    REQUIRE(late.verdict() == "page 400");
    const Landing again = alice.open(link_in(late.answer.body, "try-again"));
    REQUIRE(again.verdict() == "login");
    CHECK(name_on(again) == kAlice);
    CHECK(again.answer.body.find(kAlicePassword) == std::string::npos);
    CHECK(alice.log_in(again).verdict() == "consent");
}

TEST_CASE("A11Y-4: a late login form keeps the name on the way to the account") {
    Deployment op;
    UserAgent alice(op);
    const Landing page = alice.open(op.url("account") + "/devices");
    op.advance(kLongerThanARequest);
    const Landing late = alice.log_in(page);
    REQUIRE(late.verdict() == "page 400");
    const Landing again = alice.open(link_in(late.answer.body, "try-again"));
    REQUIRE(again.verdict() == "login");
    CHECK(name_on(again) == kAlice);
    CHECK(alice.log_in(again).url == op.url("account") + "/devices");
    // Without a name to keep the page of the account begins its own login.
    UserAgent nameless(op);
    const Landing other = nameless.open(op.url("account"));
    op.advance(kLongerThanARequest);
    CHECK(link_in(nameless.log_in(other, "").answer.body, "try-again") == op.url("account"));
}

TEST_CASE("A11Y-4: a late login form keeps no text that cannot be a name") {
    for (const std::string& name :
         {std::string(257, 'a'), std::string("al\x07") + "ice", std::string("al\xe2\x80\xae") + "eci"}) {
        CAPTURE(name);
        Deployment op;
        UserAgent alice(op);
        const Landing page = alice.authorize(authorization_request().with("login_hint", "ada"));
        op.advance(kLongerThanARequest);
        const Landing late = alice.log_in(page, name);
        REQUIRE(late.verdict() == "page 400");
        CHECK(name_on(alice.open(link_in(late.answer.body, "try-again"))) == "ada");
    }
}

TEST_CASE("A11Y-4: a second half that comes late, or in vain, keeps the name behind which it was asked for") {
    WithApp f;
    UserAgent alice(f.op), later(f.op);
    const Landing page = f.half(alice);
    f.op.advance(seconds(300));
    const Landing late = alice.submit(page, "verify", {{"code", f.app.code(f.op)}});
    REQUIRE(late.verdict() == "login");
    CHECK(name_on(late) == kAlice);
    CHECK(name_on(alice.open(page.url)) == kAlice);
    // For another user the field is empty.
    const Landing again = alice.log_in(late);
    REQUIRE(again.verdict() == "second step");
    CHECK(name_on(alice.open(link_in(again.answer.body, "other-account"))).empty());

    const Landing other = f.half(later);
    f.op.must({"user", "passwd", kAlice, "--password-stdin"}, "a new quiet password of hers\n");
    const Landing changed = later.submit(other, "verify", {{"code", f.app.fresh_code(f.op)}});
    REQUIRE(changed.verdict() == "login");
    CHECK(name_on(changed) == kAlice);
}

TEST_CASE("A11Y-4: a session that was to be raised had no name typed, and none is told") {
    WithApp f;
    UserAgent alice(f.op);
    f.op.configure("login", postern::json::Object{{"secondFactor", "off"}});
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    f.op.configure("login", postern::json::Object{{"secondFactor", "offered"}});
    const Landing page = alice.authorize(authorization_request().with("acr_values", "https://refeds.org/profile/mfa"));
    REQUIRE(page.verdict() == "second step");
    f.op.advance(seconds(300));
    const Landing late = alice.open(page.url);
    REQUIRE(late.verdict() == "login");
    CHECK(name_on(late).empty());
}

TEST_CASE("A11Y-3: a wrong password marks both fields, and a wait marks neither") {
    Deployment op;
    UserAgent alice(op);
    Landing page = alice.authorize(authorization_request());
    const auto marked = [](const Landing& shown) {
        std::size_t fields = 0;
        for (const auto& input : find_tags(shown.answer.body, "input")) fields += input.count("aria-invalid");
        return fields;
    };
    CHECK(marked(page) == 0);
    page = alice.log_in(page, kAlice, "not her password");
    CHECK(marked(page) == 2);
    for (int i = 0; i < 100 && page.answer.status == 200; ++i) page = alice.log_in(page, kAlice, "not her password");
    REQUIRE(page.verdict() == "page 429");
    CHECK(marked(page) == 0);
}
