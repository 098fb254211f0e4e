// The audit log: one line for everything that gives or takes a right, with what ties the lines together and nothing
// that could be used (docs/decisions/0026-audit-log.md).
#include <doctest/doctest.h>

#include <string>

#include "crypto/digest.h"
#include "os/file_lock.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using postern::crypto::sha256_hex;
using std::chrono::seconds;
namespace json = postern::json;
namespace fs = std::filesystem;

/// At the level that says least, so that what is there is there whatever is configured.
class Audited {
public:
    explicit Audited(json::Object config = {}) : op(options(std::move(config))), file_(op.directory() / "audit.log") {
        op.configure("log", json::Object{{"target", file_.string()}, {"level", "error"}});
    }

    /// The lines since the last call.
    std::string news() {
        const std::string all = read_file(file_);
        const std::string fresh = all.substr(seen_);
        seen_ = all.size();
        return fresh;
    }

    Deployment op;

private:
    static Deployment::Options options(json::Object config) { return {"https://op.example", std::move(config)}; }
    fs::path file_;
    std::size_t seen_ = 0;
};

std::string digest(const std::string& value) { return sha256_hex(value).substr(0, 16); }

Answer refresh(const Deployment& op, const std::string& token) {
    return redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", token}});
}

TEST_CASE("audit: a person's way from login to logout is one line for each step, tied by subject, session and grant") {
    Audited site;
    UserAgent alice(site.op, "192.0.2.99");
    const std::string subject = subject_of(site.op, kAlice);
    const Landing form = alice.authorize(authorization_request());
    CHECK(site.news().empty());  // nobody has got or lost anything

    const Landing consent = alice.log_in(form);
    const json::Object login = audit_line(site.news(), "login_succeeded");
    CHECK(text_of(login, "program") == "login");
    CHECK(text_of(login, "address") == "192.0.2.99");
    CHECK(text_of(login, "method") == "password");
    CHECK(text_of(login, "subject") == subject);
    CHECK(text_of(login, "client_id") == kWeb);

    const Landing done = alice.approve(consent);
    const auto steps = audit_lines(site.news());
    REQUIRE(steps.size() == 2);
    CHECK(text_of(steps[0], "event") == "consent_given");
    CHECK(text_of(steps[1], "event") == "code_issued");
    CHECK(text_of(steps[1], "id") == done.answer.header("X-Request-Id"));
    CHECK(text_of(steps[1], "code") == digest(done.parameter("code")));
    CHECK(text_of(steps[1], "scope") == "openid email");

    const Answer tokens = redeem(site.op, token_request(done.parameter("code")));
    const json::Object issued = audit_line(site.news(), "token_issued");
    CHECK(text_of(issued, "id") == tokens.header("X-Request-Id"));
    CHECK(text_of(issued, "grant_type") == "authorization_code");
    CHECK(text_of(issued, "code") == digest(done.parameter("code")));
    CHECK(text_of(issued, "access_token") == digest(tokens.member("access_token")));
    CHECK(text_of(issued, "refresh_token") == digest(tokens.member("refresh_token")));
    const std::string jti = text_of(jwt_claims(tokens.member("access_token")), "jti");
    CHECK(text_of(issued, "grant") == digest(jti.substr(0, jti.find('.'))));

    const Answer next = refresh(site.op, tokens.member("refresh_token"));
    const json::Object refreshed = audit_line(site.news(), "token_refreshed");
    CHECK(text_of(refreshed, "used") == digest(tokens.member("refresh_token")));
    CHECK(text_of(refreshed, "refresh_token") == digest(next.member("refresh_token")));
    CHECK(text_of(refreshed, "retried") == "no");

    const Landing question = alice.open(site.op.url("logout"));
    CHECK(site.news().empty());
    alice.submit(question, "logout");
    const json::Object logout = audit_line(site.news(), "logout");
    CHECK(text_of(logout, "grants_ended") == "1");

    for (const json::Object& line : {steps[0], steps[1], issued, refreshed, logout}) {
        CHECK(text_of(line, "subject") == subject);
        CHECK(text_of(line, "session") == text_of(login, "session"));
    }
    for (const json::Object& line : {issued, refreshed}) CHECK(text_of(line, "grant") == text_of(steps[1], "grant"));
}

