#include "store/users.h"
#include <doctest/doctest.h>

#include "db/error.h"
#include "json/writer.h"
#include "store/authorization_requests.h"
#include "store/groups.h"
#include "store/mail_requests.h"
#include "store/sessions.h"
#include "support/rows.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::Subject;

namespace {

/// sub-1 and sub-2, each with everything a user can have.
db::Database two_users() {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_user(t, user("sub-2", "bob"));
        for (const std::string subject : {"sub-1", "sub-2"}) {
            model::Session session;
            session.cookie_hash = model::ValueHash("cookie " + subject);
            session.subject = Subject(subject);
            session.last_seen_at = kNow;
            session.expires_at = kNow + Seconds{100};
            store::insert_session(t, session);
            store::record_login(t, model::RequestKey("request " + subject), session.subject, session.expires_at);
            store::insert_grant(t, grant("grant " + subject, subject));
            store::insert_code(t, code("code " + subject, "grant " + subject));
            store::insert_access_token(t, token("token " + subject, "grant " + subject));
            store::insert_refresh_token(t, refresh_token_of("grant " + subject));
        }
    });
    database
        .prepare(
            "INSERT INTO consents (client_id, subject, scope, granted_at)"
            " VALUES ('client', 'sub-1', 'openid', 1), ('client', 'sub-2', 'openid', 1)")
        .execute();
    return database;
}

bool has_session(db::Database& database, const std::string& subject) {
    return store::find_session(database, model::ValueHash("cookie " + subject), {kNow, kNow}).has_value();
}

bool has_token(db::Database& database, const std::string& subject) {
    const auto stored = find_token(database, "token " + subject);
    return stored && store::is_active(*stored, kNow);
}

bool has_refresh_token(db::Database& database, const std::string& subject) {
    const auto stored = find_refresh(database, "refresh of grant " + subject);
    return stored && store::is_active(*stored, kNow);
}

}  // namespace

TEST_CASE("users: every property comes back as it was put in") {
    auto database = test::empty_database();
    auto put = user("sub-9", "Zo\xc3\xab 'Q' <x>");
    put.claims = {{"name", "Zo\xc3\xab </script>"},
                  {"email_verified", true},
                  {"age", 7},
                  {"address", json::Object{{"country", "FR"}}}};
    put.enabled = false;
    put.updated_at = kNow + Seconds{5};
    CHECK(written(database, [&](auto& t) { return store::insert_user(t, put, "$y$hash"); }));
    CHECK(store::find_password_hash(database, put.subject) == "$y$hash");
    for (const auto& got :
         {store::find_user(database, put.subject), store::find_user_by_name(database, put.username)}) {
        REQUIRE(got);
        CHECK(got->subject == put.subject);
        CHECK(got->username == put.username);
        CHECK(json::write(got->claims) == json::write(put.claims));
        CHECK_FALSE(got->enabled);
        CHECK(got->created_at == put.created_at);
        CHECK(got->updated_at == put.updated_at);
    }
}

TEST_CASE("users: the largest claims that can be read in can be read back") {
    auto database = test::empty_database();
    auto put = user();
    put.claims = {{"bio", std::string(65000, '<')}};  // each is escaped to six bytes
    written(database, [&](auto& t) { store::insert_user(t, put); });
    CHECK(json::write(store::find_user(database, put.subject)->claims) == json::write(put.claims));
}

TEST_CASE("find_user_by_name: names are compared byte by byte") {
    auto database = sample_database();
    CHECK(store::find_user_by_name(database, "alice"));
    for (const char* name : {"", "Alice", "alice ", "alic", "al%", "sub-1"}) {
        CAPTURE(name);
        CHECK_FALSE(store::find_user_by_name(database, name));
    }
}

TEST_CASE("insert_user: a taken name changes nothing; list_users is ordered by name") {
    auto database = sample_database();
    const auto insert = [&](const char* subject, const char* name) {
        return written(database, [&](auto& t) { return store::insert_user(t, user(subject, name)); });
    };
    CHECK_FALSE(insert("sub-2", "alice"));
    CHECK_FALSE(store::find_user(database, Subject("sub-2")));
    CHECK(insert("sub-0", "zoe"));
    CHECK(insert("sub-3", "bob"));
    std::vector<std::string> names;
    for (const auto& each : store::list_users(database)) names.push_back(each.user.username);
    CHECK(names == std::vector<std::string>{"alice", "bob", "zoe"});
}

