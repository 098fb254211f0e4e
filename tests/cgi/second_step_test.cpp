// The second half of a login: its page, what travels to it, and what completes it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

/// Alice has an app and recovery codes, and no session in any browser of the tests.
struct WithApp {
    Deployment op;
    std::vector<std::string> codes;
    SetUp app;

    explicit WithApp(const Deployment::Options& options = {}) : op(options), app(set_up_app_of_alice(op, &codes)) {}
    explicit WithApp(const postern::json::Object& login) : WithApp(Deployment::Options{.config = {{"login", login}}}) {}

    /// The first page is done: the browser is at the second.
    Landing half(UserAgent& browser, const Query& request = authorization_request()) const {
        Landing login = browser.authorize(request);
        REQUIRE(login.verdict() == "login");
        Landing page = browser.log_in(login);
        REQUIRE_MESSAGE(page.verdict() == "second step", page.verdict() << page.answer.log);
        return page;
    }
    Landing give(UserAgent& browser, const Landing& page, const std::string& code) const {
        return browser.submit(page, "verify", {{"code", code}});
    }
};

TEST_CASE(
    "second step: a password is asked for a code, and the ID token says both [IF160, STEP-2, STEP-3, STEP-5, LEVEL-2]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    CHECK(page.answer.header("Cache-Control") == "no-store");
    CHECK(says(page.answer, "You are signing in as alice"));
    CHECK(alice.session_cookie().empty());
    const Landing consent = f.give(alice, page, f.app.fresh_code(f.op));
    REQUIRE(consent.verdict() == "consent");
    const auto claims = id_token_of(f.op, alice.approve(consent));
    CHECK(text_of(claims, "acr") == "https://refeds.org/profile/mfa");
    CHECK(amr_of(claims) == "pwd otp mfa");
    // The session is worth it from now on.
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
}

TEST_CASE("second step: a half login is worth the second page and nothing else [STEP-3, STEP-4]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    CHECK(f.op.count_rows("sessions") == 1);  // of the browser that set the app up
    const std::string resume = "?resume=" + resume_of(page);
    CHECK(alice.open(f.op.url("authorize") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("scopes") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("account") + resume).verdict() == "login");
    CHECK(alice.open(f.op.url("account") + "/app").verdict() == "login");
    CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required");
    // Nor another app: who has one gives its code.
    CHECK(alice.open(f.op.url("account") + "/enrol" + resume).verdict() == "login");
    // At the logout there is no session to end.
    CHECK(says(alice.open(f.op.url("logout")).answer, "You are signed out"));
    CHECK(alice.open(f.op.url("logout") + resume).verdict() == "page 400");
    // Nor in another browser.
    UserAgent other(f.op);
    CHECK(other.open(f.op.url("login") + resume).verdict() == "page 400");
    CHECK(f.op.count_rows("sessions") == 1);
}

TEST_CASE(
    "second step: it can be reloaded, and a code is wrong or right without the password again [STEP-7, STEP-11, TOTP-8]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    const Landing reloaded = alice.open(page.url);
    REQUIRE(reloaded.verdict() == "second step");
    const Landing wrong = f.give(alice, reloaded, f.app.wrong_code(f.op));
    CHECK(wrong.verdict() == "second step");
    CHECK(says(wrong.answer, "That code was not accepted."));
    CHECK(audit_line(wrong.answer.log, "second_factor_failed").find("reason"));
    CHECK(f.give(alice, wrong, "").verdict() == "second step");
    std::string arabic;
    for (const char digit : f.app.fresh_code(f.op))
        arabic += std::string("\xD9") + static_cast<char>(0xA0 + (digit - '0'));
    CHECK(f.give(alice, wrong, arabic).verdict() == "consent");
}