TEST_CASE("audit: a failed login names the account where there is one, and never what was typed [G01]") {
    Audited site({{"login", json::Object{{"maxFailures", 3}}}});
    UserAgent browser(site.op);
    const Landing form = browser.authorize(authorization_request());
    const std::string subject = subject_of(site.op, kAlice);

    browser.log_in(form, kAlice, "not her password");
    const json::Object wrong = audit_line(site.news(), "login_failed");
    CHECK(text_of(wrong, "subject") == subject);
    CHECK(text_of(wrong, "reason") == "wrong password");

    const std::string slip = "her password in the wrong field";
    browser.log_in(form, slip, "x");
    const std::string text = site.news();
    const json::Object unknown = audit_line(text, "login_failed");
    CHECK(text_of(unknown, "subject").empty());
    CHECK(text_of(unknown, "reason") == "no such user");
    CHECK(text.find(slip) == std::string::npos);
    CHECK(text.find(digest(slip)) == std::string::npos);  // nor what a guess could be compared with
    CHECK(text_of(unknown, "account").size() == 16);
    CHECK(text_of(unknown, "account") != text_of(wrong, "account"));

    for (int i = 0; i < 2; ++i) browser.log_in(form, kAlice, "not her password");
    CHECK(audit_events(site.news()) == "login_failed login_failed");
    CHECK(browser.log_in(form).verdict() == "page 429");
    const json::Object throttled = audit_line(site.news(), "login_throttled");
    CHECK(text_of(throttled, "account") == text_of(wrong, "account"));
    CHECK(text_of(throttled, "subject").empty());
}

TEST_CASE("audit: a session that ends because another user signs in with the same browser has a line, and only then") {
    Audited site;
    UserAgent browser(site.op);
    browser.log_in(browser.authorize(authorization_request()));
    site.news();
    browser.log_in(browser.authorize(authorization_request().with("prompt", "login")));
    const json::Object again = audit_line(site.news(), "login_succeeded");  // the same person, the same session
    browser.log_in(browser.authorize(authorization_request().with("prompt", "login")), kBob, kBobPassword);
    const auto lines = audit_lines(site.news());
    REQUIRE(lines.size() == 2);
    CHECK(text_of(lines[0], "event") == "session_replaced");
    CHECK(text_of(lines[0], "subject") == subject_of(site.op, kAlice));
    CHECK(text_of(lines[0], "session") == text_of(again, "session"));
    CHECK(text_of(lines[1], "event") == "login_succeeded");
    CHECK(text_of(lines[1], "subject") == subject_of(site.op, kBob));
    CHECK(text_of(lines[1], "id") == text_of(lines[0], "id"));
    CHECK(text_of(lines[1], "session") != text_of(lines[0], "session"));
}

TEST_CASE(
    "audit: a password that was not checked for lack of time is distinguished from a wrong and from a throttled one") {
    Audited site({{"login", json::Object{{"hashSlots", 1}}}});
    UserAgent browser(site.op);
    const Landing form = browser.authorize(authorization_request());
    const auto files = is_on_postgresql() ? site.op.database_file().replace_extension() : site.op.database_file();
    const auto slot = postern::os::Slot::acquire(files.string() + ".hash", 1, std::chrono::milliseconds(100));
    REQUIRE(slot);
    CHECK(browser.log_in(form).verdict() == "page 503");
    const json::Object line = audit_line(site.news(), "login_overloaded");
    CHECK(text_of(line, "reason").find("hash slot") != std::string::npos);
    CHECK(text_of(line, "client_id") == kWeb);
    CHECK(!text_of(line, "account").empty());
}

TEST_CASE(
    "audit: a new password that was not checked for lack of time is refused with that reason [ACCOUNT-6, PASSWORD-7]") {
    Audited site({{"login", json::Object{{"hashSlots", 1}}}});
    UserAgent browser(site.op);
    const std::string page = site.op.url("account") + "/password";
    const Landing form = browser.log_in(browser.open(page));
    REQUIRE(form.url == page);
    const auto files = is_on_postgresql() ? site.op.database_file().replace_extension() : site.op.database_file();
    const auto slot = postern::os::Slot::acquire(files.string() + ".hash", 1, std::chrono::milliseconds(100));
    REQUIRE(slot);
    site.news();
    const std::string fresh = "four words in a row";
    const Query typed = {{"csrf", find_form(form.answer.body)->fields.at("csrf")},
                         {"present", kAlicePassword},
                         {"new", fresh},
                         {"again", fresh}};
    CHECK(browser.send(page, typed.text()).status == 503);
    const json::Object line = audit_line(site.news(), "password_refused");
    CHECK(text_of(line, "reason").find("hash slot") != std::string::npos);
    CHECK(text_of(line, "subject") == subject_of(site.op, kAlice));
}

