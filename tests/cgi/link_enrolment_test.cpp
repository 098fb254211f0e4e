// A user who must have a second factor, where the password alone sets none up: a link of the operator allows it, once
// and for half an hour.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using postern::json::Object;
using std::chrono::seconds;

constexpr const char* kNew = "four words in a row";

/// By default everybody must have a second factor, and needs a link for the first one.
struct ByLink {
    Deployment op;

    explicit ByLink(const Object& login = {{"secondFactor", "required"}, {"enrolment", "link"}})
        : op(Deployment::Options{.config = {{"login", login}}}) {}

    std::string reset_link(const std::string& username = kAlice) const {
        return link_of(op, {"user", "reset-link", username});
    }
    Landing use(const std::string& link) const {
        UserAgent browser(op);
        const Landing done = browser.submit(browser.open(link), "save", {{"new", kNew}, {"again", kNew}});
        REQUIRE_MESSAGE(says(done.answer, "Your password is saved"), done.answer.log);
        return done;
    }
    /// What a login in that browser leads to.
    Landing log_in(UserAgent& browser, const std::string& username = kAlice, const std::string& password = kNew) const {
        return browser.log_in(browser.authorize(authorization_request()), username, password);
    }
    std::string verdict(const std::string& username = kAlice, const std::string& password = kNew) const {
        UserAgent browser(op);
        return log_in(browser, username, password).verdict();
    }
    Landing turn_on(UserAgent& browser, const SetUp& app) const {
        const std::string url = op.url("account") + "/enrol";
        return browser.follow(url, browser.send(url, app.form(app.code(op)).text()));
    }
};

TEST_CASE("link: an invited user chooses a password, sets a second factor up behind it, and is in [POLICY-4, LINK-7]") {
    const ByLink f;
    const Landing done = f.use(link_of(f.op, {"user", "invite", "carol"}));
    CHECK(says(done.answer, "within 30 minutes"));
    UserAgent carol(f.op);
    const Landing page = f.log_in(carol, "carol");
    REQUIRE_MESSAGE(page.verdict() == "app", page.verdict() << page.answer.log);
    CHECK(f.op.count_rows("sessions") == 0);
    const Landing codes = f.turn_on(carol, SetUp(page.answer));
    REQUIRE(codes.verdict() == "codes");
    CHECK(audit_events(codes.answer.log) == "app_added login_succeeded recovery_codes_made");
    CHECK(f.verdict("carol") == "second step");
}

TEST_CASE("link: each purpose lets a first second factor be set up, until the second of its end [POLICY-4, LINK-6]") {
    struct Row {
        const char* what;
        std::vector<std::string> command;
        const char* username;
    };
    const Row rows[] = {{"invite", {"user", "invite", "carol"}, "carol"},
                        {"password", {"user", "reset-link", kAlice}, kAlice},
                        {"factors", {"user", "reset-link", kAlice, "--factors"}, kAlice}};
    for (const Row& row : rows) {
        CAPTURE(row.what);
        ByLink f;
        const std::string link = link_of(f.op, row.command);
        // A link that was made or looked at has allowed nothing yet.
        UserAgent(f.op).fetch(link);
        CHECK(f.verdict(kAlice, kAlicePassword) == "page 403");
        f.op.advance(seconds(3600));
        f.use(link);
        CHECK(f.verdict(row.username) == "app");
        f.op.advance(seconds(1799));
        CHECK(f.verdict(row.username) == "app");
        f.op.advance(seconds(1));
        CHECK(f.verdict(row.username) == "page 403");
        CHECK(f.op.count_rows("totp_secrets") == 0);
    }
}

TEST_CASE("link: what it allows ends with any other change of the account [POLICY-4, STORE-6]") {
    struct Row {
        const char* when;
        std::function<void(ByLink&)> change;
        const char* password = kNew;
    };
    const Row rows[] = {
        {"another password of the operator",
         [](ByLink& f) {
             f.op.must({"user", "passwd", kAlice, "--password-stdin"}, std::string("other words in another row\n"));
         },
         "other words in another row"},
        {"a second factor was set up, and the operator has removed it",
         [](ByLink& f) {
             UserAgent alice(f.op);
             REQUIRE(f.turn_on(alice, SetUp(f.log_in(alice).answer)).verdict() == "codes");
             f.op.must({"user", "factors", kAlice, "--remove", "all"});
         }},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        ByLink f;
        f.use(f.reset_link());
        REQUIRE(f.verdict() == "app");
        row.change(f);
        CHECK(f.verdict(kAlice, row.password) == "page 403");
        // And another link allows it again.
        f.use(f.reset_link());
        CHECK(f.verdict() == "app");
    }
}

TEST_CASE("link: it allows nothing to another user, and no second factor beside one that there is [POLICY-4]") {
    ByLink f;
    f.use(f.reset_link());
    CHECK(f.verdict(kBob, kBobPassword) == "page 403");
    CHECK(f.verdict() == "app");
    UserAgent alice(f.op);
    const Landing page = f.log_in(alice);
    // The form of a browser whose password was right before the factor was there.
    UserAgent thief(f.op);
    const Landing stolen = f.log_in(thief);
    REQUIRE(f.turn_on(alice, SetUp(page.answer)).verdict() == "codes");
    CHECK(f.turn_on(thief, SetUp(stolen.answer)).verdict() != "codes");
    CHECK(f.op.count_rows("totp_secrets") == 1);
    CHECK(thief.session_cookie().empty());
    // The password stays what asks for it when another link is used.
    f.use(f.reset_link());
    CHECK(f.verdict() == "second step");
}

}  // namespace
