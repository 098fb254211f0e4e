// The page of the profile: what it shows, what a user may change of it, and what changes nothing.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "json/reader.h"
#include "json/writer.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace json = postern::json;
using std::chrono::seconds;

Deployment::Options editable(json::Array names) {
    return {.config = {{"account", json::Object{{"editableClaims", std::move(names)}, {"reauthentication", 60}}}}};
}

json::Object claims_of(const Deployment& op, const std::string& user = kAlice) {
    const auto shown = json::parse(op.must({"user", "show", user, "--json"}));
    REQUIRE(shown);
    const json::Value* claims = shown->if_object()->find("claims");
    REQUIRE(claims);
    return *claims->if_object();
}

std::string claim(const Deployment& op, const std::string& name, const std::string& user = kAlice) {
    return text_of(claims_of(op, user), name);
}

/// The form of the page, with what a browser holds in its hidden fields.
Query form_of(const Deployment& op, UserAgent& browser, const Query& typed) {
    const Answer page = browser.fetch(at(op, "/profile?edit=yes"));
    REQUIRE(page.status == 200);
    return typed.with("csrf", value_of(page, "csrf")).with("claims", value_of(page, "claims"));
}
Answer send(const Deployment& op, UserAgent& browser, const Query& form) {
    return browser.send(at(op, "/profile"), form.text());
}
Answer change(const Deployment& op, UserAgent& browser, const Query& typed) {
    return send(op, browser, form_of(op, browser, typed));
}

}  // namespace

TEST_CASE("profile: by default it shows what is known and who keeps it, and nothing can be changed [ACCOUNT-11]") {
    const Deployment op;
    op.must({"user", "set", kAlice, "--claim", "birthdate=1815-12-10", "--claim", "team=Blue <b>"});
    UserAgent alice = signed_in(op);
    const Answer page = alice.fetch(at(op, "/profile"));
    for (const char* text :
         {"User name alice", "Date of birth 1815-12-10", "team Blue <b>", "Your profile is kept by op.example"})
        CHECK_MESSAGE(says(page, text), visible_text(page.body));
    CHECK(page.body.find("<form") == std::string::npos);
    CHECK(page.body.find("<b>") == std::string::npos);
    CHECK(alice.fetch(at(op, "/profile?edit=yes")).body.find("<form") == std::string::npos);
    const json::Object before = claims_of(op);
    const std::string csrf = value_of(alice.fetch(at(op, "/devices")), "csrf");
    CHECK(send(op, alice, {{"csrf", csrf}, {"claims", "name"}, {"name", "Eve"}}).status == 403);
    CHECK(claim(op, "name") == text_of(before, "name"));
    CHECK(op.count_rows("activity") == 2);  // the command's and the login
}

TEST_CASE("profile: groups are shown, and the sub for support [ACCOUNT-12]") {
    const Deployment op;
    op.must({"group", "add", "staff"});
    op.must({"group", "member", "add", "staff", kAlice});
    UserAgent alice = signed_in(op);
    const Answer page = alice.fetch(at(op, "/profile"));
    CHECK(says(page, "Your groups staff"));
    CHECK(page.body.find("<details>") < page.body.find(subject_of(op, kAlice)));
    CHECK(page.body.find(subject_of(op, kBob)) == std::string::npos);
}

TEST_CASE("profile: a claim of account.editableClaims is changed and taken away by its user [ACCOUNT-11, AUDIT-2]") {
    const Deployment op(editable({"nickname", "website", "birthdate"}));
    op.must({"user", "set", kAlice, "--claim", "nickname=Al"});
    UserAgent alice = signed_in(op);
    const std::string name = claim(op, "name");
    const Answer changed = change(op, alice, {{"nickname", " Countess "}, {"website", "https://ada.example/"}});
    CHECK(changed.status == 303);
    CHECK(changed.location() == at(op, "/profile?done=profile-changed"));
    CHECK(says(alice.fetch(changed.location()), "Your profile is changed."));
    CHECK(claim(op, "nickname") == "Countess");
    CHECK(claim(op, "website") == "https://ada.example/");
    CHECK(claim(op, "name") == name);
    const json::Object line = audit_line(changed.log, "profile_changed");
    CHECK(text_of(line, "subject") == subject_of(op, kAlice));
    CHECK(text_of(line, "changed") == "nickname website");
    CHECK(changed.log.find("Countess") == std::string::npos);
    const std::string activity = op.must({"user", "activity", kAlice});
    CHECK(activity.find("Changed the profile") != std::string::npos);
    CHECK(activity.find("nickname website") != std::string::npos);
    CHECK(activity.find("Countess") == std::string::npos);
    CHECK_FALSE(claims_of(op, kBob).find("nickname"));

    REQUIRE(change(op, alice, {{"website", "https://ada.example/"}}).status == 303);
    CHECK_FALSE(claims_of(op).find("nickname"));
    CHECK(claim(op, "website") == "https://ada.example/");
}

