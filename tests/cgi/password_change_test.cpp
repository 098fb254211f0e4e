// A password that the operator has set and that the user must change: when the page comes, and what it takes to pass
// it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

constexpr const char* kGiven = "a gate that was handed over";
constexpr const char* kOwn = "my own very quiet gate";

bool is_change_page(const Landing& page) { return says(page.answer, "Choose your own before you go on."); }

/// Alice has a password that she must change.
struct MustChange {
    Deployment op;

    explicit MustChange(postern::json::Object login = {})
        : op(Deployment::Options{.config = {{"login", std::move(login)}}}) {}

    void demand() const { op.must({"user", "passwd", kAlice, "--password-stdin", "--must-change"}, given()); }
    static std::string given() { return std::string(kGiven) + "\n"; }
    Landing log_in(UserAgent& browser, const char* password = kGiven,
                   const Query& request = authorization_request()) const {
        const Landing login = browser.authorize(request);
        REQUIRE(login.verdict() == "login");
        return browser.log_in(login, kAlice, password);
    }
    static Landing choose(UserAgent& browser, const Landing& page, const std::string& password = kOwn) {
        return browser.submit(page, "save", {{"new", password}, {"again", password}});
    }
};

}  // namespace

TEST_CASE("must change: the page comes behind the password, and then the application [PASSWORD-5, ACCOUNT-6]") {
    MustChange f;
    UserAgent elsewhere(f.op);
    REQUIRE(elsewhere.sign_in(authorization_request()).verdict() == "code");
    f.demand();
    CHECK(f.op.must({"user", "show", kAlice}).find("must change password") != std::string::npos);
    UserAgent alice(f.op);
    const Landing page = f.log_in(alice);
    REQUIRE_MESSAGE(is_change_page(page), page.verdict() << page.answer.log);
    CHECK(page.answer.header("Cache-Control") == "no-store");
    CHECK(alice.session_cookie().empty());
    CHECK(f.op.count_rows("sessions") == 0);
    const std::string form = alice.form_of(page, "save", {{"new", kOwn}, {"again", kOwn}});
    const Answer answer = alice.send(f.op.url("account") + "/renew", form);
    CHECK(answer.log.find("\"event\":\"password_changed\"") != std::string::npos);
    CHECK(answer.log.find("\"event\":\"login_succeeded\"") != std::string::npos);
    const Landing done = alice.follow(page.url, answer);
    CHECK((done.verdict() == "code" || done.verdict() == "consent"));
    CHECK(f.op.must({"user", "show", kAlice}).find("must change password") == std::string::npos);
    // The next login needs the new one, and nothing else.
    UserAgent again(f.op);
    CHECK(f.log_in(again, kGiven).verdict() == "login");
    const Landing next = again.log_in(again.authorize(authorization_request()), kAlice, kOwn);
    CHECK((next.verdict() == "code" || next.verdict() == "consent"));
}

TEST_CASE("must change: with `user add`, and on the way to the account [PASSWORD-5]") {
    MustChange f;
    f.op.must({"user", "add", "carol", "--password-stdin", "--must-change"}, MustChange::given());
    UserAgent carol(f.op);
    const Landing page = carol.log_in(carol.open(f.op.url("account")), "carol", kGiven);
    REQUIRE(is_change_page(page));
    CHECK(MustChange::choose(carol, page).url == f.op.url("account"));
}

TEST_CASE("must change: what the new password must be [PASSWORD-2, PASSWORD-4, PASSWORD-5, L36]") {
    MustChange f;
    f.demand();
    UserAgent alice(f.op);
    Landing page = f.log_in(alice);
    struct Row {
        const char* fresh;
        const char* again;
        const char* problem;
    };
    for (const Row& row : {Row{"short", "short", "The new password is too short."},
                           Row{kOwn, "my own very quiet gatf", "The two new passwords are not the same."},
                           Row{kGiven, kGiven, "The new password must be another one than the present one."}}) {
        CAPTURE(std::string(row.problem));
        page = alice.submit(page, "save", {{"new", row.fresh}, {"again", row.again}});
        CHECK(is_change_page(page));
        CHECK(says(page.answer, row.problem));
        CHECK(text_of(audit_line(page.answer.log, "password_refused"), "reason") != "");
    }
    CHECK(MustChange::choose(alice, page).verdict() == "consent");
}

