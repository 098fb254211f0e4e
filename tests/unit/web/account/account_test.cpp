// The pages of the account as a whole: who sees them, and which forms count.
#include "web/account/account.h"

#include <algorithm>

#include "store/factors.h"
#include "store/groups.h"
#include "store/passkeys.h"
#include "store/remembered_devices.h"
#include "store/sessions.h"
#include "unit/web/account/account_flow.h"
#include "util/base64.h"
#include "web/login.h"

using namespace postern;
using test::AccountFlow;
using test::location_of;
using test::place_of;
using test::refusal_of;

namespace {

const std::vector<std::string> kPages = {"",         "/password",     "/app",      "/codes",
                                         "/devices", "/applications", "/activity", "/profile"};
const std::string kPasskey = util::base64url_encode("phone");
/// Those with a form, and fields that would change something.
struct FormRow {
    const char* page;
    std::map<std::string, std::string> fields;
    std::map<std::string, std::string> query = {};  ///< of the page that has the form
};
const std::vector<FormRow>& forms() {
    static const std::vector<FormRow> rows = {
        {"/password",
         {{"present", AccountFlow::kPassword},
          {"new", "another quite long password"},
          {"again", "another quite long password"}}},
        {"/app", {{"remove", "yes"}}},
        {"/codes", {{"stamp", "1"}}, {{"new", "yes"}}},
        {"/passkeys", {{"rename", kPasskey}, {"name", "Old phone"}}, {{"add", "yes"}}},
        {"/passkeys", {{"remove", kPasskey}}, {{"add", "yes"}}},
        {"/devices", {{"everywhere", "yes"}}},
        {"/devices", {{"device", "remembered"}}},
        {"/profile", {{"claims", "nickname"}, {"nickname", "Al"}}, {{"edit", "yes"}}},
        {"/applications", {{"client_id", "app"}}},
    };
    return rows;
}

std::int64_t count(AccountFlow& f, const char* sql) {
    auto row = f.fixture.database.query(sql);
    std::int64_t count = 0;
    REQUIRE(row.step());
    row >> count;
    return count;
}

/// A second session of alice, an authenticator app that was used in both, a passkey, a recovery code, a remembered
/// device, a name that she may change, and a consent to app.
void give_something_to_lose(AccountFlow& f) {
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    store::replace_totp(transaction, f.alice.subject, "sealed", 1, f.fixture.clock.now());
    store::replace_recovery_codes(transaction, f.alice.subject, {"code"}, f.fixture.clock.now());
    store::Passkey passkey;
    passkey.credential_id = "phone";
    passkey.subject = f.alice.subject;
    passkey.name = "Phone";
    REQUIRE(store::insert_passkey(transaction, passkey));
    f.fixture.settings.login.rp_id = "op.example";
    store::RememberedDevice device;
    device.token_hash = model::ValueHash("hash");
    device.id = "remembered";
    device.subject = f.alice.subject;
    device.expires_at = f.fixture.clock.now() + util::Seconds{600};
    REQUIRE(store::remember_device(transaction, device));
    f.fixture.settings.login.remember_device = util::Seconds{600};
    f.fixture.settings.account.editable_claims = {"nickname"};
    transaction.commit();
    f.fixture.add_session(f.alice, "of-alice-elsewhere");
    f.fixture.database.query("UPDATE sessions SET level = 2").execute();
    f.fixture.database
        .query("INSERT INTO consents (client_id, subject, scope, granted_at) VALUES ('app', $1, 'openid', 1)",
               f.alice.subject)
        .step();
}

/// Everything is still there.
bool is_unchanged(AccountFlow& f) {
    return f.is_live("of-alice-elsewhere") && count(f, "SELECT COUNT(*) FROM consents") == 1 &&
           count(f, "SELECT COUNT(*) FROM totp_secrets") == 1 &&
           count(f, "SELECT COUNT(*) FROM passkeys WHERE name = 'Phone'") == 1 &&
           count(f, "SELECT COUNT(*) FROM recovery_codes WHERE code_hash = 'code'") == 1 &&
           count(f, "SELECT COUNT(*) FROM remembered_devices") == 1 &&
           !store::find_user(f.fixture.database, f.alice.subject)->claims.find("nickname") &&
           crypto::verify_password(util::Secret(AccountFlow::kPassword),
                                   store::find_password_hash(f.fixture.database, f.alice.subject));
}

}  // namespace

