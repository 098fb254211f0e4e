// The pages of the account as the program serves them: the way there, what a browser is told, and what really ends.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "factor/password_list.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

const std::vector<std::string> kPages = {"",         "/password",     "/app",      "/codes",
                                         "/devices", "/applications", "/activity", "/profile"};
constexpr const char* kNewPassword = "four words in a row";

/// The token of the forms on that page; each has one.
std::string token_of(const Answer& page) {
    for (const Attributes& input : find_tags(page.body, "input"))
        if (const auto name = input.find("name"); name != input.end() && name->second == "csrf")
            return input.at("value");
    return "";
}

/// What pressing a button of that page sends.
Answer press(const Deployment& op, UserAgent& browser, const std::string& page, const Query& fields) {
    const Answer shown = browser.fetch(at(op, page));
    REQUIRE(shown.status == 200);
    return browser.send(at(op, page), fields.with("csrf", token_of(shown)).text());
}

Query change_to(const std::string& password) {
    return {{"present", kAlicePassword}, {"new", password}, {"again", password}};
}

}  // namespace

TEST_CASE("account: the login first, and then the page that was asked for [ACCOUNT-1, ACCOUNT-2, ACCOUNT-5]") {
    for (const std::string& page : kPages) {
        CAPTURE(page);
        const Deployment op;
        UserAgent alice(op);
        const Landing login = alice.open(at(op, page));
        CHECK(login.verdict() == "login");
        CHECK(says(login.answer, "to continue to your account"));
        const Landing there = alice.log_in(login);
        CHECK(there.url == at(op, page));
        CHECK(there.answer.status == 200);
        CHECK(there.answer.header("Cache-Control") == "no-store");
        CHECK(says(there.answer, "Your account"));
        CHECK(says(there.answer, "Sign out"));
    }
}

TEST_CASE("account: with paths.account null there is none, and with another path it is there [ACCOUNT-14]") {
    Deployment op;
    op.configure("paths", postern::json::Object{{"account", nullptr}});
    CgiRequest request;
    request.path = "/account";
    CHECK(op.cgi("account", request).status == 404);
    op.configure("paths", postern::json::Object{{"account", "/me"}});
    request.path = "/me/devices";
    CHECK(op.cgi("account", request).status == 303);
    request.path = "/account";
    CHECK(op.cgi("account", request).status == 404);
}

TEST_CASE("account: below the path of an issuer, too [ACCOUNT-1]") {
    const Deployment op({.issuer = "https://op.example/auth"});
    UserAgent alice(op);
    const Landing there = alice.log_in(alice.open(at(op, "/devices")));
    CHECK(there.url == "https://op.example/auth/account/devices");
    CHECK(there.answer.status == 200);
}

TEST_CASE(
    "account: what a browser calls itself is read by the login and the account alone, not at any length [ACCOUNT-8]") {
    const Deployment op;
    CgiRequest request;
    request.headers = {{"User-Agent", std::string(16385, 'a')}};
    CHECK(op.cgi("jwks", request).status == 200);
    CHECK(op.cgi("authorize", request).status == 400);
    CHECK(op.cgi("account", request).status == 431);
    CHECK(op.cgi("login", request).status == 431);
}

TEST_CASE("account: signing out leads through the logout page [ACCOUNT-15]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    std::string logout;
    for (const Attributes& link : find_tags(alice.fetch(at(op, "/devices")).body, "a"))
        if (link.contains("id") && link.at("id") == "logout") logout = link.at("href");
    const Landing question = alice.open(logout);
    REQUIRE(question.verdict() == "logout");
    alice.submit(question, "logout");
    CHECK(alice.open(at(op, "")).verdict() == "login");
}

TEST_CASE("account: what a user changes is in the audit log [AUDIT-1, AUDIT-2]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    signed_in(op);
    alice.sign_in(authorization_request());
    const std::string subject = subject_of(op, kAlice);
    struct Row {
        const char* page;
        Query fields;
        const char* event;
        const char* by;
    };
    const Row rows[] = {
        {"/devices", {{"everywhere", "yes"}}, "session_ended", "user"},
        {"/applications", {{"client_id", kWeb}}, "consent_withdrawn", "user"},
        {"/password", {{"present", "wrong"}, {"new", kNewPassword}, {"again", kNewPassword}}, "password_refused", ""},
        {"/password", change_to(kNewPassword), "password_changed", "user"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.event);
        const Answer answer = press(op, alice, row.page, row.fields);
        const postern::json::Object line = audit_line(answer.log, row.event);
        CHECK(text_of(line, "subject") == subject);
        CHECK(text_of(line, "by") == row.by);
        CHECK(answer.log.find(kNewPassword) == std::string::npos);
    }
}

TEST_CASE("account: a password in the operator's list is refused, inside the whole sandbox too [PASSWORD-3]") {
    const auto list = std::filesystem::temp_directory_path() / ("postern-list-" + std::to_string(::getpid()));
    const Deployment op(Deployment::Options{"https://op.example",
                                            {{"login", postern::json::Object{{"passwordBlocklist", list.string()}}}}});
    op.must({"passwords", "build", list.string()}, std::string("a phrase that was published\n") + kNewPassword + "\n");
    UserAgent alice = signed_in(op);
    const Answer answer = press(op, alice, "/password", change_to(kNewPassword));
    CHECK(says(answer, "The new password is in a list of common or stolen passwords."));
    CHECK(text_of(audit_line(answer.log, "password_refused"), "reason") == "new password: listed");
    CHECK(press(op, alice, "/password", change_to("four other words in a row")).status == 303);
    std::filesystem::resize_file(list, 9);
    const Answer cut = alice.fetch(at(op, "/password"));
    CHECK(cut.status == 500);
    CHECK(cut.log.find("multiple of 8") != std::string::npos);
    CHECK(op.cgi("login").status != 500);  // which takes no new passwords and opens no list
    std::filesystem::remove(list);
}
