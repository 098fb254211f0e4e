// APIs and what clients call them.
#include "store/resources.h"

#include "support/rows.h"
#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;

model::Resource notes() {
    return {"https://API.example",      "Notes", *model::Scope::parse("notes:read notes:write"), Seconds{60}, true,
            {"https://old.example/v1"}, kNow};
}

TEST_CASE("resources: every member is kept, and each address leads to it [RES-1, RES-2]") {
    auto database = empty_database();
    written(database, [](auto& t) { CHECK_FALSE(store::insert_resource(t, notes())); });
    for (const char* address : {"https://API.example", "https://api.example/", "https://old.example/v1"}) {
        CAPTURE(address);
        const auto found = store::find_resource(database, address);
        REQUIRE(found);
        CHECK(found->uri == "https://API.example");
        CHECK(found->name == "Notes");
        CHECK(found->scope.to_string() == "notes:read notes:write");
        CHECK(found->access_token_ttl == Seconds{60});
        CHECK(found->enabled);
        CHECK(found->created_at == kNow);
        CHECK(store::find_resource_with_aliases(database, address)->aliases ==
              std::vector<std::string>{"https://old.example/v1"});
    }
    CHECK_FALSE(store::find_resource(database, "https://api.example/v1"));
    CHECK_FALSE(store::find_resource(database, "not a URI"));
}

TEST_CASE("resources: an address belongs to one resource; what is refused leaves nothing") {
    auto database = empty_database();
    written(database, store::insert_resource, notes());
    const auto refused = [&](model::Resource resource) {
        db::Transaction t(database, db::Durability::lazy);
        return store::insert_resource(t, resource).value_or("");
    };
    auto same = notes();
    CHECK(refused(same) == "https://API.example");
    same.uri = "https://api.example/";
    CHECK(refused(same) == "https://api.example/");
    same.uri = "https://old.example/v1";
    CHECK(refused(same) == "https://old.example/v1");
    same.uri = "https://other.example/";
    CHECK(refused(same) == "https://old.example/v1");
    CHECK_FALSE(store::find_resource(database, "https://other.example/"));
}

TEST_CASE("resources: an update replaces all but the URI; a removal takes the addresses along") {
    auto database = empty_database();
    written(database, store::insert_resource, notes());
    written(database, [](auto& t) {
        auto resource = *store::find_resource_to_change(t, "https://api.example/");
        CHECK(resource.aliases.size() == 1);
        resource.name = "Renamed";
        resource.scope = {};
        resource.access_token_ttl.reset();
        resource.enabled = false;
        resource.aliases = {"https://new.example/"};
        CHECK_FALSE(store::update_resource(t, resource));
    });
    const auto changed = store::find_resource_with_aliases(database, "https://new.example");
    REQUIRE(changed);
    CHECK(changed->name == "Renamed");
    CHECK(changed->scope.empty());
    CHECK_FALSE(changed->access_token_ttl);
    CHECK_FALSE(changed->enabled);
    CHECK(changed->aliases == std::vector<std::string>{"https://new.example/"});
    CHECK_FALSE(store::find_resource(database, "https://old.example/v1"));

    const auto listed = all_of(store::list_resources(database));
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].resource.uri == "https://API.example");
    CHECK(listed[0].aliases == 1);
    written(database, store::remove_resource, "https://API.example");
    CHECK_FALSE(store::find_resource(database, "https://new.example"));
    written(database, [](auto& t) { CHECK_FALSE(store::insert_resource(t, notes())); });
}

}  // namespace
}  // namespace postern
