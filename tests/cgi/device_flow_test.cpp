// The page on which a user connects a device (RFC 8628 §3.3): what comes before the question, and what an answer gives.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/device.h"
#include "support/html.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

bool asks_for_code(const Landing& page) { return has_id(page.answer.body, "user_code"); }
bool asks(const Landing& page) { return has_id(page.answer.body, "user-code"); }

/// Logged in for the visit, at the form.
Landing at_form(UserAgent& browser, const Device& device) { return browser.log_in(browser.open(device.url())); }
/// At the question.
Landing at_question(UserAgent& browser, const Device& device) {
    const Landing form = at_form(browser, device);
    REQUIRE_MESSAGE(asks_for_code(form), form.url << form.answer.log);
    const Landing page = browser.submit(form, "continue");
    REQUIRE_MESSAGE(asks(page), page.url << visible_text(page.answer.body) << page.answer.log);
    return page;
}

TEST_CASE(
    "device: login, code, question, and the device gets its tokens [DEV-8, DEV-11, DEV-12, DEV-15, RFC 8628 §3.3ab, §3.5c, §5.4]") {
    WithDevices f;
    const Device device(f, {{"scope", "openid profile api offline_access"}});
    UserAgent alice(f.op);
    const Landing login = alice.open(device.url());
    REQUIRE(login.verdict() == "login");
    CHECK(says(login, "to connect a device"));
    CHECK_FALSE(says(login, "Our tool"));  // no application is named before the login
    const Landing form = alice.log_in(login);
    REQUIRE(asks_for_code(form));
    CHECK(value_of(form.answer, "user_code") == device.user_code());
    CHECK_FALSE(says(form, "Our tool"));
    const Landing page = alice.submit(form, "continue");
    REQUIRE_MESSAGE(asks(page), page.answer.log);
    CHECK(page.answer.header("Cache-Control") == "no-store");
    for (const std::string& text : {std::string("Our tool"), std::string("alice"), device.user_code(),
                                    std::string("See your profile"), std::string("192.0.2.")}) {
        CAPTURE(text);
        CHECK(says(page, text));
    }
    CHECK(device.poll().verdict() == "400 authorization_pending");
    const Landing done = alice.approve(page);
    CHECK(has_id(done.answer.body, "approved"));
    const auto approved = audit_line(done.answer.log, "device_approved");
    CHECK(text_of(approved, "client_id") == kCli);
    CHECK(text_of(approved, "subject") == subject_of(f.op, kAlice));
    // An approval is no access yet.
    CHECK_FALSE(says(alice.open(at(f.op, "/applications")), "Our tool"));

    f.op.advance(seconds(5));
    const Answer tokens = device.poll();
    REQUIRE(tokens.verdict() == "200");
    CHECK(tokens.member("scope") == "openid profile api offline_access");
    CHECK_FALSE(tokens.member("refresh_token").empty());
    const auto claims = jwt_claims(tokens.member("id_token"));
    CHECK(text_of(claims, "sub") == subject_of(f.op, kAlice));
    CHECK(text_of(claims, "aud") == kCli);
    CHECK(claims.find("auth_time") != nullptr);
    CHECK(claims.find("nonce") == nullptr);
    CHECK(claims.find("sid") == nullptr);
    CHECK(userinfo(f.op, tokens.member("access_token")).status == 200);
    CHECK(says(alice.open(at(f.op, "/applications")), "Our tool"));
    CHECK(says(alice.open(at(f.op, "/activity")), "Connected a device to an application"));
    CHECK(f.op.must({"token", "list"}).find(kCli) != std::string::npos);
}

TEST_CASE("device: the grant is of no browser session, and ends with the access that the user takes back [DEV-15]") {
    WithDevices f;
    const Device device(f);
    UserAgent alice(f.op);
    alice.approve(at_question(alice, device));
    const std::string token = device.poll().member("access_token");
    f.op.must({"session", "end", "--user", kAlice});
    CHECK(is_active(f.op, token));
    // No consent is stored, so there is none for the command to withdraw: the page takes back what the device has.
    f.op.must({"consent", "revoke", "--user", kAlice, "--client", kCli});
    CHECK(is_active(f.op, token));
    UserAgent again = signed_in(f.op);
    const Answer page = again.fetch(at(f.op, "/applications"));
    REQUIRE(says(page, "Our tool"));
    again.send(at(f.op, "/applications"), Query{{"csrf", value_of(page, "csrf")}, {"client_id", kCli}}.text());
    CHECK_FALSE(is_active(f.op, token));
}

