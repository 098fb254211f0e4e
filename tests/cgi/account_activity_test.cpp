// The page of the activity: what makes a line, in whose list, and what makes none.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/reader.h"
#include "support/app_set_up.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;
using std::chrono::seconds;

constexpr const char* kNewPassword = "four words in a row";
constexpr const char* kFirefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

json::Array lines_of(const Deployment& op, const std::string& user) {
    const auto parsed = json::parse(op.must({"user", "activity", user, "--json"}));
    REQUIRE(parsed);
    REQUIRE(parsed->if_array());
    return *parsed->if_array();
}

/// "app_added signed_in": the words of the lines, the earliest first.
std::string words_of(const Deployment& op, const std::string& user = kAlice) {
    std::string words;
    for (const json::Value& line : lines_of(op, user))
        words = text_of(*line.if_object(), "what") + (words.empty() ? "" : " ") + words;
    return words;
}

/// What the latest line says there; "": nothing.
std::string latest(const Deployment& op, const std::string& member, const std::string& user = kAlice) {
    const json::Array lines = lines_of(op, user);
    REQUIRE_FALSE(lines.empty());
    return text_of(*lines[0].if_object(), member);
}

Answer press(const Deployment& op, UserAgent& browser, const std::string& page, const Query& fields) {
    const Answer shown = browser.fetch(at(op, page));
    REQUIRE(shown.status == 200);
    const std::string path = page.substr(0, page.find('?'));
    return browser.send(at(op, path), fields.with("csrf", value_of(shown, "csrf")).text());
}

/// Alice has an app, no session, and no line.
struct WithApp {
    Deployment op;
    SetUp app;

    explicit WithApp(const Deployment::Options& options = {}) : op(options), app(set_up_app_of_alice(op)) {
        op.must({"session", "end", "--user", kAlice});
        change_database(op, "DELETE FROM activity");
    }
    Landing half(UserAgent& browser) const {
        Landing page = browser.log_in(browser.authorize(authorization_request().with("prompt", "login")));
        REQUIRE(page.verdict() == "second step");
        return page;
    }
    Landing give(UserAgent& browser, const Landing& page, const std::string& code) const {
        return browser.submit(page, "verify", {{"code", code}});
    }
};

}  // namespace

TEST_CASE("activity: the page names how, when and where, the latest first [ACCOUNT-13]") {
    Deployment op;
    UserAgent browser(op);
    Landing login = browser.open(at(op, "/activity"));
    const std::string form = browser.form_of(login, "login", {{"username", kAlice}, {"password", kAlicePassword}});
    const Landing there =
        browser.follow(op.url("login"), browser.send(op.url("login"), form, {{"User-Agent", kFirefox}}));
    REQUIRE(there.url == at(op, "/activity"));
    CHECK(says(there.answer, "Signed in with a password"));
    CHECK(says(there.answer, "Firefox on Linux, 192.0.2.7"));
    CHECK(says(there.answer, " UTC"));
    CHECK(there.answer.body.find("<form") == std::string::npos);
    op.advance(seconds(60));
    signed_in(op);
    const std::string text = visible_text(browser.fetch(at(op, "/activity")).body);
    CHECK(text.find("A browser, 192.0.2.7") < text.find("Firefox on Linux"));
    CHECK(op.stored().find("Gecko") == std::string::npos);  // STORE-3: the header itself is not kept
}

TEST_CASE("activity: without a right credential there is no line, whoever asks and however often [STORE-1]") {
    const Deployment op;
    UserAgent stranger(op);
    const Landing login = stranger.open(at(op, ""));
    for (const char* user : {kAlice, kBob, "nobody", ""}) stranger.log_in(login, user, "wrong");
    op.must({"user", "disable", kBob});
    stranger.log_in(login, kBob, kBobPassword);
    CHECK(op.count_rows("activity") == 0);
    UserAgent alice = signed_in(op);
    CHECK(op.count_rows("activity") == 1);
    // Neither does a page that is only looked at, nor a form that is refused.
    for (const std::string page : {"", "/activity", "/profile", "/devices", "/applications", "/app", "/codes"})
        CHECK(alice.fetch(at(op, page)).status == 200);
    CHECK(alice.send(at(op, "/devices"), "everywhere=yes").status == 403);
    press(op, alice, "/password", {{"present", "wrong"}, {"new", kNewPassword}, {"again", kNewPassword}});
    press(op, alice, "/devices", {{"sid", "none"}});
    press(op, alice, "/devices", {{"everywhere", "yes"}});  // there are no others
    press(op, alice, "/applications", {{"client_id", kWeb}});
    CHECK(op.count_rows("activity") == 1);
}

