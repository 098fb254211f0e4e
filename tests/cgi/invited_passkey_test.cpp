// An invited user adds a passkey instead of choosing a password: what the page offers, what the form does once, and
// what it refuses.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "json/reader.h"
#include "json/writer.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "support/sendmail.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
using postern::json::Object;
using postern::util::base64url_decode;
using postern::util::base64url_encode;
using std::chrono::seconds;

constexpr const char* kCarol = "carol";
constexpr const char* kNew = "four words in a row";
constexpr const char* kGone = "This link is no longer good";
constexpr const char* kAdded = "Your passkey is added";

/// Carol has opened the page of an invitation.
struct Invited {
    Deployment op;
    std::string link;
    UserAgent carol{op};
    TestAuthenticator phone;

    explicit Invited(const Object& login = {})
        : op(Deployment::Options{.config = {{"login", login}}}),
          link(link_of(op, {"user", "invite", kCarol, "--claim", "name=Carol C."})) {}

    Answer open() { return carol.fetch(link); }
    Answer send(const Query& form) { return carol.send(link, form.text()); }
    bool is_untouched() {
        return op.count_rows("passkeys") == 0 && op.count_rows("spent_challenges") == 0 && open().status == 200;
    }
};

/// Signs in with the passkey alone at the account.
Landing sign_in(const Deployment& op, UserAgent& browser, const Adding& adding, const std::string& credential_id,
                const TestAuthenticator& phone, const std::string& url) {
    const Landing login = browser.open(url);
    REQUIRE(login.verdict() == "login");
    std::string challenge;
    for (const Attributes& form : find_tags(login.answer.body, "form"))
        if (form.contains("data-options"))
            challenge =
                base64url_decode(text_of(*postern::json::parse(form.at("data-options"))->if_object(), "challenge"))
                    .value();
    const Assertion answer = phone.use({challenge, "https://op.example", "op.example"});
    const Query form{{"csrf", value_of(login.answer, "csrf")},
                     {"resume", value_of(login.answer, "resume")},
                     {"challenge", value_of(login.answer, "challenge")},
                     {"id", base64url_encode(credential_id)},
                     {"client_data", base64url_encode(answer.client_data)},
                     {"authenticator_data", base64url_encode(answer.authenticator_data)},
                     {"signature", base64url_encode(answer.signature)},
                     {"user_handle", base64url_encode(adding.handle)}};
    return browser.follow(op.url("login"), browser.send(op.url("login"), form.text()));
}

}  // namespace

TEST_CASE("invitation: a passkey, no session, and then the sign-in page and recovery codes [LINK-7, CODE-2]") {
    Invited f;
    const Answer page = f.open();
    CHECK(says(page, "Or a passkey instead"));
    const Adding adding(page);
    const Answer done = f.send(adding.form(f.phone));
    REQUIRE_MESSAGE(says(done, kAdded), done.body << done.log);
    CHECK_FALSE(says(done, "password"));
    CHECK(says(done, "Then make recovery codes"));
    CHECK(f.carol.session_cookie().empty());
    CHECK(f.op.count_rows("passkeys") == 1);
    CHECK(f.op.count_rows("spent_challenges") == 1);
    CHECK(f.op.count_rows("recovery_codes") == 0);
    CHECK(audit_events(done.log) == "link_used passkey_added");
    CHECK(says(f.open(), kGone));

    const std::string next = link_in(done.body, "sign-in");
    CHECK(next == f.op.url("account") + "/codes");
    const Landing codes = sign_in(f.op, f.carol, adding, f.phone.credential_id(), f.phone, next);
    REQUIRE_MESSAGE(codes.url == next, codes.verdict() << codes.answer.log);
    CHECK(says(codes.answer, "Codes left: 0"));
    const Landing asks = f.carol.open(link_in(codes.answer.body, "new-codes"));
    CHECK(codes_in(f.carol.submit(asks, "make").answer).size() == 10);
    const Answer activity = f.carol.fetch(f.op.url("account") + "/activity");
    CHECK(says(activity, "Used an invitation for a passkey"));
    CHECK(says(activity, "Added a passkey: My phone"));
}

TEST_CASE("invitation: the browser is asked for a passkey that signs in alone [WEBAUTHN-4, WEBAUTHN-11]") {
    Invited f;
    const Adding adding(f.open());
    const Object& selection = *adding.options.find("authenticatorSelection")->if_object();
    CHECK(text_of(selection, "residentKey") == "required");
    CHECK(text_of(selection, "userVerification") == "required");
    const Object& user = *adding.options.find("user")->if_object();
    CHECK(text_of(user, "name") == kCarol);
    CHECK(text_of(user, "displayName") == "Carol C.");
    CHECK(text_of(user, "id") != subject_of(f.op, kCarol));
    CHECK(postern::json::write(*adding.options.find("excludeCredentials")) == "[]");
}