TEST_CASE("account_paths: the pages that are offered, and no others [ACCOUNT-2, ACCOUNT-14]") {
    oauth::Settings settings;
    CHECK(web::account_paths(settings) ==
          std::vector<std::string>{"/account/password", "/account/app", "/account/codes", "/account/devices",
                                   "/account/applications", "/account/activity", "/account/profile", "/account",
                                   "/account/renew", "/account/enrol"});
    settings.paths.account = "/me";
    CHECK(web::account_paths(settings).back() == "/me/enrol");
    settings.login.method = login::Method::saslauthd;  // the passwords are not ours, and what is behind them is
    CHECK(web::account_paths(settings) == std::vector<std::string>{"/me/app", "/me/codes", "/me/devices",
                                                                   "/me/applications", "/me/activity", "/me/profile",
                                                                   "/me", "/me/enrol"});
    settings.login.method = login::Method::password;
    // With a link demanded, where a page opens links.
    settings.login.enrolment = login::Enrolment::link;
    CHECK(web::account_paths(settings).back() == "/me/enrol");
    settings.paths.recover.reset();
    CHECK(web::account_paths(settings).back() == "/me/renew");
    settings.login.method = login::Method::remote_user;
    CHECK(web::account_paths(settings) ==
          std::vector<std::string>{"/me/devices", "/me/applications", "/me/activity", "/me/profile", "/me"});
    settings.login.method = login::Method::password;
    settings.login.second_factor = login::SecondFactor::off;
    CHECK(web::account_paths(settings) == std::vector<std::string>{"/me/password", "/me/devices", "/me/applications",
                                                                   "/me/activity", "/me/profile", "/me", "/me/renew"});
    settings.login.second_factor = login::SecondFactor::required;
    CHECK(web::account_paths(settings).size() == 9);
    settings.login.enrolment = login::Enrolment::login;
    CHECK(web::account_paths(settings).size() == 10);
    settings.paths.account.reset();
    CHECK(web::account_paths(settings).empty());
}

TEST_CASE("account: without a session the login comes first, and then that page [ACCOUNT-1]") {
    for (const std::string& page : kPages) {
        CAPTURE(page);
        AccountFlow f;
        f.cookies.clear();
        const auto answer = f.open(page);
        CHECK(answer.status == 303);
        CHECK(place_of(answer) == "https://op.example/login");
        CHECK(f.follow(web::show_login, answer).body == "login");
        const auto back = f.submit(web::submit_login, {{"resume", f.pages.last_login.resume},
                                                       {"csrf", f.pages.last_login.csrf},
                                                       {"username", "alice"},
                                                       {"password", AccountFlow::kPassword}});
        CHECK(location_of(back) == "https://op.example/account" + page);
        CHECK(f.open(page).status == 200);
    }
}

TEST_CASE("account: a form sent without a session leads to the login and changes nothing [ACCOUNT-1]") {
    for (const FormRow& row : forms()) {
        CAPTURE(row.page);
        AccountFlow f;
        give_something_to_lose(f);
        f.open(row.page, row.query);
        auto fields = row.fields;
        fields["csrf"] = f.account_pages.last_frame.csrf;
        f.cookies.erase(login::cookie_names(f.fixture.settings).session);
        CHECK(location_of(f.press(row.page, fields)) == "https://op.example/account" + std::string(row.page));
        CHECK(place_of(f.open(row.page)) == "https://op.example/login");
        CHECK(is_unchanged(f));
    }
}

TEST_CASE("account: a login without a form whose cookie does not come back ends on a page [ACCOUNT-1]") {
    AccountFlow f;
    f.cookies.clear();
    const auto answer = f.open("", {{"signed_in", "yes"}});
    CHECK(refusal_of(answer) == "session_cookie_missing");
    CHECK(f.pages.last_error.try_again == "https://op.example/account");
    // One of a session that a login in another tab has replaced meanwhile did come back.
    f.cookies[login::cookie_names(f.fixture.settings).session] = "of-a-session-that-has-ended";
    CHECK(place_of(f.open("", {{"signed_in", "yes"}})) == "https://op.example/login");
}

TEST_CASE("account: a disabled user has no pages [ACCOUNT-14]") {
    AccountFlow f;
    f.alice.enabled = false;
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    store::update_user(transaction, f.alice);
    transaction.commit();
    for (const std::string& page : kPages) CHECK(place_of(f.open(page)) == "https://op.example/login");
}