TEST_CASE("activity: each change of the account is a line [ACCOUNT-13, POLICY-5]") {
    Deployment op;
    UserAgent alice = signed_in(op);
    signed_in(op);
    signed_in(op);
    CHECK(words_of(op) == "signed_in signed_in signed_in");
    std::string sid;
    for (const Attributes& button : find_tags(alice.fetch(at(op, "/devices")).body, "button"))
        if (const auto name = button.find("name"); name != button.end() && name->second == "sid")
            sid = button.at("value");
    press(op, alice, "/devices", {{"sid", sid}});
    CHECK(latest(op, "what") == "session_ended");
    signed_in(op);
    press(op, alice, "/devices", {{"everywhere", "yes"}});
    CHECK(latest(op, "what") == "sessions_ended");
    const std::size_t before = lines_of(op, kAlice).size();
    const SetUp app(alice.fetch(at(op, "/app")));
    REQUIRE(alice.send(at(op, "/app"), app.form(app.code(op)).text()).status == 200);
    CHECK(latest(op, "what") == "recovery_codes_made");
    CHECK(lines_of(op, kAlice).size() == before + 2);
    const Answer asked = alice.fetch(at(op, "/codes?new=yes"));
    const Query again{{"csrf", value_of(asked, "csrf")}, {"stamp", value_of(asked, "stamp")}};
    alice.send(at(op, "/codes"), again.text());
    alice.send(at(op, "/codes"), again.text());  // a second press makes none
    CHECK(lines_of(op, kAlice).size() == before + 3);
    press(op, alice, "/app", {{"remove", "yes"}});
    CHECK(latest(op, "what") == "app_removed");
    press(op, alice, "/app?another=yes", {{"remove", "yes"}});  // there is none any more
    CHECK(lines_of(op, kAlice).size() == before + 4);
    press(op, alice, "/password", {{"present", kAlicePassword}, {"new", kNewPassword}, {"again", kNewPassword}});
    CHECK(latest(op, "what") == "password_changed");
    CHECK(says(alice.fetch(at(op, "/activity")), "Turned on an authenticator app"));
}

TEST_CASE("activity: an application is a line when the user allows it, and not at each sign-in [ACCOUNT-13]") {
    const Deployment op;
    UserAgent alice(op);
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    CHECK(words_of(op) == "signed_in application_allowed");
    CHECK(latest(op, "detail") == kWeb);
    CHECK(latest(op, "address") == "192.0.2.7");
    REQUIRE(alice.authorize(authorization_request()).verdict() == "code");          // remembered
    REQUIRE(alice.authorize(authorization_request(kTrusted)).verdict() == "code");  // not asked
    CHECK(alice.deny(alice.authorize(authorization_request(kOther))).verdict() == "access_denied");
    CHECK(words_of(op) == "signed_in application_allowed");
    const Answer page = alice.fetch(at(op, "/activity"));
    CHECK(says(page, "Allowed an application: "));
    press(op, alice, "/applications", {{"client_id", kWeb}});
    CHECK(words_of(op) == "signed_in application_allowed application_removed");
    op.must({"client", "remove", kWeb});
    CHECK(says(alice.fetch(at(op, "/activity")), std::string("Removed the access of an application: ") + kWeb));
}

TEST_CASE("activity: a login in two steps is one line, when it is whole [ACCOUNT-13, STEP-3]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    CHECK(f.op.count_rows("activity") == 0);
    REQUIRE(f.give(alice, page, f.app.fresh_code(f.op)).verdict() == "consent");
    CHECK(words_of(f.op) == "signed_in");
    CHECK(latest(f.op, "detail") == "pwd otp mfa");
    CHECK(says(alice.fetch(at(f.op, "/activity")), "Signed in with a password and a code"));
}