TEST_CASE("second step: a recovery code does as an app does, once [CODE-3, CODE-4]") {
    WithApp f;
    UserAgent alice(f.op), again(f.op);
    const Landing consent = f.give(alice, f.half(alice), f.codes.at(0));
    REQUIRE(consent.verdict() == "consent");
    const auto claims = id_token_of(f.op, alice.approve(consent));
    CHECK(text_of(claims, "acr") == "https://refeds.org/profile/mfa");
    CHECK(amr_of(claims) == "pwd otp mfa");
    const Landing refused = f.give(again, f.half(again), f.codes.at(0));
    CHECK(refused.verdict() == "second step");
    CHECK(f.give(again, refused, f.codes.at(1)).verdict() == "code");
}

TEST_CASE("second step: of two who give one code at the same moment, one gets in [TOTP-5, CODE-3, STORE-2]") {
    for (const bool of_app : {true, false}) {
        WithApp f;
        for (int round = 0; round < 4; ++round) {
            CAPTURE(of_app);
            CAPTURE(round);
            UserAgent one(f.op), two(f.op, "198.51.100.4");
            const Landing page_one = f.half(one), page_two = f.half(two);
            const std::string code = of_app ? f.app.fresh_code(f.op) : f.codes.at(round);
            const std::int64_t sessions = f.op.count_rows("sessions");
            Landing first, second;
            std::thread here([&] { first = f.give(one, page_one, code); });
            std::thread there([&] { second = f.give(two, page_two, code); });
            here.join();
            there.join();
            CHECK((first.verdict() == "consent") != (second.verdict() == "consent"));
            CHECK(one.session_cookie().empty() != two.session_cookie().empty());
            CHECK(f.op.count_rows("sessions") == sessions + 1);
        }
    }
}

TEST_CASE("second step: recovery codes are offered to a user who has unused ones, and to no other [CODE-6]") {
    WithApp f;
    UserAgent alice(f.op), without(f.op);
    CHECK(says(f.half(alice).answer, "Six digits of your app, or a recovery code"));
    f.op.must({"user", "factors", kAlice, "--remove", "codes"});
    const Landing page = f.half(without);
    CHECK(says(page.answer, "Six digits of your app"));
    CHECK_FALSE(says(page.answer, "or a recovery code"));
}

TEST_CASE("second step: an app whose secret does not open is not a wrong code, and the rest works [TOTP-11]") {
    WithApp f;
    UserAgent bob(f.op), alice(f.op);
    bob.log_in(bob.open(f.op.url("account")), kBob, kBobPassword);
    const SetUp app = set_up_app(f.op, bob);
    change_database(
        f.op, "UPDATE totp_secrets SET created_at = created_at + 1 WHERE subject = '" + subject_of(f.op, kAlice) + "'");
    const Landing page = f.give(alice, f.half(alice), f.app.fresh_code(f.op));
    CHECK(page.verdict() == "page 503");
    CHECK(has_id(page.answer.body, "code"));
    CHECK(says(page.answer, "Your authenticator app cannot be checked at present."));
    CHECK(page.answer.header("Retry-After").empty());
    CHECK(page.answer.log.find("store_failed") != std::string::npos);
    CHECK(page.answer.log.find("factor.key does not open the app's secret of user " + subject_of(f.op, kAlice)) !=
          std::string::npos);
    CHECK(f.op.stored().find("code:other:") == std::string::npos);  // it counts as no failure
    CHECK(page.answer.log.find("second_factor_failed") == std::string::npos);
    CHECK(f.give(alice, page, f.codes.at(0)).verdict() == "consent");

    UserAgent other(f.op);
    const Landing his = other.log_in(other.authorize(authorization_request()), kBob, kBobPassword);
    REQUIRE(his.verdict() == "second step");
    CHECK(other.submit(his, "verify", {{"code", app.code(f.op)}}).verdict() == "consent");
}

TEST_CASE("second step: without factor.key the page says that no code can be checked [TOTP-11, FKEY-1]") {
    WithApp f;
    UserAgent alice(f.op);
    REQUIRE(std::filesystem::remove(f.op.keys_directory() / "factor.key"));
    for (const std::string& code : {f.app.fresh_code(f.op), f.codes.at(0)}) {
        const Landing page = f.give(alice, f.half(alice), code);
        CHECK(page.verdict() == "page 503");
        CHECK(says(page.answer, "Codes cannot be checked at present."));
        CHECK(page.answer.log.find("factor.key is missing") != std::string::npos);
    }
}