TEST_CASE("device: it ends with its tokens, as any grant does [DEV-15]") {
    WithDevices f;
    const Device device(f);
    UserAgent alice(f.op);
    alice.approve(at_question(alice, device));
    const std::string token = device.poll().member("access_token");
    REQUIRE(is_active(f.op, token));
    f.op.must({"token", "revoke", "--user", kAlice, "--client", kCli});
    CHECK_FALSE(is_active(f.op, token));
}

TEST_CASE("device: a denial, and a second press of either button [DEV-9, DEV-12]") {
    for (const bool approves : {true, false}) {
        CAPTURE(approves);
        WithDevices f;
        const Device device(f);
        UserAgent alice(f.op);
        const Landing page = at_question(alice, device);
        const char* button = approves ? "approve" : "deny";
        const char* id = approves ? "approved" : "denied";
        CHECK(has_id(alice.submit(page, button).answer.body, id));
        CHECK(has_id(alice.submit(page, button).answer.body, id));
        // The other one comes too late.
        const Landing late = alice.submit(page, approves ? "deny" : "approve");
        CHECK(asks_for_code(late));
        CHECK(says(late, "No device waits with that code."));
        CHECK(device.poll().verdict() == (approves ? "200" : "400 access_denied"));
    }
}

TEST_CASE("device: a session from before the visit approves nothing, unless the operator lets it [DEV-10]") {
    for (const bool fresh : {true, false}) {
        CAPTURE(fresh);
        WithDevices f(json::Object{{"device", json::Object{{"freshLogin", fresh}}}});
        const Device device(f);
        UserAgent alice = signed_in(f.op);
        f.op.advance(seconds(1));
        const Landing first = alice.open(device.url());
        CHECK(first.verdict() == (fresh ? "login" : "page 200"));
        CHECK(asks_for_code(first) == !fresh);
        // Nor does the seal of a visit without its login.
        if (!fresh) continue;
        const Landing form = alice.open(f.op.url("device") + "?resume=" + resume_of(first));
        CHECK(form.verdict() == "login");
    }
}

TEST_CASE("device: what is typed, and how often [DEV-6, DEV-9, RFC 8628 §5.1]") {
    WithDevices f;
    const Device device(f);
    UserAgent alice(f.op);
    const Landing form = alice.log_in(alice.open(f.op.url("device")));
    REQUIRE(asks_for_code(form));
    CHECK(value_of(form.answer, "user_code") == "");
    const auto type = [&](const std::string& code) { return alice.submit(form, "continue", {{"user_code", code}}); };
    for (const char* wrong : {"BBBB-BBBB", "nothing", "0000"}) {
        CAPTURE(wrong);
        const Landing again = type(wrong);
        CHECK(again.answer.status == 200);
        CHECK(asks_for_code(again));
        CHECK(says(again, "No device waits with that code."));
        CHECK(value_of(again.answer, "user_code") == wrong);
        CHECK(f.op.must({"why", again.answer.header("X-Request-Id")}).find("device_code_refused") != std::string::npos);
    }
    std::string lower = device.user_code();
    for (char& c : lower) c = c == '-' ? ' ' : static_cast<char>(std::tolower(c));
    CHECK(asks(type(lower)));
    CHECK(asks(type(" \t" + device.user_code() + "\r\n")));  // as it was pasted (docs/decisions/0098)
    for (const char* nothing : {"", " ", "\t"}) {
        const Landing again = type(nothing);
        CHECK(again.answer.status == 200);
        CHECK(asks_for_code(again));
        CHECK_FALSE(says(again, "No device waits with that code."));
    }
    // A right one clears nothing, and looking counts for nothing.
    for (int i = 0; i < 15; ++i) CHECK(asks_for_code(type("BBBB-BBBB")));
    CHECK(asks_for_code(alice.open(form.url)));
    const Landing limited = type(device.user_code());
    CHECK(limited.answer.status == 429);
    CHECK_FALSE(limited.answer.header("Retry-After").empty());
    CHECK(audit_line(limited.answer.log, "user_code_guessed").find("subject"));
    f.op.advance(seconds(600));
    UserAgent later(f.op);
    CHECK(asks_for_code(later.log_in(later.open(f.op.url("device")))));
}

