// Groups and memberships, and what goes with them.
#include "store/groups.h"

#include "model/group.h"
#include "store/client_access.h"
#include "support/rows.h"
#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;
using model::Subject;
using Names = std::vector<std::string>;

struct Fixture {
    db::Database database = empty_database();

    Fixture() {
        written(database, [](auto& t) {
            store::insert_user(t, user("sub-1", "alice"));
            store::insert_user(t, user("sub-2", "bob"));
            store::insert_client(t, client("wiki"));
            for (const char* name : {"staff", "Staff", "admins"}) store::insert_group(t, {name, "", kNow});
        });
    }

    bool add(const char* group, const char* subject) {
        return written(database, store::add_member, group, Subject(subject), kNow);
    }
    Names groups(const char* subject) { return store::groups_of(database, Subject(subject)); }
};

TEST_CASE("a group's name: 1 to 64 of A-Z a-z 0-9 . _ - [GROUP-1]") {
    struct Row {
        std::string name;
        bool accepted;
    };
    const Row rows[] = {
        {"staff", true},
        {"A.b_c-9", true},
        {"-", true},
        {std::string(64, 'x'), true},
        {std::string(65, 'x'), false},
        {"", false},
        {"two words", false},
        {"a,b", false},
        {"a/b", false},
        {"gr\xc3\xbcppe", false},
        {"a\xe2\x80\xae"
         "b",
         false},
        {std::string("a\0b", 3), false},
        {"a\nb", false},
        {"a:b", false},
    };
    for (const auto& row : rows) CHECK_MESSAGE(model::is_group_name(row.name) == row.accepted, row.name);
}

TEST_CASE("groups: made once, described, listed by name with the number of members [GROUP-1, GROUP-2]") {
    Fixture f;
    CHECK_FALSE(written(f.database, [](auto& t) { return store::insert_group(t, {"staff", "again", kNow}); }));
    CHECK(written(f.database, store::set_description, "staff", "All"));
    CHECK_FALSE(written(f.database, store::set_description, "nobody", "All"));
    CHECK(store::find_group(f.database, "staff")->description == "All");
    CHECK_FALSE(store::find_group(f.database, "STAFF"));
    f.add("staff", "sub-1");
    f.add("staff", "sub-2");
    std::string listed;
    auto rows = store::list_groups(f.database);
    for (const auto& each : rows) listed += each.group.name + " " + std::to_string(each.members) + ";";
    CHECK(listed == "Staff 0;admins 0;staff 2;");
}

TEST_CASE("memberships: once each, in the order of bytes, gone with the group or the user [GROUP-2, STORE-4]") {
    Fixture f;
    CHECK(f.add("staff", "sub-1"));
    CHECK_FALSE(f.add("staff", "sub-1"));
    CHECK(f.add("admins", "sub-1"));
    CHECK(f.add("Staff", "sub-1"));
    CHECK(f.add("staff", "sub-2"));
    CHECK(f.groups("sub-1") == Names{"Staff", "admins", "staff"});

    CHECK(written(f.database, store::remove_member, "admins", Subject("sub-1")));
    CHECK_FALSE(written(f.database, store::remove_member, "admins", Subject("sub-1")));
    CHECK(f.groups("sub-1") == Names{"Staff", "staff"});

    Names members;
    {
        auto rows = store::list_members(f.database, "staff");
        for (const auto& each : rows) members.push_back(each.username);
    }
    CHECK(members == Names{"alice", "bob"});
    CHECK(written(f.database, store::remove_group, "staff"));
    CHECK(f.groups("sub-1") == Names{"Staff"});
    written(f.database, store::remove_user, Subject("sub-1"), kNow, store::LogoutNotices{});
    auto left = store::list_members(f.database, "Staff");
    for (const auto& each : left) FAIL("left: " << each.username);
}

TEST_CASE("told groups: all of the user's, or those that the client is for [CLAIM-2]") {
    Fixture f;
    for (const char* group : {"staff", "admins"}) f.add(group, "sub-1");
    const auto told = [&](const char* subject) {
        return store::told_groups(f.database, Subject(subject), model::ClientId("wiki"));
    };
    CHECK(told("sub-1") == Names{"admins", "staff"});
    CHECK(told("sub-2") == Names{});

    auto own = client("wiki");
    own.groups = model::ToldGroups::own;
    written(f.database, store::update_client, own);
    CHECK(told("sub-1") == Names{});
    written(f.database, store::allow_group, model::ClientId("wiki"), "staff");
    CHECK(told("sub-1") == Names{"staff"});
}

}  // namespace
}  // namespace postern
