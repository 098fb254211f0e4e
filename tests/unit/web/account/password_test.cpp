// The page on which a user changes the password: what it asks for, what it refuses, and what ends with the old one.
#include "web/account/account.h"

#include "store/grants.h"
#include "store/sessions.h"
#include "unit/web/account/account_flow.h"

using namespace postern;
using test::AccountFlow;
using test::location_of;
using test::place_of;
using test::refusal_of;
using Wrong = web::PasswordPage::Wrong;

namespace {

constexpr const char* kNew = "several words in a row";

struct Fixture : AccountFlow {
    http::Response change(const std::string& present, const std::string& fresh, const std::string& again) {
        return press_own("/password", {{"present", present}, {"new", fresh}, {"again", again}});
    }
    http::Response change() { return change(kPassword, kNew, kNew); }
    bool is_password(const std::string& password) {
        return crypto::verify_password(util::Secret(password),
                                       store::find_password_hash(fixture.database, alice.subject));
    }
};

}  // namespace

TEST_CASE("password: changed, and this session goes on with another cookie value [ACCOUNT-6]") {
    Fixture f;
    const std::string before = f.session_cookie();
    CHECK(location_of(f.change()) == "https://op.example/account/password?done=password-changed");
    REQUIRE(f.fixture.trail.entries().size() == 1);
    CHECK(f.fixture.trail.entries()[0].event == audit::Event::password_changed);
    CHECK(f.is_password(kNew));
    CHECK(f.session_cookie() != before);
    CHECK_FALSE(f.is_live(before));
    CHECK(f.is_live(f.session_cookie()));
    CHECK(f.open("/password").body == "password");
}

TEST_CASE("password: the session keeps its id, its login and its end [ACCOUNT-6]") {
    Fixture f;
    const auto find = [&] {
        return *store::find_session(f.fixture.database, oauth::hash_of(f.session_cookie()),
                                    {f.fixture.clock.now(), {}});
    };
    const model::Session before = find();
    f.fixture.clock.advance(util::Seconds{30});
    f.change();
    const model::Session after = find();
    CHECK(after.sid == before.sid);
    CHECK(after.auth_time == before.auth_time);
    CHECK(after.created_at == before.created_at);
    CHECK(after.expires_at == before.expires_at);
}

TEST_CASE("password: everything else of the user ends with the old one, as with user passwd [ACCOUNT-6]") {
    Fixture f;
    f.fixture.add_session(f.alice, "elsewhere");
    f.fixture.add_session(f.bob, "of-bob");
    const auto give = [&](const model::User& user, const char* id, const char* scope) {
        model::Grant grant;
        grant.id = model::GrantId(id);
        grant.client_id = f.client.id;
        grant.subject = user.subject;
        grant.scope = *model::Scope::parse(scope);
        grant.created_at = f.fixture.clock.now();
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::insert_grant(transaction, grant, f.fixture.clock.now() + std::chrono::hours(1));
        transaction.commit();
    };
    const auto is_grant_live = [&](const char* id) {
        return !store::find_grant(f.fixture.database, model::GrantId(id))->ended_at.has_value();
    };
    give(f.alice, "offline", "openid offline_access");
    give(f.bob, "bobs", "openid");
    f.change();
    CHECK_FALSE(f.is_live("elsewhere"));
    CHECK_FALSE(is_grant_live("offline"));
    CHECK(f.is_live("of-bob"));
    CHECK(is_grant_live("bobs"));
}