TEST_CASE("account: every form without, with a foreign and with an old CSRF token changes nothing [ACCOUNT-4, L25]") {
    struct Row {
        const char* when;
        void (*change)(AccountFlow&, const std::string& page, std::map<std::string, std::string>& fields);
    };
    // clang-format off
    const Row rows[] = {
        {"no token", [](AccountFlow&, const std::string&, auto& fields) { fields.erase("csrf"); }},
        {"an empty one", [](AccountFlow&, const std::string&, auto& fields) { fields["csrf"] = ""; }},
        {"a bent one", [](AccountFlow&, const std::string&, auto& fields) { fields["csrf"].back() = fields["csrf"].back() == 'A' ? 'Q' : 'A'; }},
        {"of another page", [](AccountFlow& f, const std::string& page, auto& fields) {
            f.open(page == "/devices" ? "/applications" : "/devices");
            fields["csrf"] = f.account_pages.last_frame.csrf;
        }},
        {"of another browser", [](AccountFlow& f, const std::string&, auto&) {
            for (auto& [name, id] : f.cookies)
                if (name.starts_with(login::cookie_names(f.fixture.settings).browser)) id[0] = id[0] == 'A' ? 'B' : 'A';
        }},
        {"of another user's session in this browser", [](AccountFlow& f, const std::string& page, auto& fields) {
            f.sign_in(f.bob, "of-bob");
            f.open(page);
            fields["csrf"] = f.account_pages.last_frame.csrf;
            f.cookies[login::cookie_names(f.fixture.settings).session] = "of-alice";
        }},
        {"of an earlier session of the same user", [](AccountFlow& f, const std::string&, auto&) {
            f.sign_in(f.alice, "of-alice-later");
        }},
    };
    // clang-format on
    for (const FormRow& form : forms())
        for (const Row& row : rows) {
            CAPTURE(form.page);
            CAPTURE(row.when);
            AccountFlow f;
            give_something_to_lose(f);
            f.open(form.page, form.query);
            auto fields = form.fields;
            fields["csrf"] = f.account_pages.last_frame.csrf;
            row.change(f, form.page, fields);
            const auto answer = f.press(form.page, fields);
            CHECK(answer.status == 403);
            CHECK(refusal_of(answer) == "account_form_foreign");
            CHECK(f.pages.last_error.try_again == "https://op.example/account" + std::string(form.page));
            CHECK(is_unchanged(f));
        }
}

TEST_CASE("account: the right token changes something, so that the refusals above mean something [ACCOUNT-4]") {
    for (const FormRow& form : forms()) {
        CAPTURE(form.page);
        AccountFlow f;
        give_something_to_lose(f);
        f.open(form.page, form.query);
        auto fields = form.fields;
        fields["csrf"] = f.account_pages.last_frame.csrf;
        const auto answer = f.press(form.page, fields);
        CHECK_FALSE(is_unchanged(f));
        if (answer.body == "codes") continue;  // on the page that shows them
        CHECK(answer.status == 303);
        CHECK(location_of(answer).starts_with("https://op.example/account" + std::string(form.page) + "?done="));
        f.open(form.page, {{"done", test::location_parameter(answer, "done")}});
        CHECK_FALSE(f.account_pages.last_frame.done.empty());
    }
}

TEST_CASE("account: nothing changes by GET [ACCOUNT-4, L25]") {
    for (const FormRow& form : forms()) {
        CAPTURE(form.page);
        AccountFlow f;
        give_something_to_lose(f);
        f.open(form.page, form.query);
        auto fields = form.fields;
        fields["csrf"] = f.account_pages.last_frame.csrf;
        CHECK(f.open(form.page, fields).status == 200);
        CHECK(is_unchanged(f));
    }
}

TEST_CASE(
    "account: what gives or takes a factor or a claim demands a recent login, a look a session [ACCOUNT-3, L24]") {
    const FormRow rows[] = {
        {"/app", {{"remove", "yes"}}, {{"another", "yes"}}},
        {"/app", {{"app", "sealed"}, {"code", "123456"}}, {{"another", "yes"}}},
        {"/codes", {{"stamp", "1"}}, {{"new", "yes"}}},
        {"/passkeys", {{"remove", kPasskey}}, {{"add", "yes"}}},
        {"/passkeys", {{"rename", kPasskey}, {"name", "Old phone"}}, {{"add", "yes"}}},
        {"/profile", {{"claims", "nickname"}, {"nickname", "Al"}}, {{"edit", "yes"}}},
    };
    for (const FormRow& row : rows) {
        CAPTURE(row.page);
        AccountFlow f;
        give_something_to_lose(f);
        auto fields = row.fields;
        f.fixture.clock.advance(f.fixture.settings.account.reauthentication - util::Seconds{1});
        CHECK(f.open(row.page, row.query).status == 200);
        fields["csrf"] = f.account_pages.last_frame.csrf;
        f.fixture.clock.advance(util::Seconds{1});
        CHECK(f.open(row.page).status == 200);
        CHECK(place_of(f.open(row.page, row.query)) == "https://op.example/login");
        CHECK(place_of(f.press(row.page, fields)) == "https://op.example/login");
        CHECK(is_unchanged(f));
    }
}

