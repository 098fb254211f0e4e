// Who may use a client, and which grants end with that right.
#include "store/client_access.h"

#include "store/groups.h"
#include "store/sessions.h"
#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;
using model::ClientId;
using model::Subject;
using store::Standing;

const ClientId kWiki("wiki");
const Subject kAlice("sub-1");
const Subject kBob("sub-2");

struct Fixture {
    db::Database database = empty_database();

    Fixture() {
        written(database, [](auto& t) {
            store::insert_user(t, user("sub-1", "alice"));
            store::insert_user(t, user("sub-2", "bob"));
            store::insert_client(t, client("wiki"));
            store::insert_client(t, client("mail"));
            store::insert_group(t, {"staff", "", kNow});
            store::insert_group(t, {"guests", "", kNow});
            store::add_member(t, "staff", kAlice, kNow);
        });
    }

    void restrict() {
        auto changed = client("wiki");
        changed.restricted = true;
        written(database, store::update_client, changed);
    }
    bool may_use(const Subject& subject) { return store::may_use(database, kWiki, subject); }
    void insert_grant(const char* id, const char* client_id, const char* subject) {
        model::Grant grant;
        grant.id = model::GrantId(id);
        grant.client_id = ClientId(client_id);
        grant.subject = Subject(subject);
        written(database, [&](auto& t) { store::insert_grant(t, grant, kNow + Seconds{60}); });
    }
    std::string ended() {
        std::string ids;
        auto rows = database.prepare("SELECT id FROM grants WHERE ended_at IS NOT NULL ORDER BY id");
        while (rows.step()) ids += rows.text(0) + " ";
        return ids;
    }
};

TEST_CASE("access: everybody, until the client is restricted; then users and groups that it names [GROUP-3]") {
    Fixture f;
    CHECK(f.may_use(kAlice));
    CHECK(f.may_use(kBob));
    f.restrict();
    CHECK_FALSE(f.may_use(kAlice));  // a list that became empty lets nobody in
    CHECK_FALSE(f.may_use(kBob));
    CHECK_FALSE(store::may_use(f.database, ClientId("nobody"), kAlice));
    CHECK(store::may_use(f.database, ClientId("mail"), kBob));

    written(f.database, store::allow_group, kWiki, "staff");
    CHECK(f.may_use(kAlice));
    CHECK_FALSE(f.may_use(kBob));
    written(f.database, [](auto& t) {
        store::allow_user(t, kWiki, kBob);
        store::allow_user(t, kWiki, kBob);
    });
    CHECK(f.may_use(kBob));
    CHECK(store::find_client_access(f.database, kWiki) == store::ClientAccess{{"staff"}, {"bob"}});
    written(f.database, [](auto& t) {
        CHECK(store::disallow_user(t, kWiki, kBob));
        CHECK_FALSE(store::disallow_user(t, kWiki, kBob));
        CHECK_FALSE(store::disallow_group(t, kWiki, "guests"));
    });
    CHECK_FALSE(f.may_use(kBob));
}

TEST_CASE("access: a group or user that is removed leaves the list, which says who is left [GROUP-3]") {
    Fixture f;
    f.restrict();
    CHECK(store::unusable_clients(f.database) == std::vector{kWiki});
    written(f.database, [](auto& t) {
        store::allow_group(t, kWiki, "staff");
        store::allow_user(t, kWiki, kBob);
    });
    CHECK(store::unusable_clients(f.database).empty());
    CHECK(store::clients_allowing(f.database, "staff") == std::vector{kWiki});
    written(f.database, [](auto& t) {
        store::remove_group(t, "staff");
        store::remove_user(t, kBob, kNow, {});
    });
    CHECK(store::unusable_clients(f.database) == std::vector{kWiki});
    CHECK_FALSE(f.may_use(kAlice));
}

TEST_CASE("access: grants end for who may not use the client any more, and no others [GROUP-6, GROUP-7]") {
    Fixture f;
    f.insert_grant("alice wiki", "wiki", "sub-1");
    f.insert_grant("bob wiki", "wiki", "sub-2");
    f.insert_grant("bob mail", "mail", "sub-2");
    f.insert_grant("wiki itself", "wiki", "");
    written(f.database, [](auto& t) { CHECK(store::end_grants_without_access(t, kWiki, kNow) == 0); });
    f.restrict();
    written(f.database, [](auto& t) {
        store::allow_group(t, kWiki, "staff");
        CHECK(store::end_grants_without_access(t, kWiki, kNow) == 1);
    });
    CHECK(f.ended() == "bob wiki ");
    written(f.database, [](auto& t) {
        store::remove_member(t, "staff", kAlice);
        CHECK(store::end_grants_without_access(t, kAlice, kNow) == 1);
        CHECK(store::end_grants_without_access(t, kBob, kNow) == 0);
    });
    CHECK(f.ended() == "alice wiki bob wiki ");
}

TEST_CASE("standing: session and access, as one question [GROUP-4]") {
    Fixture f;
    model::Session session;
    session.cookie_hash = model::ValueHash("cookie");
    session.sid = model::Sid("sid");
    session.subject = kBob;
    session.created_at = session.last_seen_at = kNow;
    session.expires_at = kNow + Seconds{60};
    written(f.database, store::insert_session, session);
    const auto standing = [&](Time now, Time idle_since) {
        db::Transaction t(f.database, db::Durability::lazy);
        return store::find_standing(t, session, kWiki, {now, idle_since});
    };
    CHECK(standing(kNow, kNow) == Standing::good);
    CHECK(standing(kNow + Seconds{60}, kNow) == Standing::session_ended);
    CHECK(standing(kNow, kNow + Seconds{1}) == Standing::session_ended);
    f.restrict();
    CHECK(standing(kNow, kNow) == Standing::may_not_use);
    written(f.database, store::allow_user, kWiki, kBob);
    CHECK(standing(kNow, kNow) == Standing::good);
    auto wiki = *store::find_client(f.database, kWiki);
    wiki.enabled = false;
    written(f.database, store::update_client, wiki);
    CHECK(standing(kNow, kNow) == Standing::may_not_use);
    wiki.enabled = true;
    written(f.database, store::update_client, wiki);
    auto bob = user("sub-2", "bob");
    bob.enabled = false;
    written(f.database, store::update_user, bob);
    CHECK(standing(kNow, kNow) == Standing::session_ended);
}

}  // namespace
}  // namespace postern