TEST_CASE("origin: a user has no source until one is set, and a change of the state ends what it says [SOURCE-6]") {
    auto database = sample_database();
    const Subject subject("sub-1");
    CHECK(store::find_origin(database, subject).source.empty());
    CHECK(store::find_origin(database, Subject("none")).source.empty());
    const auto set = [&](const store::Origin& origin) { written(database, store::set_origin, subject, origin); };
    const auto update = [&](bool enabled) {
        auto user = *store::find_user(database, subject);
        user.enabled = enabled;
        written(database, store::update_user, user);
        return store::find_origin(database, subject);
    };
    update(false);
    set({"directory", kNow});
    CHECK(update(false).left_at == kNow);
    CHECK_FALSE(update(true).left_at);
    CHECK(store::find_origin(database, subject).source == "directory");
    const auto listed = test::all_of(store::list_users_of_source(database, "directory"));
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].user.subject == subject);
    CHECK(listed[0].origin.source == "directory");
    CHECK(test::all_of(store::list_users_of_source(database, "Directory")).empty());

    written(database, [&](auto& t) {
        store::insert_group(t, {"staff", "", kNow});
        store::add_member(t, "staff", subject, kNow);
        store::insert_user(t, user("sub-7", "zoe"));
        store::add_member(t, "staff", Subject("sub-7"), kNow);
    });
    const auto memberships = test::all_of(store::list_memberships(database, "directory"));
    REQUIRE(memberships.size() == 1);
    CHECK(memberships[0].subject == subject);
    CHECK(memberships[0].group == "staff");
}

TEST_CASE("update_user: everything but subject, created_at and the password") {
    auto database = sample_database();
    written(database, [](auto& t) { store::set_password_hash(t, Subject("sub-1"), "$y$hash", kNow); });
    auto changed = user("sub-1", "alicia");
    changed.claims = {{"name", "Alicia"}};
    changed.enabled = false;
    changed.updated_at = kNow + Seconds{9};
    changed.created_at = kNow + Seconds{9};
    const auto update = [&](const model::User& to) { return written(database, store::update_user, to); };
    CHECK(update(changed));
    const auto got = store::find_user(database, changed.subject);
    CHECK(got->username == "alicia");
    CHECK(store::find_password_hash(database, changed.subject) == "$y$hash");
    CHECK(got->claims.find("name"));
    CHECK_FALSE(got->enabled);
    CHECK(got->updated_at == changed.updated_at);
    CHECK(got->created_at == kNow);
    CHECK_FALSE(update(user("nobody", "nobody")));
}

TEST_CASE("update_claims: the claims and their time, and nothing else") {
    auto database = sample_database();
    auto changed = user("sub-1", "alicia");
    changed.claims = {{"name", "Alicia"}};
    changed.enabled = false;
    changed.updated_at = kNow + Seconds{9};
    written(database, store::update_claims, changed);
    const auto got = store::find_user(database, changed.subject);
    CHECK(json::write(got->claims) == R"({"name":"Alicia"})");
    CHECK(got->updated_at == changed.updated_at);
    CHECK(got->username == "alice");
    CHECK(got->enabled);
}

TEST_CASE("set_password_hash: of this user alone; none and an unknown user read alike") {
    constexpr Time kLater = kNow + Seconds{60};
    auto database = sample_database();
    const auto changed_at = [&](const char* subject) {
        return store::find_password_state(database, Subject(subject)).changed_at;
    };
    CHECK(changed_at("sub-1") == kNow);  // when the user was made
    written(database, [](auto& t) {
        store::insert_user(t, user("sub-2", "bob"), "$y$bob");
        store::set_password_hash(t, Subject("sub-1"), "$y$alice", kLater);
    });
    CHECK(changed_at("sub-1") == kLater);
    CHECK(changed_at("sub-2") == kNow);
    CHECK(store::find_password_state(database, Subject("sub-1")).is_set);
    CHECK_FALSE(store::find_password_state(database, Subject("sub-3")).is_set);
    CHECK(store::find_password_hash(database, Subject("sub-1")) == "$y$alice");
    CHECK(store::find_password_hash(database, Subject("sub-2")) == "$y$bob");
    CHECK(store::find_password_hash(database, Subject("sub-3")) == "");
    written(database, [&](auto& t) { store::set_password_hash(t, Subject("sub-1"), "", kLater); });
    CHECK_FALSE(store::find_password_state(database, Subject("sub-1")).is_set);
    CHECK(store::find_password_hash(database, Subject("sub-1")) == "");
}