TEST_CASE("account: what was done is said in our words only [ACCOUNT-4]") {
    AccountFlow f;
    f.open("/password", {{"done", "password-changed"}});
    CHECK(f.account_pages.last_frame.done == "Your password is changed. You are signed out everywhere else.");
    f.open("/devices", {{"done", "password-changed"}});  // the word of another page
    CHECK(f.account_pages.last_frame.done == "");
    for (const std::string& word : {std::string("Your account is hacked"), std::string("password"), std::string(" ")}) {
        f.open("", {{"done", word}});
        CHECK(f.account_pages.last_frame.done == "");
    }
}

TEST_CASE("account: the overview has no form, and a post to it shows it again [ACCOUNT-4]") {
    AccountFlow f;
    f.open("/devices");
    f.open("");
    CHECK(location_of(f.press("", {{"csrf", f.account_pages.last_frame.csrf}})) == "https://op.example/account");
}

TEST_CASE("account: logout is offered on every page where there is one [ACCOUNT-15]") {
    for (const std::string& page : kPages) {
        CAPTURE(page);
        AccountFlow f;
        f.open(page);
        CHECK(f.account_pages.last_frame.logout == "https://op.example/logout");
        f.fixture.settings.paths.logout.reset();
        f.open(page);
        CHECK(f.account_pages.last_frame.logout == "");
    }
}

TEST_CASE("overview: who is signed in, with groups, sub and the pages there are [ACCOUNT-12]") {
    AccountFlow f;
    f.alice.claims = json::Object{{"name", "Alice A."}};
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::update_user(transaction, f.alice);
        for (const char* group : {"staff", "admins"}) {
            store::insert_group(transaction, {.name = group, .description = "", .created_at = {}});
            store::add_member(transaction, group, f.alice.subject, f.fixture.clock.now());
        }
        store::insert_group(transaction, {.name = "bobs", .description = "", .created_at = {}});
        store::add_member(transaction, "bobs", f.bob.subject, f.fixture.clock.now());
        transaction.commit();
    }
    CHECK(f.open("").body == "overview");
    const web::OverviewPage& page = f.account_pages.last_overview;
    CHECK(page.name == "Alice A.");
    CHECK(page.username == "alice");
    CHECK(page.subject == f.alice.subject.str());
    CHECK(page.groups == std::vector<std::string>{"admins", "staff"});
    REQUIRE(page.rows.size() == 6);
    CHECK(page.rows[0].url == "https://op.example/account/password");
    CHECK(page.rows[0].state == "changed 15 January 2027");
    CHECK(page.rows[1].url == "https://op.example/account/app");
    CHECK(page.rows[1].state == "off");
    CHECK(page.rows[2].state == "1");
    CHECK(page.rows[3].state == "0");
    CHECK(page.rows[4].url == "https://op.example/account/profile");
    CHECK(page.rows[5].url == "https://op.example/account/activity");
}

TEST_CASE("overview: where others keep the password, the page says so and has no link to it [ACCOUNT-7]") {
    AccountFlow f;
    f.fixture.settings.login.method = login::Method::remote_user;
    f.open("");
    CHECK(f.account_pages.last_overview.rows[0].url == "");
    CHECK(f.account_pages.last_overview.rows[0].state == "kept by your organisation");
}

TEST_CASE("account: a form without cookies, as other sites send it, replaces no cookie [ACCOUNT-4, CWE-352]") {
    AccountFlow f;
    const auto kept = f.cookies;
    f.cookies.clear();
    for (const std::string& page : kPages) {
        CAPTURE(page);
        const auto answer = f.press(page, {{"everywhere", "yes"}});
        CHECK(answer.status == 303);
        CHECK(location_of(answer) == "https://op.example/account" + page);
        CHECK(answer.find("Set-Cookie") == nullptr);
    }
    f.cookies = kept;
    CHECK(f.open("").body == "overview");
}

TEST_CASE("account: that a session cookie was sent is said for one request, and in no bookmark [ACCOUNT-1]") {
    AccountFlow f;
    CHECK(location_of(f.open("/devices", {{"signed_in", "yes"}})) == "https://op.example/account/devices");
    f.cookies.erase(login::cookie_names(f.fixture.settings).session);
    CHECK(refusal_of(f.open("/devices", {{"signed_in", "yes"}})) == "session_cookie_missing");
}