TEST_CASE("invitation: passkeys are offered where they sign in alone, and for an invitation only [LINK-7]") {
    struct Row {
        const char* what;
        Object login;
        std::vector<std::string> command;
        bool is_offered;
    };
    const Row rows[] = {
        {"invitation", {}, {"user", "invite", kCarol}, true},
        {"no second factors at all", {{"secondFactor", "off"}}, {"user", "invite", kCarol}, true},
        {"as a second factor only", {{"passkeys", "secondFactor"}}, {"user", "invite", kCarol}, false},
        {"off", {{"passkeys", "off"}}, {"user", "invite", kCarol}, false},
        {"another password", {}, {"user", "reset-link", kAlice}, false},
        {"second factors removed", {}, {"user", "reset-link", kAlice, "--factors"}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Invited other;  // whose form is sent where none is offered
        const Adding adding(other.open());
        const Deployment op(Deployment::Options{.config = {{"login", row.login}}});
        const std::string link = link_of(op, row.command);
        UserAgent browser(op);
        const Answer page = browser.fetch(link);
        CHECK(has_id(page.body, "add-passkey") == row.is_offered);
        CHECK(has_id(page.body, "save"));
        if (row.is_offered) continue;
        const Query form = adding.form(other.phone).with("csrf", value_of(page, "csrf"));
        CHECK(says(browser.send(link, form.text()), "too short"));  // as a form without a password
        CHECK(op.count_rows("passkeys") == 0);
    }
}

TEST_CASE("invitation: without second factors nothing is said of recovery codes [LINK-7]") {
    Invited f(Object{{"secondFactor", "off"}});
    const Answer done = f.send(Adding(f.open()).form(f.phone));
    CHECK(says(done, kAdded));
    CHECK_FALSE(says(done, "recovery codes"));
    CHECK(link_in(done.body, "sign-in") == f.op.url("account"));
}

TEST_CASE("invitation: the password form is complete beside it [LINK-7, WEBAUTHN-20]") {
    Invited f;
    const Landing page = f.carol.open(f.link);
    for (const Attributes& form : find_tags(page.answer.body, "form"))
        if (form.contains("id") && form.at("id") == "add") CHECK(form.contains("hidden"));
    const Landing done = f.carol.submit(page, "save", {{"new", kNew}, {"again", kNew}});
    CHECK(says(done.answer, "Your password is saved"));
    CHECK(f.op.count_rows("passkeys") == 0);
}

TEST_CASE("invitation: what is refused leaves the link, and no passkey [LINK-3, WEBAUTHN-3, WEBAUTHN-9, WEBAUTHN-18]") {
    Invited f;
    const Adding adding(f.open());
    const Query form = adding.form(f.phone);
    UserAgent stranger(f.op);
    stranger.fetch(f.link);
    CHECK(stranger.send(f.link, form.text()).status == 403);
    CHECK(f.send(form.with("csrf", "x")).status == 403);
    CHECK(f.send(form.with("id", "a+b")).status == 400);
    CHECK(f.send(form.and_also("challenge", "x")).status == 400);
    CHECK(f.is_untouched());

    const auto shown_again = [&](const Query& fields, const char* problem) {
        CAPTURE(problem);
        const Answer again = f.send(fields);
        CHECK(again.status == 200);
        CHECK(says(again, problem));
        CHECK(again.log.find("passkey_change_refused") != std::string::npos);
        CHECK(f.is_untouched());
    };
    postern::factor::Expected elsewhere = adding.given();
    elsewhere.origin = "https://evil.example";
    shown_again(adding.form(f.phone.make(elsewhere)), "That passkey was not accepted.");
    shown_again(form.with("name", std::string(65, 'n')), "A name has at most 64 characters.");
    shown_again(form.with("challenge", "x"), "The page was not of this browser.");
    // What was typed stays (A11Y-4, WCAG 2.2 3.3.7).
    CHECK(value_of(f.send(form.with("challenge", "x").with("name", "Carol's key")), "name") == "Carol's key");
    shown_again(form.with("discoverable", "no"), "You could not sign in with that passkey alone.");
    f.phone.flags = kUserPresent;
    shown_again(adding.form(f.phone), "You could not sign in with that passkey alone.");
    f.phone.flags = kUserPresent | kUserVerified;

    // The challenge is of this link, this browser, and 600 seconds.
    const std::string other = link_of(f.op, {"user", "invite", "dave"});
    const Adding of_other(f.carol.fetch(other));
    shown_again(form.with("challenge", value_of(of_other.page, "challenge")), "The page was not of this browser.");
    f.op.advance(seconds(600));
    shown_again(form, "The page was open for too long.");
    CHECK(says(f.send(Adding(f.open()).form(f.phone)), kAdded));
    CHECK(says(f.send(form), kGone));
    // What another user has is refused as late as it is written.
    const Adding late(f.carol.fetch(other));
    CHECK(says(f.carol.send(other, late.form(f.phone).text()), "That passkey was not accepted."));
    CHECK(f.carol.fetch(other).status == 200);
    CHECK(f.op.count_rows("passkeys") == 1);
}

TEST_CASE(
    "invitation: one that came by mail proves its address, and no password is said to be chosen [LINK-9, MAIL-8]") {
    Invited f;
    Sendmail sendmail(f.op.directory());
    f.op.configure("mail", sendmail.config());
    f.op.must({"user", "invite", "dave", "--claim", "email=dave@example.org", "--mail"});
    f.op.must({"mail", "deliver"});
    f.link = sendmail.only_new().link();
    REQUIRE(says(f.send(Adding(f.open()).form(f.phone)), kAdded));
    CHECK(f.op.must({"user", "show", "dave", "--json"}).find("email_verified") != std::string::npos);
    f.op.must({"mail", "deliver"});
    const ReceivedMail notice = sendmail.only_new();
    CHECK(notice.headers.at("To") == "dave@example.org");
    CHECK(notice.body.find("A passkey was added.") != std::string::npos);
}

TEST_CASE("invitation: a link that was handed over proves no address [LINK-9]") {
    Invited f;
    f.op.must({"user", "set", kCarol, "--claim", "email=carol@example.org"});
    REQUIRE(says(f.send(Adding(f.open()).form(f.phone)), kAdded));
    CHECK(f.op.must({"user", "show", kCarol, "--json"}).find("email_verified") == std::string::npos);
}

TEST_CASE("invitation: who has signed in with the passkey alone may choose a password, once [ACCOUNT-6, POLICY-5]") {
    Invited f;
    const Adding adding(f.open());
    REQUIRE(says(f.send(adding.form(f.phone)), kAdded));
    const std::string account = f.op.url("account");
    const auto signed_in = [&](UserAgent& browser, const std::string& page) {
        Landing there = sign_in(f.op, browser, adding, f.phone.credential_id(), f.phone, account + page);
        REQUIRE_MESSAGE(there.url == account + page, there.verdict() << there.answer.log);
        return there;
    };
    UserAgent elsewhere(f.op);
    CHECK(says(signed_in(elsewhere, "").answer, "Password none"));
    Landing page = signed_in(f.carol, "/password");
    CHECK_FALSE(has_id(page.answer.body, "present"));
    const std::string cookie = f.carol.session_cookie();
    const Landing weak = f.carol.submit(page, "save", {{"new", "short"}, {"again", "short"}});
    CHECK(says(weak.answer, "too short"));
    CHECK_FALSE(has_id(weak.answer.body, "present"));
    const std::string form = f.carol.form_of(page, "save", {{"new", kNew}, {"again", kNew}});
    const Answer changed = f.carol.send(account + "/password", form);
    CHECK(changed.location() == account + "/password?done=password-changed");
    CHECK(audit_events(changed.log) == "password_changed");
    CHECK(f.carol.session_cookie() != cookie);
    CHECK(elsewhere.open(account).verdict() == "login");
    CHECK(says(f.carol.fetch(account + "/activity"), "Changed the password"));
    CHECK_FALSE(says(f.carol.fetch(account), "Password none"));
    UserAgent again(f.op);
    CHECK(again.log_in(again.open(account), kCarol, kNew).verdict() == "second step");
    // As every change it needs a recent login.
    f.op.advance(seconds(600));
    CHECK(f.carol.open(account + "/password").verdict() == "login");
}

TEST_CASE("invitation: of a password and a passkey at the same moment one wins [LINK-3, STORE-2]") {
    for (int round = 0; round < 5; ++round) {
        CAPTURE(round);
        Invited f;
        UserAgent other(f.op);
        const Adding adding(f.open());
        const Landing with_password = other.open(f.link);
        Answer first;
        Answer second;
        std::thread here([&] { first = f.send(adding.form(f.phone)); });
        std::thread there([&] {
            second = other.submit(with_password, "save", {{"new", kNew}, {"again", kNew}}).answer;
        });
        here.join();
        there.join();
        const bool passkey_won = says(first, kAdded);
        CHECK(passkey_won != says(second, "Your password is saved"));
        CHECK(says(passkey_won ? second : first, kGone));
        CHECK(f.op.count_rows("passkeys") == (passkey_won ? 1 : 0));
        UserAgent later(f.op, "198.51.100.9");
        const bool has_password =
            later.log_in(later.open(f.op.url("account")), kCarol, kNew).url == f.op.url("account");
        CHECK(has_password != passkey_won);
    }
}