TEST_CASE("password: what is refused, at which field, and that nothing changes [ACCOUNT-6, PASSWORD-1]") {
    struct Row {
        const char* when;
        std::string present, fresh, again;
        Wrong wrong;
    };
    const std::string present = AccountFlow::kPassword;
    const Row rows[] = {
        {"a wrong present password", "not the password", kNew, kNew, Wrong::present},
        {"none", "", kNew, kNew, Wrong::present},
        {"the new one typed differently", present, kNew, "several words in a Row", Wrong::fresh},
        {"the second one missing", present, kNew, "", Wrong::fresh},
        {"none at all", present, "", "", Wrong::fresh},
        {"a short one", present, "fourteen chars", "fourteen chars", Wrong::fresh},
        {"the present one with a tab behind it", present + "\t", kNew, kNew, Wrong::present},
        {"the present one with a line end", present + "\r\n", kNew, kNew, Wrong::present},
        {"the new one with a tab, pasted twice", present, std::string("\t") + kNew, std::string("\t") + kNew,
         Wrong::fresh},
        {"the new one with a line end in it", present, "several words\nin a row", kNew, Wrong::fresh},
        {"a tab in the second one", present, kNew, std::string(kNew) + "\t", Wrong::fresh},
        {"a tab alone", present, "\t", "\t", Wrong::fresh},
        {"a zero width space, pasted twice", present, std::string(kNew) + "\u200b", std::string(kNew) + "\u200b",
         Wrong::fresh},
        {"a long one", present, std::string(512, 'x'), std::string(512, 'x'), Wrong::fresh},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.fixture.add_session(f.alice, "elsewhere");
        const auto answer = f.change(row.present, row.fresh, row.again);
        CHECK(answer.body == "password");
        CHECK(f.account_pages.last_password.wrong == row.wrong);
        CHECK_FALSE(f.account_pages.last_password.frame.problem.empty());
        CHECK(f.is_password(AccountFlow::kPassword));
        CHECK(f.is_live("elsewhere"));
        CHECK(f.session_cookie() == "of-alice");
    }
}

TEST_CASE("password: failures of the present one are counted as those of logins are [ACCOUNT-6, L27]") {
    Fixture f;
    f.fixture.settings.login.max_failures = 3;
    for (int i = 0; i < 3; ++i) {
        CHECK(refusal_of(f.change("wrong", kNew, kNew)) == "password_refused");
        REQUIRE(f.fixture.trail.entries().size() == 1);
        CHECK(f.fixture.trail.entries()[0].event == audit::Event::password_refused);
    }
    const auto throttled = f.change();
    CHECK(throttled.status == 429);
    CHECK(throttled.find("Retry-After"));
    CHECK(f.is_password(AccountFlow::kPassword));
    // The login page counts on.
    f.follow(web::show_login, f.open("/password"));
    f.fixture.clock.advance(f.fixture.settings.login.window);
    CHECK(f.change().status == 303);
}

TEST_CASE("password: demands a recent login, before the form is shown and when it comes [ACCOUNT-3, L24]") {
    Fixture f;
    f.fixture.clock.advance(f.fixture.settings.account.reauthentication - util::Seconds{1});
    CHECK(f.open("/password").body == "password");
    const std::string csrf = f.account_pages.last_frame.csrf;
    f.fixture.clock.advance(util::Seconds{1});
    CHECK(place_of(f.open("/password")) == "https://op.example/login");
    const auto answer =
        f.press("/password", {{"csrf", csrf}, {"present", AccountFlow::kPassword}, {"new", kNew}, {"again", kNew}});
    CHECK(place_of(answer) == "https://op.example/login");
    CHECK(f.is_password(AccountFlow::kPassword));
    // The name is filled in, and after the login the page comes empty.
    f.follow(web::show_login, answer);
    CHECK(f.pages.last_login.username == "alice");
    CHECK(location_of(f.submit(web::submit_login, {{"resume", f.pages.last_login.resume},
                                                   {"csrf", f.pages.last_login.csrf},
                                                   {"username", "alice"},
                                                   {"password", AccountFlow::kPassword}})) ==
          "https://op.example/account/password");
    CHECK(f.open("/password").body == "password");
    CHECK(f.account_pages.last_password.frame.problem == "");
}

TEST_CASE("password: a session that ends while the hashes are made does not come back to life [ACCOUNT-6]") {
    Fixture f;
    f.open("/password");
    f.meanwhile = [&] {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::end_sessions(transaction, f.alice.subject, f.fixture.clock.now(), {});
        transaction.commit();
    };
    const auto answer = f.press("/password", {{"csrf", f.account_pages.last_frame.csrf},
                                              {"present", AccountFlow::kPassword},
                                              {"new", kNew},
                                              {"again", kNew}});
    CHECK(location_of(answer) == "https://op.example/account/password");
    CHECK(answer.find("Set-Cookie") == nullptr);
    CHECK(f.fixture.trail.entries().empty());
    CHECK(f.is_password(AccountFlow::kPassword));
    f.meanwhile = [] {};
    CHECK(place_of(f.open("/password")) == "https://op.example/login");
}
