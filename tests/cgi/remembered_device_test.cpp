// Browsers in which the password alone is enough: who gets into one, for what, and what ends it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

constexpr std::int64_t kMonth = 2592000;

Deployment::Options with_login(postern::json::Object login) {
    login.set("rememberDevice", kMonth);
    return {.config = {{"login", std::move(login)}}};
}

/// Alice has an app and recovery codes, and no session in any browser of the tests.
struct WithApp {
    Deployment op;
    SetUp app;

    explicit WithApp(const Deployment::Options& options = with_login({})) : op(options), app(set_up_app_of_alice(op)) {}

    Landing log_in(UserAgent& browser, const Query& request = authorization_request()) const {
        const Landing login = browser.authorize(request);
        REQUIRE(login.verdict() == "login");
        return browser.log_in(login);
    }
    /// A browser that was remembered, and has no session any more.
    UserAgent remembered() {
        UserAgent browser(op);
        const Landing page = log_in(browser);
        REQUIRE(page.verdict() == "second step");
        const Landing done = browser.submit(page, "verify", {{"code", app.fresh_code(op)}, {"remember", "yes"}});
        REQUIRE_MESSAGE((done.verdict() == "consent" || done.verdict() == "code"), done.answer.log);
        if (done.verdict() == "consent") REQUIRE(browser.approve(done).verdict() == "code");
        forget_session(browser);
        return browser;
    }
    static void forget_session(UserAgent& browser) {
        std::erase_if(browser.cookies(), [](const auto& cookie) {
            return cookie.first.find("-device-") == std::string::npos &&
                   cookie.first.find("-browser-") == std::string::npos;
        });
    }
};

}  // namespace

TEST_CASE(
    "remembered device: the box, and then a password is enough in that browser, at level 1 [DEVICE-1 to DEVICE-3]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.log_in(alice);
    CHECK(has_id(page.answer.body, "remember"));
    CHECK(says(page.answer, "Do not ask again on this device before"));
    const std::string form = alice.form_of(page, "verify", {{"code", f.app.fresh_code(f.op)}, {"remember", "yes"}});
    const Answer answer = alice.send(f.op.url("login"), form);
    CHECK(answer.log.find("\"event\":\"device_remembered\"") != std::string::npos);
    const Landing consent = alice.follow(f.op.url("login"), answer);
    REQUIRE(consent.verdict() == "consent");
    REQUIRE(alice.approve(consent).verdict() == "code");
    const std::string first = alice.device_cookie();
    CHECK(first.size() == 43);

    f.forget_session(alice);
    const Landing done = f.log_in(alice);
    REQUIRE_MESSAGE(done.verdict() == "code", done.verdict() << done.answer.log);
    const auto claims = id_token_of(f.op, done);
    CHECK(text_of(claims, "acr") == "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport");
    CHECK(amr_of(claims) == "pwd");
    CHECK(alice.device_cookie() != first);
    CHECK(f.op.count_rows("remembered_devices") == 1);
}

TEST_CASE("remembered device: not without the tick, nor without the option [DEVICE-1]") {
    WithApp f;
    UserAgent alice(f.op);
    REQUIRE(alice.submit(f.log_in(alice), "verify", {{"code", f.app.fresh_code(f.op)}}).verdict() == "consent");
    CHECK(alice.device_cookie().empty());
    CHECK(f.op.count_rows("remembered_devices") == 0);

    WithApp off(Deployment::Options{});
    UserAgent other(off.op);
    const Landing page = off.log_in(other);
    CHECK_FALSE(has_id(page.answer.body, "remember"));
    const std::string form = other.form_of(page, "verify", {{"code", off.app.fresh_code(off.op)}}) + "&remember=yes";
    CHECK(other.follow(page.url, other.send(off.op.url("login"), form)).verdict() == "consent");
    CHECK(other.device_cookie().empty());
    CHECK(off.op.count_rows("remembered_devices") == 0);
}

TEST_CASE("remembered device: a wrong code keeps the tick [DEVICE-1]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing wrong =
        alice.submit(f.log_in(alice), "verify", {{"code", f.app.wrong_code(f.op)}, {"remember", "yes"}});
    REQUIRE(wrong.verdict() == "second step");
    CHECK(alice.submit(wrong, "verify", {{"code", f.app.fresh_code(f.op)}}).verdict() == "consent");
    CHECK_FALSE(alice.device_cookie().empty());
}

