// What one client is told under names of its own, and what goes with it.
#include "store/client_claims.h"

#include "model/group.h"
#include "store/access_tokens.h"
#include "store/client_access.h"
#include "store/groups.h"
#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;
using model::ClientClaim;
using model::ClientId;
using model::SourceKind;
using model::Subject;
using Names = std::vector<std::string>;

const ClientId kWiki("wiki");
const ClientClaim kAdmin{"admin", {SourceKind::group, "admins"}, "groups"};
const ClientClaim kRoles{"roles", {}, "profile"};

struct Fixture {
    db::Database database = empty_database();

    Fixture() {
        written(database, [](auto& t) {
            store::insert_user(t, user("sub-1", "alice"));
            for (const char* name : {"wiki", "other"}) store::insert_client(t, client(name));
            for (const char* name : {"staff", "admins", "Zoo"}) {
                store::insert_group(t, {name, "", kNow});
                store::add_member(t, name, Subject("sub-1"), kNow);
            }
        });
    }

    void put(const ClientClaim& claim, const ClientId& client = kWiki) {
        written(database, store::put_client_claim, client, claim);
    }
    void rename(const char* group, const char* name) { written(database, store::put_group_name, kWiki, group, name); }
    bool has_flag(const ClientId& client = kWiki) { return store::find_client(database, client)->own_claims; }
    std::vector<ClientClaim> claims() { return store::find_client_claims(database, kWiki); }
    Names told(const ClientId& client = kWiki) { return store::told_groups(database, Subject("sub-1"), client); }
};

TEST_CASE(
    "client_claims: put, replaced, found by name and removed; the client's row says whether there are any [CLAIM-4]") {
    Fixture f;
    CHECK_FALSE(f.has_flag());
    f.put(kRoles);
    f.put(kAdmin);
    CHECK(f.has_flag());
    CHECK_FALSE(f.has_flag(ClientId("other")));
    CHECK(f.claims() == std::vector{kAdmin, kRoles});
    const ClientClaim changed{"roles", {SourceKind::constant, "viewer"}, "openid"};
    f.put(changed);
    CHECK(f.claims() == std::vector{kAdmin, changed});
    written(f.database, [](auto& t) {
        store::update_client(t, *store::find_client(t.database(), kWiki));
        CHECK(store::remove_client_claim(t, kWiki, "roles"));
        CHECK_FALSE(store::remove_client_claim(t, kWiki, "roles"));
        CHECK_FALSE(store::remove_client_claim(t, ClientId("other"), "admin"));
    });
    CHECK(f.has_flag());
    written(f.database, [](auto& t) { CHECK(store::remove_client_claim(t, kWiki, "admin")); });
    CHECK_FALSE(f.has_flag());
}

TEST_CASE("client_claims: a group that is removed takes the claims and names that are of it along [CLAIM-4]") {
    Fixture f;
    f.put(kAdmin);
    f.put(kRoles);
    f.put(kAdmin, ClientId("other"));
    f.rename("admins", "Admin");
    const auto of_group = store::find_claims_of(f.database, kAdmin.source);
    REQUIRE(of_group.size() == 2);
    CHECK(of_group[0].client == ClientId("other"));
    CHECK(of_group[1].claim == kAdmin);
    CHECK(store::clients_renaming(f.database, "admins") == std::vector{kWiki});
    written(f.database, [](auto& t) { CHECK(store::remove_group(t, "admins")); });
    CHECK(f.claims() == std::vector{kRoles});
    CHECK(f.has_flag());
    CHECK_FALSE(f.has_flag(ClientId("other")));
    CHECK(store::find_group_names(f.database, kWiki).empty());
}

TEST_CASE("client_claims: the client takes its own along [CLAIM-4]") {
    Fixture f;
    f.put(kAdmin);
    f.rename("admins", "Admin");
    written(f.database, [](auto& t) { CHECK(store::remove_client(t, kWiki)); });
    CHECK(f.claims().empty());
    CHECK(store::find_group_names(f.database, kWiki).empty());
}

TEST_CASE(
    "told_groups: under the names that the client is told, in the order of their bytes, each once [CLAIM-2, CLAIM-4]") {
    Fixture f;
    CHECK(f.told() == Names{"Zoo", "admins", "staff"});
    f.rename("admins", "editor");
    f.rename("Zoo", "zoo keepers");
    CHECK(f.told() == Names{"editor", "staff", "zoo keepers"});
    CHECK(f.told(ClientId("other")) == Names{"Zoo", "admins", "staff"});
    f.rename("Zoo", "staff");
    CHECK(f.told() == Names{"editor", "staff"});

    // `own` is about groups, not about names.
    written(f.database, [](auto& t) {
        auto wiki = *store::find_client(t.database(), kWiki);
        wiki.groups = model::ToldGroups::own;
        store::update_client(t, wiki);
        store::allow_group(t, kWiki, "admins");
    });
    CHECK(f.told() == Names{"editor"});
    written(f.database, [](auto& t) {
        CHECK(store::remove_group_name(t, kWiki, "admins"));
        CHECK_FALSE(store::remove_group_name(t, kWiki, "admins"));
        CHECK_FALSE(store::remove_group_name(t, kWiki, "staff"));
    });
    CHECK(f.told() == Names{"admins"});
    CHECK(store::find_group_names(f.database, kWiki) == store::GroupNames{{"Zoo", "staff"}});
}

}  // namespace
}  // namespace postern