TEST_CASE("must change: the half login is worth its page and nothing else [PASSWORD-5, STEP-4, L38]") {
    MustChange f({{"secondFactor", "required"}});
    f.demand();
    UserAgent alice(f.op);
    const Landing page = f.log_in(alice);
    REQUIRE(is_change_page(page));
    const std::string resume = "?resume=" + resume_of(page);
    CHECK(alice.open(f.op.url("authorize") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("scopes") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("account") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("account") + "/password" + resume).verdict() == "login");
    CHECK(says(alice.open(f.op.url("logout")).answer, "You are signed out"));
    CHECK(alice.open(f.op.url("logout") + resume).verdict() == "page 400");
    // A second factor is set up behind the new password, not before it.
    CHECK(alice.open(f.op.url("account") + "/enrol" + resume).verdict() == "login");
    UserAgent other(f.op);
    CHECK(other.open(f.op.url("account") + "/renew" + resume).verdict() == "page 400");
    // Of another login it is not the page.
    UserAgent bob(f.op);
    const Landing enrolment = bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword);
    REQUIRE(enrolment.verdict() == "app");
    CHECK(bob.open(f.op.url("account") + "/renew?resume=" + resume_of(enrolment)).verdict() == "login");
    CHECK(f.op.count_rows("sessions") == 0);
    // It ends with time, and with a change.
    f.op.must({"user", "passwd", kAlice, "--password-stdin", "--must-change"}, MustChange::given());
    CHECK(MustChange::choose(alice, page).verdict() == "login");
    const Landing fresh = f.log_in(alice);
    REQUIRE(is_change_page(fresh));
    f.op.advance(seconds(600));
    CHECK(MustChange::choose(alice, fresh).verdict() != "consent");
}

TEST_CASE("must change: the second factor comes first, and the session is worth both [PASSWORD-5, LEVEL-2, L38]") {
    MustChange f;
    const SetUp app = set_up_app_of_alice(f.op);
    f.demand();
    UserAgent alice(f.op);
    const Landing step = f.log_in(alice);
    REQUIRE(step.verdict() == "second step");
    // The page of the new password is not reached without the code.
    CHECK(alice.open(f.op.url("account") + "/renew?resume=" + resume_of(step)).verdict() == "login");
    const std::string code = app.fresh_code(f.op);
    const Landing page = alice.submit(step, "verify", {{"code", code}});
    REQUIRE(is_change_page(page));
    CHECK(alice.session_cookie().empty());
    const Landing consent = MustChange::choose(alice, page);
    REQUIRE(consent.verdict() == "consent");
    const Landing at_client = alice.approve(consent);
    const auto claims = id_token_of(f.op, at_client);
    CHECK(text_of(claims, "acr") == "https://refeds.org/profile/mfa");
    CHECK(amr_of(claims) == "pwd otp mfa");
    // The code was spent on the way.
    UserAgent again(f.op);
    const Landing refused = again.submit(f.log_in(again, kOwn), "verify", {{"code", code}});
    CHECK(refused.answer.log.find("used before") != std::string::npos);
}

TEST_CASE("must change: who has to set up a second factor does so behind it [PASSWORD-5, POLICY-4]") {
    MustChange f({{"secondFactor", "required"}});
    f.demand();
    UserAgent alice(f.op);
    const Landing page = f.log_in(alice);
    REQUIRE(is_change_page(page));
    const Landing enrolment = MustChange::choose(alice, page);
    REQUIRE_MESSAGE(enrolment.verdict() == "app", enrolment.verdict() << enrolment.answer.log);
    CHECK(f.op.count_rows("sessions") == 0);
    const SetUp app(enrolment.answer);
    const Answer codes = alice.send(f.op.url("account") + "/enrol", app.form(app.code(f.op)).text());
    CHECK(codes_in(codes).size() == 10);
    CHECK(f.op.count_rows("sessions") == 1);
}

TEST_CASE("must change: any other new password takes the demand away [PASSWORD-5, LINK-6]") {
    MustChange f;
    f.demand();
    f.op.must({"user", "passwd", kAlice, "--password-stdin"}, std::string(kOwn) + "\n");
    UserAgent alice(f.op);
    CHECK(f.log_in(alice, kOwn).verdict() == "consent");
    f.demand();
    UserAgent browser(f.op);
    const Landing link = browser.open(link_of(f.op, {"user", "reset-link", kAlice}));
    browser.submit(link, "save", {{"new", kOwn}, {"again", kOwn}});
    UserAgent again(f.op);
    CHECK(f.log_in(again, kOwn).verdict() == "consent");
}

TEST_CASE("must change: where there is no page for it, none is let in and the command refuses [PASSWORD-5]") {
    MustChange f;
    f.demand();
    f.op.configure("paths", postern::json::Object{{"account", nullptr}});
    UserAgent alice(f.op);
    const Landing refused = f.log_in(alice);
    CHECK(refused.verdict() == "page 403");
    CHECK(says(refused.answer, "You need a new password"));
    const CommandResult command =
        f.op.postern({"user", "passwd", kAlice, "--password-stdin", "--must-change"}, MustChange::given());
    CHECK(command.exit_code != 0);
    CHECK(command.err.find("paths.account") != std::string::npos);
}