TEST_CASE("remembered device: it lets its own user in and no other [DEVICE-2, L37]") {
    WithApp f;
    UserAgent alice = f.remembered();
    // Bob has an app, too.
    UserAgent bob(f.op);
    bob.log_in(bob.open(f.op.url("account")), kBob, kBobPassword);
    const SetUp app = set_up_app(f.op, bob);
    const Landing login = alice.authorize(authorization_request());
    CHECK(alice.log_in(login, kBob, kBobPassword).verdict() == "second step");
    CHECK(f.log_in(alice).verdict() == "code");
    // Nor without the password, nor for what it is worth elsewhere.
    UserAgent thief(f.op);
    thief.cookies() = alice.cookies();
    WithApp::forget_session(thief);
    CHECK(thief.open(f.op.url("account")).verdict() == "login");
    CHECK(thief.log_in(thief.authorize(authorization_request()), kAlice, "not her password").verdict() == "login");
}

TEST_CASE("remembered device: what ends it [DEVICE-4, STORE-4, STORE-6]") {
    const std::vector<std::vector<std::vector<std::string>>> ends = {
        {{"user", "disable", kAlice}, {"user", "enable", kAlice}},
        {{"session", "end", "--user", kAlice}},
        {{"session", "end", "--all"}},
        {{"user", "factors", kAlice, "--remove", "codes"}},
    };
    for (const auto& commands : ends) {
        CAPTURE(commands.front()[1] + commands.front().back());
        WithApp f;
        UserAgent alice = f.remembered();
        for (const auto& command : commands) f.op.must(command);
        CHECK(f.log_in(alice).verdict() == "second step");
    }
    WithApp f;
    UserAgent alice = f.remembered();
    f.op.must({"user", "passwd", kAlice, "--password-stdin"}, "a new quiet password of hers\n");
    const Landing login = alice.authorize(authorization_request());
    CHECK(alice.log_in(login, kAlice, "a new quiet password of hers").verdict() == "second step");
    f.op.must({"user", "remove", kAlice});
    CHECK(f.op.count_rows("remembered_devices") == 0);
}

TEST_CASE(
    "remembered device: the account lists it, forgets it, and asks for the factor before a change [ACCOUNT-3, ACCOUNT-8]") {
    WithApp f;
    UserAgent alice = f.remembered();
    const std::string devices = f.op.url("account") + "/devices";
    REQUIRE(f.log_in(alice).verdict() == "code");
    CHECK(alice.open(f.op.url("account") + "/codes?new=yes").verdict() == "second step");
    const auto press = [&](const std::string& name, const std::string& value) {
        const Answer page = alice.fetch(devices);
        REQUIRE(page.status == 200);
        return alice.send(devices, Query{{"csrf", value_of(page, "csrf")}, {name, value}}.text());
    };
    const auto id_on = [&](const Answer& page) -> std::string {
        for (const Attributes& button : find_tags(page.body, "button"))
            if (button.contains("name") && button.at("name") == "device") return button.at("value");
        return "";
    };
    const Answer page = alice.fetch(devices);
    CHECK(says(page, "Remembered devices"));
    const std::string id = id_on(page);
    REQUIRE_FALSE(id.empty());
    CHECK(press("device", "no-such-device").status == 303);
    CHECK(f.op.count_rows("remembered_devices") == 1);
    // Another user's id does nothing (ACCOUNT-16).
    UserAgent bob(f.op), also_bob(f.op);
    for (UserAgent* browser : {&bob, &also_bob}) browser->log_in(browser->open(devices), kBob, kBobPassword);
    const Answer of_bob = bob.fetch(devices);
    CHECK(bob.send(devices, Query{{"csrf", value_of(of_bob, "csrf")}, {"device", id}}.text()).status == 303);
    CHECK(f.op.count_rows("remembered_devices") == 1);

    const Answer forgotten = press("device", id);
    CHECK(forgotten.location() == devices + "?done=device-forgotten");
    CHECK(text_of(audit_line(forgotten.log, "devices_forgotten"), "devices") == "1");
    CHECK_FALSE(has_id(alice.fetch(devices).body, "remembered"));
    f.forget_session(alice);
    CHECK(f.log_in(alice).verdict() == "second step");

    UserAgent again = f.remembered();
    UserAgent here = f.remembered();
    REQUIRE(f.log_in(here).verdict() == "code");
    const Answer shown = here.fetch(devices);
    const Answer out = here.send(devices, Query{{"csrf", value_of(shown, "csrf")}, {"everywhere", "yes"}}.text());
    CHECK(out.status == 303);
    CHECK(f.op.count_rows("remembered_devices") == 0);
    CHECK(f.log_in(again).verdict() == "second step");
}