TEST_CASE("audit: a code or refresh token that another client shows is a line that names both") {
    Audited site;
    UserAgent alice(site.op);
    const json::Object tokens = obtain_tokens(site.op, alice, authorization_request());
    const std::string code = alice.obtain_code(authorization_request());
    const std::string refresh_token = text_of(tokens, "refresh_token");
    site.news();
    struct Row {
        const char* endpoint;
        Query query;
        const char* kind;
        std::string token;
    };
    const Row rows[] = {
        {"token", token_request(code), "authorization_code", code},
        {"token", {{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}}, "refresh_token", refresh_token},
        {"revoke", {{"token", code}, {"token_type_hint", "auth_code"}}, "authorization_code", code},
        {"revoke", {{"token", refresh_token}}, "refresh_token", refresh_token},
        {"revoke", {{"token", text_of(tokens, "access_token")}}, "access_token", text_of(tokens, "access_token")},
    };
    for (const Row& row : rows) {
        CAPTURE(row.endpoint);
        CAPTURE(row.kind);
        as_client(site.op, row.endpoint, row.query, kOther);
        const json::Object line = audit_line(site.news(), "presented_by_another");
        CHECK(text_of(line, "program") == row.endpoint);
        CHECK(text_of(line, "kind") == row.kind);
        CHECK(text_of(line, "token") == digest(row.token));
        CHECK(text_of(line, "client_id") == kWeb);
        CHECK(text_of(line, "presented_by") == kOther);
        CHECK(text_of(line, "subject") == subject_of(site.op, kAlice));
    }
    CHECK(redeem(site.op, token_request(code)).status == 200);
    CHECK(refresh(site.op, refresh_token).status == 200);
}

TEST_CASE("audit: a denied consent") {
    Audited site;
    UserAgent alice(site.op);
    const Landing consent = alice.log_in(alice.authorize(authorization_request()));
    site.news();
    CHECK(alice.deny(consent).verdict() == "access_denied");
    CHECK(text_of(audit_line(site.news(), "consent_denied"), "client_id") == kWeb);
}

TEST_CASE("audit: a code that comes again, with right and with wrong proofs, and one that was spoiled") {
    Audited site;
    UserAgent alice(site.op);
    const std::string code = alice.obtain_code(authorization_request());
    REQUIRE(redeem(site.op, token_request(code)).status == 200);
    site.news();
    redeem(site.op, token_request(code).with("code_verifier", std::string(43, 'w')));
    const json::Object stranger = audit_line(site.news(), "code_replayed");
    CHECK(text_of(stranger, "grant_ended") == "no");
    redeem(site.op, token_request(code));
    const json::Object replay = audit_line(site.news(), "code_replayed");
    CHECK(text_of(replay, "grant_ended") == "yes");
    CHECK(text_of(replay, "code") == digest(code));
    CHECK(text_of(replay, "grant") == text_of(stranger, "grant"));
    redeem(site.op, token_request(code));
    CHECK(text_of(audit_line(site.news(), "code_replayed"), "grant_ended") == "no");  // it had ended before

    const std::string other = alice.obtain_code(authorization_request());
    site.news();
    redeem(site.op, token_request(other).with("redirect_uri", "https://app.example/elsewhere"));
    CHECK(text_of(audit_line(site.news(), "code_burned"), "code") == digest(other));
    redeem(site.op, token_request(other));  // the owner's, too late, or another guess
    const json::Object late = audit_line(site.news(), "code_replayed");
    CHECK(text_of(late, "code") == digest(other));
    CHECK(text_of(late, "grant_ended") == "no");
}

TEST_CASE("audit: a refresh token used again: once more within the grace, too often, and as a theft") {
    Audited site;
    UserAgent alice(site.op);
    const json::Object tokens = obtain_tokens(site.op, alice, authorization_request());
    const std::string first = text_of(tokens, "refresh_token");
    refresh(site.op, first);
    site.news();
    refresh(site.op, first);
    CHECK(text_of(audit_line(site.news(), "token_refreshed"), "retried") == "yes");
    refresh(site.op, first);
    CHECK(text_of(audit_line(site.news(), "refresh_token_reused"), "grant_ended") == "no");
    site.op.advance(seconds(11));
    refresh(site.op, first);
    const json::Object theft = audit_line(site.news(), "refresh_token_reused");
    CHECK(text_of(theft, "grant_ended") == "yes");
    CHECK(text_of(theft, "used") == digest(first));
    refresh(site.op, first);
    CHECK(text_of(audit_line(site.news(), "refresh_token_reused"), "grant_ended") == "no");
}