TEST_CASE("second step: behind one of the last recovery codes a page says how few there are, and leads on [CODE-4]") {
    WithApp f;
    UserAgent first(f.op);
    REQUIRE(first.approve(f.give(first, f.half(first), f.codes.at(0))).verdict() == "code");
    for (std::size_t used = 1; used < f.codes.size(); ++used) {
        CAPTURE(used);
        UserAgent alice(f.op);
        const Landing done = f.give(alice, f.half(alice), f.codes.at(used));
        if (used + 1 < 8) {
            CHECK(done.verdict() == "code");
            continue;
        }
        CHECK(done.verdict() == "page 200");
        const std::size_t left = f.codes.size() - used - 1;
        CHECK(says(done.answer, "Codes left: " + std::to_string(left)));
        CHECK(alice.open(done.url).verdict() == "page 200");  // reloaded
        CHECK(link_in(done.answer.body, "new-codes") == f.op.url("account") + "/codes");
        CHECK(alice.open(link_in(done.answer.body, "continue")).verdict() == "code");
    }
    // The app says nothing of it.
    UserAgent again(f.op);
    CHECK(f.give(again, f.half(again), f.app.fresh_code(f.op)).verdict() == "code");
}

TEST_CASE("second step: whatever was changed meanwhile starts over, and nothing is written [STEP-6, STORE-6]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    f.op.must({"user", "passwd", "alice", "--password-stdin"}, "a new quiet password of hers\n");
    const Landing done = f.give(alice, page, f.app.fresh_code(f.op));
    CHECK(done.verdict() == "login");
    CHECK(says(done.answer, "Your account has changed meanwhile."));
    CHECK(alice.session_cookie().empty());
}