TEST_CASE("profile: what changes nothing is no line [ACCOUNT-11]") {
    const Deployment op(editable({"nickname"}));
    UserAgent alice = signed_in(op);
    REQUIRE(change(op, alice, {{"nickname", "Al"}}).status == 303);
    const auto lines = op.count_rows("activity");
    const Answer again = change(op, alice, {{"nickname", "Al"}});
    CHECK(again.status == 303);
    CHECK(audit_events(again.log) == "");
    CHECK(op.count_rows("activity") == lines);
}

TEST_CASE("profile: a value that the claim cannot have is shown again with what it must be [ACCOUNT-11]") {
    const Deployment op(editable({"nickname", "website", "birthdate"}));
    UserAgent alice = signed_in(op);
    struct Row {
        const char* claim;
        std::string value;
        const char* problem;
    };
    const Row rows[] = {
        {"nickname", std::string(4097, 'x'), "Nickname: use one line of at most 4096 characters."},
        {"website", "ada.example", "Website: use an address"},
        {"website", "javascript:alert(1)", "Website: use an address"},
        {"website", "ftp://ada.example/", "Website: use an address"},
        {"birthdate", "10.12.1815", "Date of birth: use a date such as"},
        {"birthdate", "1815-13-10", "Date of birth: use a date such as"},
        {"birthdate", "18151", "Date of birth: use a date such as"},
    };
    const json::Object before = claims_of(op);
    for (const Row& row : rows) {
        CAPTURE(row.value);
        const Answer refused = change(op, alice, Query{{"nickname", "Al"}}.with(row.claim, row.value));
        CHECK(refused.status == 200);
        CHECK(says(refused, row.problem));
        CHECK(value_of(refused, row.claim) == row.value);  // what was typed is not lost
        CHECK(refused.log.find("profile_refused") != std::string::npos);
        CHECK(refused.log.find(row.value) == std::string::npos);
    }
    for (const char* value : {"a%0Bb", "a%00b", "a%1Bb", "%FF", "a&nickname=b"}) {
        CAPTURE(value);
        const Query form = form_of(op, alice, {});
        CHECK(alice.send(at(op, "/profile"), form.text() + "&nickname=" + value).status == 400);
    }
    CHECK(json::write(claims_of(op)) == json::write(before));
}

TEST_CASE("profile: a form about other claims than the page's changes nothing at all [ACCOUNT-11, ACCOUNT-16]") {
    const Deployment op(editable({"nickname"}));
    op.must({"user", "set", kAlice, "--claim", "team=Blue"});
    UserAgent alice = signed_in(op);
    const json::Object before = claims_of(op);
    const Query rows[] = {
        {{"nickname", "Al"}, {"name", "Eve"}},
        {{"nickname", "Al"}, {"email", "eve@example.org"}},
        {{"nickname", "Al"}, {"email_verified", "true"}},
        {{"nickname", "Al"}, {"team", "Red"}},
    };
    for (const Query& row : rows) {
        CAPTURE(row.text());
        CHECK(change(op, alice, row).status == 400);
    }
    const std::string csrf = value_of(alice.fetch(at(op, "/profile?edit=yes")), "csrf");
    for (const char* claims :
         {"", "name", "nickname name", "nickname nickname", "email", "sub", "groups", "nickname "}) {
        CAPTURE(claims);
        const Query form{{"csrf", csrf}, {"claims", claims}, {"nickname", "Al"}, {"sub", subject_of(op, kBob)}};
        CHECK(send(op, alice, form).status == 400);
    }
    CHECK(json::write(claims_of(op)) == json::write(before));
    // The subject of the session decides whose profile it is.
    const Query own{{"csrf", csrf}, {"claims", "nickname"}, {"nickname", "Al"}, {"sub", subject_of(op, kBob)}};
    CHECK(send(op, alice, own).status == 303);
    CHECK(claim(op, "nickname") == "Al");
    CHECK_FALSE(claims_of(op, kBob).find("nickname"));
}