TEST_CASE("audit: tokens and codes that clients revoke have a line, unknown ones have none") {
    Audited site;
    UserAgent alice(site.op);
    const json::Object tokens = obtain_tokens(site.op, alice, authorization_request());
    const std::string code = alice.obtain_code(authorization_request());
    site.news();
    as_client(site.op, "revoke", {{"token", "unknown"}});
    CHECK(site.news().empty());
    struct Row {
        const char* kind;
        std::string token;
        const char* hint;
    };
    for (const Row& row : {Row{"access_token", text_of(tokens, "access_token"), "access_token"},
                           Row{"refresh_token", text_of(tokens, "refresh_token"), "refresh_token"},
                           Row{"authorization_code", code, "auth_code"}}) {
        CAPTURE(row.kind);
        as_client(site.op, "revoke", {{"token", row.token}, {"token_type_hint", row.hint}});
        const json::Object line = audit_line(site.news(), "token_revoked");
        CHECK(text_of(line, "kind") == row.kind);
        CHECK(text_of(line, "token") == digest(row.token));
        CHECK(text_of(line, "client_id") == kWeb);
    }
}

TEST_CASE("audit: clients that fail to authenticate, named only when they are known") {
    Audited site;
    const std::string code(43, 'c');
    const auto with = [&](const std::string& header) {
        CgiRequest request = post_form(token_request(code).text());
        if (!header.empty()) request.headers = {{"Authorization", header}};
        return request;
    };
    struct Row {
        CgiRequest request;
        const char* client;
        const char* reason;
    };
    const Row rows[] = {
        {with(basic(kWeb, "wrong")), kWeb, "wrong secret"},
        {with(basic(secret_of(kWeb), kWeb)), "", "no such client"},  // the two exchanged
        {with("Basic ?"), "", "not strict base64"},
        {with("Bearer x"), "", "not of the Basic scheme"},
        {with(""), "", "no"},
        {post_form(token_request(code).with("client_id", kSpa).with("client_secret", "x").text()), kSpa, "public"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.reason);
        for (const char* endpoint : {"token", "revoke", "introspect"}) {
            CgiRequest request = row.request;
            request.body += "&token=t";
            CHECK(site.op.cgi(endpoint, request).status == 401);
            const json::Object line = audit_line(site.news(), "client_authentication_failed");
            CHECK(text_of(line, "program") == endpoint);
            CHECK(text_of(line, "client_id") == row.client);
            CHECK(text_of(line, "reason").find(row.reason) != std::string::npos);
        }
    }
}

TEST_CASE("audit: tokens without a user, and without a code") {
    Audited site({{"implicit", true}});
    as_client(site.op, "token", {{"grant_type", "client_credentials"}}, kMachine);
    const json::Object machine = audit_line(site.news(), "token_issued");
    CHECK(text_of(machine, "grant_type") == "client_credentials");
    CHECK(text_of(machine, "subject").empty());
    site.op.must({"client", "set", kSpa, "--grant", "implicit", "--grant", "authorization_code"});
    UserAgent alice(site.op);
    site.news();
    REQUIRE(alice.sign_in(authorization_request(kSpa).with("response_type", "token")).verdict() == "token");
    const auto lines = audit_lines(site.news());
    REQUIRE(!lines.empty());
    CHECK(text_of(lines.back(), "grant_type") == "implicit");
}

TEST_CASE("audit: where the web server authenticates users, the accepted and the rejected ones") {
    Audited site({{"login", json::Object{{"method", "remote_user"}, {"autoCreate", true}}}});
    UserAgent browser(site.op);
    browser.login_variables() = {{"REMOTE_USER", "carol"}, {"AUTH_TYPE", "Basic"}};
    browser.authorize(authorization_request());
    const auto lines = audit_lines(site.news());
    REQUIRE(lines.size() == 2);
    CHECK(text_of(lines[0], "event") == "user_created");
    CHECK(text_of(lines[1], "event") == "login_succeeded");
    for (const json::Object& line : lines) {
        CHECK(text_of(line, "method") == "remote_user");
        CHECK(text_of(line, "subject") == subject_of(site.op, "carol"));
    }
    UserAgent nobody(site.op);
    nobody.authorize(authorization_request());
    CHECK(text_of(audit_line(site.news(), "login_failed"), "reason") == "remote_user_missing");
    site.op.must({"user", "disable", "carol"});
    site.news();
    UserAgent gone(site.op);
    gone.login_variables() = browser.login_variables();
    gone.authorize(authorization_request());
    const json::Object disabled = audit_line(site.news(), "login_failed");
    CHECK(text_of(disabled, "reason") == "account_disabled");
    CHECK(text_of(disabled, "subject") == subject_of(site.op, "carol"));
}

TEST_CASE("audit: a log that takes no line stops no request, and the answers are the same") {
    Deployment op;
    op.configure("log", json::Object{{"target", "/dev/full"}, {"level", "debug"}});
    UserAgent alice(op);
    const Answer tokens = redeem(op, token_request(alice.obtain_code(authorization_request())));
    CHECK(tokens.status == 200);
    CHECK(as_client(op, "revoke", {{"token", tokens.member("refresh_token")}}).status == 200);
    CHECK_FALSE(is_active(op, tokens.member("access_token")));
}

}  // namespace