TEST_CASE("second step: a form of another page, browser or request completes nothing [STEP-4, A07]") {
    WithApp f;
    UserAgent alice(f.op), mallory(f.op);
    const Landing page = f.half(alice);
    const Landing hers = f.half(mallory);
    const std::string code = f.app.fresh_code(f.op);
    const auto post = [&](UserAgent& browser, const Query& fields) {
        return browser.follow(f.op.url("login"), browser.send(f.op.url("login"), fields.text()));
    };
    const Query form{
        {"csrf", value_of(page.answer, "csrf")}, {"resume", value_of(page.answer, "resume")}, {"code", code}};
    const std::vector<Query> rows = {
        form.with("csrf", value_of(hers.answer, "csrf")), form.without("csrf"), form.with("csrf", ""),
        form.and_also("code", code),  // RFC 6749 §3.1
    };
    for (const Query& row : rows) {
        CAPTURE(row.text());
        const std::string verdict = post(alice, row).verdict();
        CHECK((verdict == "page 400" || verdict == "page 403"));
    }
    CHECK(post(mallory, form).verdict() == "page 400");
    CHECK(alice.send(f.op.url("login"), form.text(), {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
    CHECK(post(alice, form).verdict() == "consent");
}

TEST_CASE("second step: ten wrong codes make the next one wait, and the password counts nothing for it [TOTP-9]") {
    WithApp f;
    UserAgent alice(f.op);
    Landing page = f.half(alice);
    for (int i = 0; i < 10; ++i) {
        page = f.give(alice, page, f.app.wrong_code(f.op));
        CHECK(page.verdict() == "second step");
    }
    const Landing waits = f.give(alice, page, f.app.fresh_code(f.op));
    CHECK(waits.verdict() == "page 429");
    CHECK(waits.answer.header("Retry-After") != "");
    CHECK(audit_line(waits.answer.log, "second_factor_throttled").find("reason"));
    // A new half login is no way around it.
    CHECK(f.give(alice, f.half(alice), f.app.code(f.op)).verdict() == "page 429");
    f.op.advance(seconds(std::stoi(waits.answer.header("Retry-After"))));
    CHECK(f.give(alice, f.half(alice), f.app.fresh_code(f.op)).verdict() == "consent");
}

TEST_CASE("second step: a place that is known by a password alone is not known for codes [TOTP-9]") {
    const Deployment op;
    UserAgent thief(op, "198.51.100.4");
    REQUIRE(thief.sign_in(authorization_request()).verdict() == "code");
    UserAgent alice(op);
    REQUIRE(alice.log_in(alice.open(op.url("account"))).verdict() == "page 200");
    const SetUp app = set_up_app(op, alice);
    UserAgent guesser(op, "198.51.100.4");
    Landing page = guesser.log_in(guesser.authorize(authorization_request().with("prompt", "login")));
    REQUIRE(page.verdict() == "second step");
    for (int i = 0; i < 10; ++i) page = guesser.submit(page, "verify", {{"code", app.wrong_code(op)}});
    CHECK(op.must({"user", "factors", kAlice}).find("10") != std::string::npos);
    CHECK(op.stored().find("code:other:") != std::string::npos);
    CHECK(op.stored().find("code:known:") == std::string::npos);
}

TEST_CASE("second step: max_age counts from the code, so that a slow user gets tokens [STEP-6, OIDC Core §3.1.3.7]") {
    WithApp f;
    UserAgent alice(f.op);
    REQUIRE(alice.approve(f.give(alice, f.half(alice), f.app.fresh_code(f.op))).verdict() == "code");
    const Landing page = f.half(alice, authorization_request().raw("max_age=60&prompt=login"));
    f.op.advance(seconds(200));
    const Landing done = f.give(alice, page, f.app.code(f.op));
    REQUIRE(done.verdict() == "code");
    CHECK(number_of(id_token_of(f.op, done), "auth_time") == f.op.now());
}

TEST_CASE("second step: somebody else can sign in instead, for the same request [STEP-5]") {
    WithApp f;
    UserAgent browser(f.op);
    const Landing page = f.half(browser);
    const Landing login = browser.open(link_in(page.answer.body, "other-account"));
    REQUIRE(login.verdict() == "login");
    const Landing consent = browser.log_in(login, kBob, kBobPassword);
    CHECK(consent.verdict() == "consent");
    CHECK(text_of(id_token_of(f.op, browser.approve(consent)), "sub") == subject_of(f.op, kBob));
}

TEST_CASE("second step: neither seal, log nor audit line has a code [STORE-3]") {
    WithApp f;
    UserAgent alice(f.op);
    const Landing page = f.half(alice);
    const std::string wrong = "834 - 271", right = f.codes.at(0);
    const Landing refused = f.give(alice, page, wrong);
    const Answer done = alice.send(f.op.url("login"), alice.form_of(refused, "verify", {{"code", right}}));
    REQUIRE(done.status == 303);
    for (const std::string& log : {refused.answer.log, done.log})
        for (const std::string& code : {wrong, std::string("834271"), right})
            CHECK(log.find(code) == std::string::npos);
    CHECK(audit_events(done.log) == "login_succeeded recovery_code_used");
    CHECK(f.op.stored().find(right) == std::string::npos);
    CHECK(refused.answer.body.find("834") == std::string::npos);
}

// Levels: what clients, groups and requests demand or wish for.

TEST_CASE("levels: a session by password is raised by a code alone, and keeps its time and its sid [STEP-8, LEVEL-5]") {
    WithApp f;
    // A login of before the app: its session is worth a password.
    f.op.must({"client", "set", kWeb, "--acr", "any"});
    UserAgent alice(f.op);
    f.op.configure("login", postern::json::Object{{"secondFactor", "off"}});
    const Landing first = alice.sign_in(authorization_request());
    REQUIRE(first.verdict() == "code");
    const auto before = id_token_of(f.op, first);
    f.op.configure("login", postern::json::Object{{"secondFactor", "offered"}});
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
    const std::string old_cookie = alice.session_cookie();

    f.op.must({"client", "set", kWeb, "--acr", "mfa"});
    CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required");
    const Landing page = alice.authorize(authorization_request());
    REQUIRE(page.verdict() == "second step");
    const Landing done = f.give(alice, page, f.app.fresh_code(f.op));
    REQUIRE(done.verdict() == "code");
    const auto claims = id_token_of(f.op, done);
    CHECK(text_of(claims, "acr") == "https://refeds.org/profile/mfa");
    CHECK(amr_of(claims) == "pwd otp mfa");
    CHECK(number_of(claims, "auth_time") == number_of(before, "auth_time"));
    CHECK(alice.session_cookie() != old_cookie);
    UserAgent thief(f.op);
    thief.cookies() = alice.cookies();
    for (auto& [name, value] : thief.cookies())
        if (value == alice.session_cookie()) value = old_cookie;
    CHECK(thief.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required");
}

TEST_CASE(
    "levels: acr is the first value that the login satisfies, the configuration's names included [LEVEL-2, LEVEL-8]") {
    const postern::json::Object names = {{"urn:example:strong", 2}, {"urn:example:weak", 1}};
    WithApp f(postern::json::Object{{"acrNames", names}});
    UserAgent alice(f.op);
    REQUIRE(alice.approve(f.give(alice, f.half(alice), f.app.fresh_code(f.op))).verdict() == "code");
    struct Row {
        const char* asked;
        const char* told;
    };
    const Row rows[] = {
        {"urn:example:strong", "urn:example:strong"},
        {"urn:example:unknown urn:example:weak urn:example:strong", "urn:example:weak"},
        {"phr", "https://refeds.org/profile/mfa"},
        {"urn:example:unknown", "https://refeds.org/profile/mfa"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.asked);
        const Landing done = alice.authorize(authorization_request().with("acr_values", row.asked));
        REQUIRE(done.verdict() == "code");
        CHECK(text_of(id_token_of(f.op, done), "acr") == row.told);
    }
    const std::string metadata = f.op.cgi("discovery").body;
    for (const char* name : {"urn:example:strong", "urn:example:weak", "https://refeds.org/profile/mfa"})
        CHECK(metadata.find('"' + std::string(name) + '"') != std::string::npos);
    CHECK(metadata.find("\"phr\"") != std::string::npos);
    f.op.configure("login", postern::json::Object{{"passkeys", "off"}});
    CHECK(f.op.cgi("discovery").body.find("\"phr\"") == std::string::npos);
}

TEST_CASE(
    "levels: tokens and introspection say it, and a refresh repeats it [LEVEL-6, LEVEL-7, LEVEL-9, RFC 9470 §6.2]") {
    WithApp f;
    UserAgent alice(f.op);
    const Query request = authorization_request().with("scope", "openid offline_access").with("prompt", "consent");
    const Landing done = alice.approve(f.give(alice, f.half(alice, request), f.app.fresh_code(f.op)));
    REQUIRE(done.verdict() == "code");
    const Answer tokens = redeem(f.op, token_request(done.parameter("code")));
    REQUIRE(tokens.status == 200);
    const auto is_told = [&](const std::string& token) {
        const Answer said = as_client(f.op, "introspect", {{"token", token}});
        CHECK(said.member("acr") == "https://refeds.org/profile/mfa");
        CHECK(said.body.find("\"auth_time\":") != std::string::npos);
    };
    is_told(tokens.member("access_token"));
    // The factor is gone, the grant is not: what it recorded is what it says.
    const Landing removed = alice.submit(alice.open(f.op.url("account") + "/app"), "remove");
    REQUIRE(says(removed.answer, "Your app is removed."));
    f.op.advance(seconds(60));
    const Answer fresh =
        redeem(f.op, {{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}});
    REQUIRE(fresh.status == 200);
    is_told(fresh.member("access_token"));
    CHECK(text_of(jwt_claims(fresh.member("id_token")), "acr") == "https://refeds.org/profile/mfa");
}

TEST_CASE("levels: a grant of level 1 stays that when its session is raised, whatever is refreshed [LEVEL-7]") {
    WithApp f;
    UserAgent alice(f.op);
    f.op.configure("login", postern::json::Object{{"secondFactor", "off"}});
    const Query request = authorization_request().with("scope", "openid offline_access").with("prompt", "consent");
    const Answer tokens = redeem(f.op, token_request(alice.sign_in(request).parameter("code")));
    REQUIRE(tokens.status == 200);
    f.op.configure("login", postern::json::Object{{"secondFactor", "offered"}});
    const std::string mfa = "https://refeds.org/profile/mfa";
    const Landing page = alice.authorize(authorization_request().with("scope", "openid").with("acr_values", mfa));
    REQUIRE(page.verdict() == "second step");
    REQUIRE(text_of(id_token_of(f.op, f.give(alice, page, f.app.fresh_code(f.op))), "acr") == mfa);

    const Answer fresh =
        redeem(f.op, {{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}});
    REQUIRE(fresh.status == 200);
    const std::string password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
    const auto claims = jwt_claims(fresh.member("id_token"));
    CHECK(text_of(claims, "acr") == password);
    CHECK(amr_of(claims) == "pwd");
    CHECK(as_client(f.op, "introspect", {{"token", fresh.member("access_token")}}).member("acr") == password);
}

// Users who must have a second factor and have none.

struct Enrolling {
    Deployment op;
    UserAgent alice{op};
    Landing page;

    explicit Enrolling(const postern::json::Object& login = {{"secondFactor", "required"}})
        : op(Deployment::Options{.config = {{"login", login}}}),
          page(alice.log_in(alice.authorize(authorization_request()))) {}

    Landing turn_on(const SetUp& app, const std::string& code) {
        const std::string url = op.url("account") + "/enrol";
        return alice.follow(url, alice.send(url, app.form(code).text()));
    }
};

TEST_CASE("enrolment: the password, an app, its codes, and on to the application [POLICY-4, CODE-2]") {
    Enrolling f;
    REQUIRE(f.page.verdict() == "app");
    CHECK(says(f.page.answer, "You are signing in as alice"));
    CHECK(f.alice.session_cookie().empty());
    CHECK(f.op.count_rows("sessions") == 0);
    const SetUp app(f.page.answer);
    const Landing wrong = f.turn_on(app, app.wrong_code(f.op));
    CHECK(wrong.verdict() == "app");
    CHECK(SetUp(wrong.answer).key == app.key);
    CHECK(f.op.count_rows("totp_secrets") == 0);
    const Landing codes = f.turn_on(app, app.code(f.op));
    REQUIRE(codes.verdict() == "codes");
    CHECK(codes_in(codes.answer).size() == 10);
    CHECK(audit_events(codes.answer.log) == "app_added login_succeeded recovery_codes_made");
    CHECK(codes.answer.log.find(R"("amr":"pwd otp mfa")") != std::string::npos);
    const Landing consent = f.alice.open(link_in(codes.answer.body, "kept"));
    REQUIRE(consent.verdict() == "consent");
    const auto claims = id_token_of(f.op, f.alice.approve(consent));
    CHECK(text_of(claims, "acr") == "https://refeds.org/profile/mfa");
    // And from now on a code is asked for.
    UserAgent again(f.op);
    CHECK(again.log_in(again.authorize(authorization_request())).verdict() == "second step");
}

TEST_CASE("enrolment: it leads to the account as well [POLICY-4, ACCOUNT-3]") {
    const Deployment op(
        Deployment::Options{.config = {{"login", postern::json::Object{{"secondFactor", "required"}}}}});
    UserAgent alice(op);
    const Landing page = alice.log_in(alice.open(op.url("account") + "/devices"));
    REQUIRE(page.verdict() == "app");
    const SetUp app(page.answer);
    const std::string url = op.url("account") + "/enrol";
    const Landing codes = alice.follow(url, alice.send(url, app.form(app.code(op)).text()));
    REQUIRE(codes.verdict() == "codes");
    CHECK(link_in(codes.answer.body, "kept") == op.url("account") + "/devices");
    CHECK(alice.fetch(op.url("account") + "/devices").status == 200);
}

TEST_CASE(
    "enrolment: a form that comes again, late, from elsewhere or without its half turns nothing on [POLICY-4, STEP-4]") {
    {
        Enrolling f;
        const SetUp app(f.page.answer);
        UserAgent other(f.op);
        const std::string url = f.op.url("account") + "/enrol";
        const Query form = app.form(app.code(f.op));
        CHECK(other.send(url, form.text()).status == 400);
        CHECK(f.alice.send(url, form.text(), {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
        CHECK(f.alice.send(url, form.with("csrf", "x").text()).status == 403);
        CHECK(f.alice.send(url, form.without("resume").text()).status == 400);
        CHECK(f.alice.send(url, form.and_also("code", "123456").text()).status == 400);
        CHECK(f.op.count_rows("totp_secrets") == 0);
        CHECK(f.turn_on(app, app.code(f.op)).verdict() == "codes");
        // Once more: no second set of codes, and no second session.
        CHECK(f.turn_on(app, app.code(f.op)).verdict() == "login");
        CHECK(f.op.count_rows("recovery_codes") == 10);
        CHECK(f.op.count_rows("sessions") == 1);
    }
}

TEST_CASE("enrolment: with a link demanded, a password sets up no first app in the account either [POLICY-4]") {
    const Deployment op(Deployment::Options{.config = {{"login", postern::json::Object{{"enrolment", "link"}}}}});
    op.must({"client", "set", kWeb, "--acr", "mfa"});
    UserAgent thief(op);
    REQUIRE(thief.log_in(thief.open(op.url("account"))).verdict() == "page 200");
    const Answer page = thief.fetch(op.url("account") + "/app");
    CHECK(says(page, "A password alone does not set up the first one here."));
    CHECK(page.body.find("otpauth:") == std::string::npos);
    CHECK(thief.authorize(authorization_request()).verdict() == "page 403");
}

TEST_CASE("enrolment: an app that must be there is replaced and not removed [POLICY-4]") {
    WithApp f;
    f.op.must({"user", "set", kAlice, "--second-factor", "required"});
    UserAgent alice(f.op);
    REQUIRE(alice.approve(f.give(alice, f.half(alice), f.app.fresh_code(f.op))).verdict() == "code");
    const std::string app = f.op.url("account") + "/app";
    const Answer shown = alice.fetch(app);
    const Answer refused = alice.send(app, Query{{"csrf", value_of(shown, "csrf")}, {"remove", "yes"}}.text());
    CHECK(says(refused, "Your account must have an app."));
    CHECK(f.op.count_rows("totp_secrets") == 1);
    f.op.must({"user", "set", kAlice, "--second-factor", "default"});
    const Answer removed = alice.send(app, Query{{"csrf", value_of(shown, "csrf")}, {"remove", "yes"}}.text());
    CHECK(removed.status == 303);
    CHECK(f.op.count_rows("totp_secrets") == 0);
}

TEST_CASE(
    "account: with a session by password, a user who must have a second factor gives it first [ACCOUNT-3, POLICY-3]") {
    WithApp f;
    f.op.configure("login", postern::json::Object{{"secondFactor", "off"}});
    UserAgent alice(f.op);
    REQUIRE(alice.sign_in(authorization_request()).verdict() == "code");
    f.op.configure("login", postern::json::Object{{"secondFactor", "offered"}});
    const std::string account = f.op.url("account");
    // To look at it the password is enough; to change it the second factor is asked for, because the user has one.
    CHECK(alice.open(account + "/devices").verdict() == "page 200");
    const Landing page = alice.open(account + "/app?another=yes");
    REQUIRE(page.verdict() == "second step");
    const Landing done = f.give(alice, page, f.app.fresh_code(f.op));
    CHECK(done.url == account + "/app");
    CHECK(alice.open(account + "/app?another=yes").verdict() == "app");
    // With the demand not even to look at it.
    f.op.configure("login", postern::json::Object{{"secondFactor", "off"}});
    UserAgent other(f.op);
    REQUIRE(other.sign_in(authorization_request()).verdict() == "code");
    f.op.configure("login", postern::json::Object{{"secondFactor", "required"}});
    CHECK(other.open(account + "/devices").verdict() == "second step");
    CHECK(other.open(account).verdict() == "second step");
}

}  // namespace