TEST_CASE("activity: a right password in a new place without a second step is a line, one a day [TOTP-10, STORE-1]") {
    WithApp f;
    UserAgent thief(f.op, "198.51.100.4");
    Landing page = f.half(thief);
    f.give(thief, page, "not a code");  // is not looked at
    CHECK(f.op.count_rows("activity") == 0);
    for (int i = 0; i < 9; ++i) page = f.give(thief, page, f.app.wrong_code(f.op));
    CHECK(words_of(f.op) == "second_step_failed_elsewhere");
    CHECK(latest(f.op, "address") == "198.51.100.4");
    UserAgent alice(f.op);
    REQUIRE(f.give(alice, f.half(alice), f.app.fresh_code(f.op)).verdict() == "consent");
    CHECK(says(alice.fetch(at(f.op, "/activity")), "A right password in a new place, and a wrong second step"));
    // Where she has just signed in it is another line; elsewhere it is the same as before.
    UserAgent beside(f.op), far(f.op, "203.0.113.9");
    f.give(beside, f.half(beside), f.app.wrong_code(f.op));
    f.give(far, f.half(far), f.app.wrong_code(f.op));
    CHECK(words_of(f.op) == "second_step_failed_elsewhere signed_in second_step_failed");
    f.op.advance(std::chrono::hours(24));
    UserAgent again(f.op, "203.0.113.10");
    f.give(again, f.half(again), f.app.wrong_code(f.op));
    CHECK(latest(f.op, "what") == "second_step_failed_elsewhere");
    CHECK(latest(f.op, "address") == "203.0.113.10");
}

TEST_CASE("activity: account.addresses false keeps none and shows none [ACCOUNT-13]") {
    Deployment op;
    UserAgent alice = signed_in(op);
    CHECK(latest(op, "address") == "192.0.2.7");
    op.configure("account", json::Object{{"addresses", false}});
    CHECK_FALSE(says(alice.fetch(at(op, "/activity")), "192.0.2.7"));
    CHECK(op.must({"user", "activity", kAlice}).find("192.0.2.7") == std::string::npos);
    UserAgent later(op, "198.51.100.77");
    REQUIRE(later.sign_in(authorization_request()).verdict() == "code");
    op.configure("account", json::Object{{"addresses", true}});
    for (const json::Value& line : lines_of(op, kAlice))
        CHECK(text_of(*line.if_object(), "address") != "198.51.100.77");
}

TEST_CASE("activity: with paths.account null nothing is written, by the programs or the command [ACCOUNT-14]") {
    const Deployment op({.config = {{"paths", json::Object{{"account", nullptr}}}}});
    UserAgent alice(op);
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    op.must({"user", "set", kAlice, "--claim", "nickname=Al"});
    op.must({"user", "passwd", kAlice, "--password-stdin"}, std::string(kNewPassword) + "\n");
    op.must({"consent", "revoke", "--user", kAlice});
    CHECK(op.count_rows("activity") == 0);
    CHECK(lines_of(op, kAlice).empty());
}

TEST_CASE("activity: where the web server signs users in, a login has no methods [ACCOUNT-13]") {
    Deployment op({.config = {{"login", json::Object{{"method", "remote_user"}}}}});
    UserAgent alice(op);
    alice.login_variables() = {{"REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}};
    REQUIRE(alice.open(at(op, "")).answer.status == 200);
    CHECK(words_of(op) == "signed_in");
    CHECK(latest(op, "detail") == "");
}

TEST_CASE("activity: what the operator does is said to be the operator's [ACCOUNT-13, POLICY-5]") {
    const WithApp f;
    UserAgent alice(f.op);
    struct Row {
        std::vector<std::string> command;
        std::string input;
        const char* words;
    };
    const Row rows[] = {
        {{"user", "factors", kAlice, "--remove", "app"}, "", "app_removed recovery_codes_removed"},
        {{"user", "set", kAlice, "--claim", "nickname=Al", "--unset-claim", "email"}, "", "profile_changed"},
        {{"user", "passwd", kAlice, "--password-stdin"}, std::string(kAlicePassword) + "\n", "password_changed"},
    };
    std::string expected;
    for (const Row& row : rows) {
        f.op.must(row.command, row.input);
        expected += (expected.empty() ? "" : " ") + std::string(row.words);
        CHECK(words_of(f.op) == expected);
        CHECK(latest(f.op, "agent") == "administrator");
        CHECK(latest(f.op, "address") == "");
    }
    CHECK(f.op.stored().find("nickname email") != std::string::npos);  // names, no values
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    f.op.must({"consent", "revoke", "--user", kAlice});
    CHECK(latest(f.op, "what") == "application_removed");
    f.op.must({"session", "end", "--user", kAlice});
    CHECK(latest(f.op, "what") == "sessions_ended");
    f.op.must({"session", "end", "--user", kAlice});  // there is none any more
    f.op.must({"consent", "revoke", "--user", kAlice});
    CHECK(words_of(f.op) == expected + " signed_in application_allowed application_removed sessions_ended");
    UserAgent again = signed_in(f.op);
    CHECK(says(again.fetch(at(f.op, "/activity")), "by the administrator of this service"));
}
