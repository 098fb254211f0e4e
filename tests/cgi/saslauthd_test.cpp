// Where saslauthd knows the passwords (login.method saslauthd): our own sign-in page, and all that stands behind it.
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "os/file_lock.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/fake_saslauthd.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "unit/store/fixture.h"
#include "util/base64.h"

namespace {

using namespace postern;
using namespace postern::test;

constexpr const char* kSecret = "the directory's password";
constexpr const char* kWrong = "That user name and password do not match.";

struct Fixture {
    TemporaryDirectory directory;
    FakeSaslauthd fake{directory / "mux"};
    Deployment op;

    explicit Fixture(const json::Object& more = {}) : op(Deployment::Options{.config = {{"login", login(more)}}}) {}

    json::Object login(const json::Object& more) const {
        json::Object login{{"method", "saslauthd"},
                           {"saslauthd", json::Object{{"socket", fake.path()}, {"realm", "example.org"}}}};
        for (const auto& [name, value] : more.members()) login.set(name, value);
        return login;
    }
    /// At a form of its own.
    Landing try_as(const std::string& username, const std::string& password = kSecret) const {
        UserAgent browser(op);
        return browser.log_in(browser.authorize(authorization_request()), username, password);
    }
};

TEST_CASE(
    "saslauthd: a right password signs in, at level 1 by pwd, and saslauthd was asked once [SOURCE-1, SOURCE-4]") {
    const Fixture f;
    UserAgent alice(f.op);
    const Landing consent = alice.log_in(alice.authorize(authorization_request()), kAlice, kSecret);
    REQUIRE_MESSAGE(consent.verdict() == "consent", consent.verdict() << consent.answer.log);
    const json::Object claims = id_token_of(f.op, alice.approve(consent));
    CHECK(text_of(claims, "sub") == subject_of(f.op, kAlice));
    CHECK(text_of(claims, "acr") == "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport");
    CHECK(claims.find("auth_time") != nullptr);
    REQUIRE(claims.find("amr") != nullptr);
    CHECK(*claims.find("amr")->if_array()->front().if_string() == "pwd");
    CHECK(const_cast<FakeSaslauthd&>(f.fake).asked() ==
          std::vector<FakeSaslauthd::Asked>{{kAlice, kSecret, "postern", "example.org"}});
}

TEST_CASE("saslauthd: each refusal shows the form in the same words, not before 500 ms [SOURCE-2, SOURCE-3, L35]") {
    Fixture f;
    f.op.must({"user", "disable", kBob});
    f.fake.answer([](const FakeSaslauthd::Asked& asked) {
        return FakeSaslauthd::says(asked.password == kSecret ? "OK" : "NO PAM auth error");
    });
    struct Row {
        const char* when;
        const char* name;
        const char* password;
        const char* reason;
    };
    const Row rows[] = {
        {"a wrong password", kAlice, "wrong", "saslauthd refused the name and password"},
        {"a name that nobody has", "eve", "wrong", "saslauthd refused the name and password"},
        {"no user here", "eve", kSecret, "saslauthd accepted the name and password, and there is no such user"},
        {"disabled here", kBob, kSecret, "the user is disabled"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        UserAgent browser(f.op);
        const Landing page = browser.authorize(authorization_request());
        const std::string form = browser.form_of(page, "login", {{"username", row.name}, {"password", row.password}});
        const auto begun = std::chrono::steady_clock::now();
        const Answer answer = browser.send(f.op.url("login"), form);
        CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(500));
        CHECK(answer.status == 200);
        CHECK(says(answer, kWrong));
        CHECK(browser.session_cookie().empty());
        const json::Object line = audit_line(answer.log, "login_failed");
        CHECK(text_of(line, "reason") == row.reason);
        CHECK(text_of(line, "method") == "password");
        CHECK(f.op.must({"why", answer.header("X-Request-Id")}).find(row.reason) != std::string::npos);
    }
    CHECK(f.fake.asked().size() == std::size(rows));
    CHECK(f.op.count_rows("users") == 2);
}

TEST_CASE("saslauthd: a login that waits for it holds a hash slot, and without one it is not asked [SOURCE-2, L35]") {
    Fixture f({{"hashSlots", 1}});
    std::promise<void> asked;
    std::promise<void> released;
    f.fake.answer([&](const FakeSaslauthd::Asked&) {
        asked.set_value();
        released.get_future().wait();
        return FakeSaslauthd::says("NO");
    });
    std::thread first([&] { f.try_as(kAlice); });
    asked.get_future().wait();
    const Answer second = f.try_as(kBob).answer;
    CHECK(second.status == 503);
    CHECK(second.log.find("too_busy") != std::string::npos);
    f.fake.answer({});
    released.set_value();
    first.join();
    const auto all = f.fake.asked();
    REQUIRE(all.size() == 1);
    CHECK(all[0].username == kAlice);
}

TEST_CASE("saslauthd: the audit log tells of the user who was made, and of the login") {
    Fixture f({{"autoCreate", true}});
    UserAgent browser(f.op);
    const Landing page = browser.authorize(authorization_request());
    const Answer answer =
        browser.send(f.op.url("login"), browser.form_of(page, "login", {{"username", "eve"}, {"password", kSecret}}));
    CHECK(answer.status == 303);
    CHECK(audit_events(answer.log) == "user_created login_succeeded");
    const std::vector<json::Object> lines = audit_lines(answer.log);
    CHECK(text_of(lines[0], "method") == "saslauthd");
    CHECK(text_of(lines[1], "method") == "password");
    CHECK(text_of(lines[1], "amr") == "pwd");
}

TEST_CASE("saslauthd: without an answer that counts the page is 503, nothing is counted, and why says so [SOURCE-1]") {
    Fixture f({{"maxFailures", 1}});
    const std::vector<FakeSaslauthd::Reply> rows = {
        {.pieces = {}},
        {.pieces = {FakeSaslauthd::framed("OKAY")}},
        {.pieces = {FakeSaslauthd::framed("OK").substr(0, 3)}, .hangs = true},  // 5 s
    };
    for (const FakeSaslauthd::Reply& row : rows) {
        CAPTURE(row.pieces.empty() ? "" : row.pieces.front());
        f.fake.answer([row](const auto&) { return row; });
        const Landing page = f.try_as(kAlice);
        CHECK(page.answer.status == 503);
        CHECK(page.answer.has("Retry-After"));
        CHECK(page.answer.log.find("saslauthd_failed") != std::string::npos);
        CHECK(f.op.must({"why", page.answer.header("X-Request-Id")}).find("socket") != std::string::npos);
    }
    f.fake.answer({});
    CHECK(f.try_as(kAlice).verdict() == "consent");
    f.op.configure("login", f.login({{"saslauthd", json::Object{{"socket", f.directory / "nothing"}}}}));
    CHECK(f.try_as(kAlice).answer.status == 503);
}

TEST_CASE("saslauthd: the second factor is asked for behind it, and set up behind it [SOURCE-4, STEP-2, POLICY-4]") {
    Fixture f({{"secondFactor", "required"}, {"autoCreate", true}});
    UserAgent eve(f.op);
    const Landing page = eve.log_in(eve.authorize(authorization_request()), "eve", kSecret);
    REQUIRE_MESSAGE(page.verdict() == "app", page.verdict() << page.answer.log);
    CHECK(eve.session_cookie().empty());
    SetUp app(page.answer);
    const std::string url = f.op.url("account") + "/enrol";
    const Landing codes = eve.follow(url, eve.send(url, app.form(app.code(f.op)).text()));
    REQUIRE_MESSAGE(codes.verdict() == "codes", codes.verdict() << codes.answer.log);
    UserAgent other(f.op);
    CHECK(other.log_in(other.authorize(authorization_request()), "eve", kSecret).verdict() == "second step");
    CHECK(f.fake.asked().size() == 2);
}

TEST_CASE(
    "saslauthd: there is no page of a password and no link, and those of factors are there [ACCOUNT-7, SOURCE-4]") {
    const Fixture f;
    UserAgent alice(f.op);
    const std::string account = f.op.url("account");
    const Landing overview = alice.log_in(alice.open(account), kAlice, kSecret);
    CHECK(overview.url == account);
    CHECK(says(overview.answer, "kept by your organisation"));
    CHECK(overview.answer.body.find(account + "/password") == std::string::npos);
    CHECK(alice.fetch(account + "/password").status == 404);
    for (const char* page : {"/app", "/codes", "/passkeys", "/devices"}) {
        CAPTURE(page);
        CHECK(alice.fetch(account + page).status == 200);
    }
    CHECK(alice.fetch(f.op.url("recover") + "?t=" + std::string(43, 'x')).status == 404);
    CHECK(f.op.cgi("discovery").json().find("acr_values_supported") != nullptr);
}

TEST_CASE("saslauthd: the overview leads to where a password is changed, if branding.help says it [ACCOUNT-7]") {
    Fixture f;
    const auto row_of = [&] {
        UserAgent alice(f.op);
        const std::string& body = alice.log_in(alice.open(f.op.url("account")), kAlice, kSecret).answer.body;
        const auto begin = body.find("id=\"rows\"");
        return body.substr(begin, body.find("</li>", begin) - begin);
    };
    CHECK(row_of().find("<span>Password</span>") != std::string::npos);
    f.op.configure("branding", json::Object{{"help", "https://help.example/passwords"}});
    CHECK(row_of().find("<a href=\"https://help.example/passwords\">Password</a>") != std::string::npos);
}

TEST_CASE("saslauthd: the commands that give a password say where it is kept, and change nothing [SOURCE-4]") {
    const Fixture f;
    const std::vector<std::vector<std::string>> rows = {
        {"user", "passwd", kAlice, "--password-stdin"},
        {"user", "reset-link", kAlice},
        {"user", "invite", "carol"},
        {"user", "add", "carol", "--password-stdin"},
    };
    for (const auto& row : rows) {
        CAPTURE(row[1]);
        const CommandResult result = f.op.postern(row, "another password\n");
        CHECK(result.exit_code == 1);
        CHECK(result.err.find("kept where saslauthd looks") != std::string::npos);
    }
    CHECK(f.op.count_rows("users") == 2);
    CHECK(f.op.count_rows("links") == 0);
    f.op.must({"user", "add", "carol"});  // which asks for no password
    CHECK(f.try_as("carol").verdict() == "consent");
}

}  // namespace