TEST_CASE("profile: where the web server signs users in, by what it tells of the time [ACCOUNT-11, ACCOUNT-3]") {
    const char* const kTooOld = "You signed in at your organisation too long ago for this change.";
    Deployment::Options options = editable({"nickname"});
    options.config.set("login", json::Object{{"method", "remote_user"}, {"authTimeFromEnvironment", "AUTH_TIME"}});
    const Deployment op(options);
    const auto browser = [&](const std::string& auth_time) {
        UserAgent alice(op);
        alice.login_variables() = {{"REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}, {"AUTH_TIME", auth_time}};
        return alice;
    };
    // No time: no login could ever be recent enough.
    UserAgent untold = browser("");
    const Landing kept = untold.open(at(op, "/profile"));
    CHECK(has_id(kept.answer.body, "kept"));
    CHECK(link_in(kept.answer.body, "edit").empty());
    CHECK(says(untold.open(at(op, "/profile?edit=yes")).answer, kTooOld));

    // An old one: the login first, and where it is no newer a sentence.
    UserAgent late = browser(std::to_string(op.now() - 60));
    const Landing list = late.open(at(op, "/profile"));
    CHECK(list.url == at(op, "/profile"));
    CHECK_FALSE(link_in(list.answer.body, "edit").empty());
    CHECK_FALSE(says(list.answer, kTooOld));
    const Landing told = late.open(link_in(list.answer.body, "edit"));
    CHECK(told.url == at(op, "?after-login=yes"));
    CHECK(says(told.answer, kTooOld));
    CHECK_FALSE(says(late.fetch(at(op, "")), kTooOld));

    // After another one there the form is shown, and saved.
    late.login_variables()["AUTH_TIME"] = std::to_string(op.now());
    const Landing back = late.open(at(op, "/profile?edit=yes"));
    CHECK(back.url == at(op, "/profile"));
    CHECK(change(op, late, {{"nickname", "Countess"}}).location() == at(op, "/profile?done=profile-changed"));
    CHECK(claim(op, "nickname") == "Countess");
}

TEST_CASE("profile: a new telephone number is not the one that was confirmed [ACCOUNT-11]") {
    const Deployment op(editable({"phone_number", "nickname"}));
    op.must({"user", "set", kAlice, "--claim", "phone_number=+44 1", "--claim", "phone_number_verified=true"});
    UserAgent alice = signed_in(op);
    CHECK(says(alice.fetch(at(op, "/profile")), "+44 1 (confirmed)"));
    REQUIRE(change(op, alice, {{"phone_number", "+44 1"}, {"nickname", "Al"}}).status == 303);
    CHECK(claims_of(op).find("phone_number_verified"));
    REQUIRE(change(op, alice, {{"phone_number", "+44 2"}, {"nickname", "Al"}}).status == 303);
    CHECK(claim(op, "phone_number") == "+44 2");
    CHECK_FALSE(claims_of(op).find("phone_number_verified"));
}

TEST_CASE("profile: applications are told the new value, and when it changed [OIDC Core §5.1]") {
    Deployment op(editable({"name"}));
    UserAgent alice = signed_in(op);
    op.advance(seconds(30));
    REQUIRE(change(op, alice, {{"name", "Augusta Ada King"}}).status == 303);
    const json::Object tokens = obtain_tokens(op, alice, authorization_request().with("scope", "openid profile"));
    const Answer answer = userinfo(op, text_of(tokens, "access_token"));
    CHECK(answer.member("name") == "Augusta Ada King");
    CHECK(number_of(answer.json(), "updated_at") == op.now());
}
