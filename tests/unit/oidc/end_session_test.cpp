// What a logout takes along, and what it leaves.
#include "oidc/end_session.h"

#include <doctest/doctest.h>

#include "store/authorization_requests.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/sessions.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client app = fixture.add_confidential("app", "https://app.example/cb", "secret");
    model::User alice = fixture.add_user("alice");
    model::User bob = fixture.add_user("bob");
    model::Session here = fixture.add_session(alice, "here");
    model::Session elsewhere = fixture.add_session(alice, "elsewhere");
    model::Session bobs = fixture.add_session(bob, "bobs");

    void add_grant(const std::string& id, const model::Session& session, const std::string& scope) {
        model::Grant grant;
        grant.id = model::GrantId(id);
        grant.client_id = app.id;
        grant.subject = session.subject;
        grant.scope = *model::Scope::parse(scope);
        grant.sid = session.sid;
        grant.created_at = grant.auth_time = fixture.clock.now();
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        store::insert_grant(transaction, grant);
        transaction.commit();
    }
    bool lives(const std::string& id) {
        const auto grant = store::find_grant(fixture.database, model::GrantId(id));
        REQUIRE(grant);
        return !grant->ended_at;
    }
    bool lives(const model::Session& session) {
        const util::Time now = fixture.clock.now();
        return store::find_session(fixture.database, session.cookie_hash, {now, now}).has_value();
    }
};

/// An operator may give scopes any name.
constexpr const char* kLookalikes[] = {"openid not_offline_access", "offline_access2", "offline-access",
                                       "openid offlineXaccess",     "OFFLINE_ACCESS",  "Offline_Access openid"};

}  // namespace

TEST_CASE("end_session: this session and no other, with its grants but for offline access [RP-Initiated Logout §2m]") {
    Fixture f;
    f.add_grant("online", f.here, "openid email");
    f.add_grant("offline", f.here, "openid offline_access");
    for (const char* scope : kLookalikes) f.add_grant(scope, f.here, scope);
    f.add_grant("first", f.here, "offline_access openid");
    f.add_grant("alone", f.here, "offline_access");
    f.add_grant("elsewhere", f.elsewhere, "openid");
    f.add_grant("bob", f.bobs, "openid");
    oidc::end_session(f.context, f.here);

    CHECK_FALSE(f.lives(f.here));
    CHECK(f.lives(f.elsewhere));
    CHECK(f.lives(f.bobs));
    CHECK_FALSE(f.lives("online"));
    for (const char* scope : kLookalikes) {
        CAPTURE(scope);
        CHECK_FALSE(f.lives(scope));
    }
    CHECK(f.lives("offline"));
    CHECK(f.lives("first"));
    CHECK(f.lives("alone"));
    CHECK(f.lives("elsewhere"));
    CHECK(f.lives("bob"));

    oidc::end_session(f.context, f.here);  // pressed twice
    CHECK_FALSE(f.lives(f.here));
}

TEST_CASE("end_session: what the user approved without an answer yet is forgotten, what is answered stays answered") {
    Fixture f;
    const util::Time end = f.fixture.clock.now() + util::Seconds{600};
    const model::RequestKey open("open");
    const model::RequestKey used("used");
    const model::RequestKey bobs("bobs");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::lazy);
        store::record_login(transaction, open, f.alice.subject, end);
        store::record_decision(transaction, open, f.alice.subject, model::Decision::approved, end);
        store::use_request(transaction, used, f.alice.subject, end);
        store::record_decision(transaction, bobs, f.bob.subject, model::Decision::approved, end);
        transaction.commit();
    }
    oidc::end_session(f.context, f.here);
    CHECK_FALSE(store::find_progress(f.fixture.database, open));
    const auto answered = store::find_progress(f.fixture.database, used);
    REQUIRE(answered);
    CHECK(answered->used);
    CHECK(store::find_progress(f.fixture.database, bobs));
}

TEST_CASE("end_session: a login of the same user that changed the cookie in between does not outrun the logout") {
    Fixture f;
    model::Session renewed = f.here;
    renewed.cookie_hash = model::ValueHash("renewed");
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        store::remove_session(transaction, f.here.cookie_hash);
        store::insert_session(transaction, renewed);
        transaction.commit();
    }
    REQUIRE(f.lives(renewed));
    oidc::end_session(f.context, f.here);  // as the logout had read it
    CHECK_FALSE(f.lives(renewed));
    CHECK(f.lives(f.elsewhere));
    CHECK(f.lives(f.bobs));
}