TEST_CASE("device: no form of another browser, session or device, and GET approves nothing [DEV-8]") {
    WithDevices f;
    const Device device(f);
    const Device other(f);
    UserAgent alice(f.op);
    const Landing page = at_question(alice, device);
    const std::string form = alice.form_of(page, "approve");
    CHECK(alice.open(f.op.url("device") + "?" + form).answer.status == 200);
    UserAgent bob(f.op);
    CHECK(bob.send(f.op.url("device"), form).status == 400);
    // The token of one question is no answer to another one.
    f.op.advance(seconds(1));  // a login in the second of the visit would count for it
    const Landing of_other = at_question(alice, other);
    const std::string csrf = value_of(page.answer, "csrf");
    const Answer mixed = alice.send(
        f.op.url("device"),
        Query{{"csrf", csrf}, {"resume", value_of(of_other.answer, "resume")}, {"decision", "approve"}}.text());
    CHECK(mixed.status == 403);
    for (const char* missing : {"csrf", "decision", "resume"}) {
        CAPTURE(missing);
        Query fields{{"csrf", value_of(of_other.answer, "csrf")},
                     {"resume", value_of(of_other.answer, "resume")},
                     {"decision", "approve"}};
        CHECK(alice.send(f.op.url("device"), fields.without(missing).text()).status >= 400);
    }
    CHECK(device.poll().verdict() == "400 authorization_pending");
    CHECK(other.poll().verdict() == "400 authorization_pending");
}

TEST_CASE("device: each is asked for, whatever was allowed before [DEV-11]") {
    WithDevices f;
    f.op.must({"client", "set", kService, "--first-party"});
    UserAgent alice(f.op);
    for (int i = 0; i < 2; ++i) {
        const Device device(f);
        alice.approve(at_question(alice, device));
        CHECK(device.poll().verdict() == "200");
        f.op.advance(seconds(1));
    }
    const Answer asked = f.ask({}, kService);
    const Landing page = alice.submit(alice.log_in(alice.open(asked.member("verification_uri_complete"))), "continue");
    CHECK(asks(page));
}

TEST_CASE(
    "device: a user who may not use the client gets the page that says so, and can let the device know [DEV-10]") {
    WithDevices f;
    f.op.must({"client", "set", kCli, "--allow-user", kBob});
    const Device device(f);
    UserAgent alice(f.op);
    const Landing refused = alice.submit(at_form(alice, device), "continue");
    CHECK(refused.answer.status == 403);
    CHECK(says(refused, "may not use"));
    CHECK(device.poll().verdict() == "400 authorization_pending");
    const Landing denied = alice.open(link_in(refused.answer.body, "back"));
    CHECK(has_id(denied.answer.body, "denied"));
    f.op.advance(seconds(5));
    CHECK(device.poll().verdict() == "400 access_denied");
}

TEST_CASE("device: a client that demands a second factor gets it before the question [DEV-10]") {
    WithDevices f;
    f.op.must({"client", "set", kCli, "--acr", "mfa"});
    const Device device(f);
    UserAgent alice(f.op);
    const Landing enrol = alice.submit(at_form(alice, device), "continue");
    REQUIRE_MESSAGE(enrol.url.find("/enrol") != std::string::npos, enrol.url << enrol.answer.log);
    CHECK(device.poll().verdict() == "400 authorization_pending");
}

TEST_CASE("device: where the web server signs people in, its word must be newer than the visit [DEV-10]") {
    WithDevices f(json::Object{{"login", json::Object{{"method", "remote_user"}}}});
    const Device device(f);
    UserAgent alice(f.op);
    alice.login_variables() = {{"REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}};
    const Landing refused = alice.open(device.url());
    CHECK(refused.answer.status == 403);
    CHECK(f.op.must({"why", refused.answer.header("X-Request-Id")}).find("authTimeFromEnvironment") !=
          std::string::npos);
    f.op.configure("device", json::Object{{"freshLogin", false}});
    UserAgent again(f.op);
    again.login_variables() = {{"REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}};
    const Landing form = again.open(device.url());
    REQUIRE_MESSAGE(asks_for_code(form), form.answer.log);
    CHECK(has_id(again.approve(again.submit(form, "continue")).answer.body, "approved"));
    CHECK(device.poll().verdict() == "200");
}

}  // namespace