TEST_CASE("remove_user: takes along everything of this user, and nothing of another") {
    auto database = two_users();
    const auto remove = [&] {
        return written(database, store::remove_user, Subject("sub-1"), kNow, store::LogoutNotices{});
    };
    CHECK(remove());
    CHECK_FALSE(remove());
    for (const char* sql :
         {"SELECT count(*) FROM users", "SELECT count(*) FROM sessions", "SELECT count(*) FROM authorization_requests",
          "SELECT count(*) FROM consents", "SELECT count(*) FROM grants", "SELECT count(*) FROM authorization_codes",
          "SELECT count(*) FROM access_tokens", "SELECT count(*) FROM refresh_tokens"}) {
        CAPTURE(sql);
        CHECK(count(database, sql) == 1);
    }
    CHECK(has_session(database, "sub-2"));
    CHECK(has_token(database, "sub-2"));
}

TEST_CASE("end_user_access: sessions, open requests and grants of this user end, consents and other users' stay") {
    auto database = two_users();
    REQUIRE(has_session(database, "sub-1"));
    REQUIRE(has_token(database, "sub-1"));
    REQUIRE(has_refresh_token(database, "sub-1"));
    written(database, store::end_user_access, Subject("sub-1"), kNow, store::LogoutNotices{}, model::Sid());
    CHECK_FALSE(has_session(database, "sub-1"));
    CHECK_FALSE(has_token(database, "sub-1"));
    CHECK_FALSE(has_refresh_token(database, "sub-1"));
    CHECK_FALSE(store::find_progress(database, model::RequestKey("request sub-1")));
    CHECK_FALSE(written(database, store::redeem_code, model::ValueHash("code sub-1"), kNow));
    CHECK(has_session(database, "sub-2"));
    CHECK(has_token(database, "sub-2"));
    CHECK(has_refresh_token(database, "sub-2"));
    CHECK(store::find_progress(database, model::RequestKey("request sub-2")));
    CHECK(count(database, "SELECT count(*) FROM consents") == 2);
}

TEST_CASE("end_user_access: a request that was answered stays answered") {
    auto database = two_users();
    const model::RequestKey key("request sub-1");
    written(database, [&](auto& t) {
        store::use_request(t, key, Subject("sub-1"), kNow + Seconds{9});
        store::end_user_access(t, Subject("sub-1"), kNow, {});
    });
    REQUIRE(store::find_progress(database, key));
    CHECK(store::find_progress(database, key)->used);
}

TEST_CASE("pick_password_hash: some user's, for one key always the same, and each user's for some key [L08]") {
    auto database = test::empty_database();
    CHECK(store::pick_password_hash(database, "m").empty());
    written(database, [](auto& t) {
        for (const std::string subject : {"d", "h", "s"}) {
            const auto somebody = user(subject, "user " + subject);
            store::insert_user(t, somebody, "$y$" + subject);
        }
    });
    const std::pair<const char*, const char*> rows[] = {{"-", "$y$d"}, {"d", "$y$d"},  {"e", "$y$h"}, {"h", "$y$h"},
                                                        {"m", "$y$s"}, {"sa", "$y$d"}, {"z", "$y$d"}};
    for (const auto& row : rows) {
        const auto& key = row.first;
        const auto& hash = row.second;
        CAPTURE(key);
        CHECK(store::pick_password_hash(database, key) == hash);
    }
}

TEST_CASE("users: every statement that writes claims keeps the digest of the address [MAIL-4]") {
    auto database = sample_database();
    model::User grace = user("sub-grace", "grace");
    const auto found_by = [&](const char* address) {
        return store::subjects_with_email(database, model::email_key(address), 5).size();
    };
    grace.claims.set("email", "Grace@Example.org");
    written(database, [&](auto& t) { store::insert_user(t, grace); });
    CHECK(found_by("grace@example.org") == 1);
    CHECK(found_by("GRACE@EXAMPLE.ORG") == 1);
    grace.claims.set("email", "g@example.org");
    written(database, store::update_user, grace);
    CHECK(found_by("grace@example.org") == 0);
    CHECK(found_by("g@example.org") == 1);
    grace.claims.set("email", "h@example.org");
    written(database, store::update_claims, grace);
    CHECK(found_by("g@example.org") == 0);
    CHECK(found_by("h@example.org") == 1);
    grace.enabled = false;
    written(database, store::update_user, grace);
    CHECK(found_by("h@example.org") == 0);
    grace.enabled = true;
    for (const char* none : {"h@example.org, i@example.org", "", "h"}) {
        grace.claims.set("email", none);
        written(database, store::update_user, grace);
        CHECK(found_by(none) == 0);
    }
}

TEST_CASE("schema.sql: types are enforced, and truth values are 0 and 1") {
    auto database = sample_database();
    CHECK_THROWS_AS(database.prepare("UPDATE users SET created_at = 'soon'").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE users SET enabled = 2").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE clients SET type = 'secret'").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE users SET username = NULL").execute(), db::StoreError);
}
