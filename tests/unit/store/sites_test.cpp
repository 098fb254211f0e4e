#include "store/sites.h"

#include "unit/store/fixture.h"

#include <string>
#include <vector>

#include "store/clients.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("find_sites: the sites of an origin, disabled ones too, byte by byte [GATE-2]") {
    auto database = test::empty_database();
    const auto put = [&](const char* id, const char* url, bool enabled = true) {
        model::Client site = client(id);
        site.enabled = enabled;
        site.site = model::Site{.url = url, .max_age = {}, .session_ttl = {}};
        written(database, store::insert_client, site);
        return site;
    };
    put("root", "https://x.example/");
    put("admin", "https://x.example/admin/");
    put("off", "https://x.example/off/", false);
    put("port", "https://x.example:8443/");
    put("longer", "https://x.example.org/");
    put("other", "http://x.example/");
    written(database, store::insert_client, client("application"));
    const auto sites = [&](const char* origin) {
        Names ids;
        for (const auto& each : store::find_sites(database, origin)) ids.push_back(each.id.str());
        return ids;
    };
    CHECK(sites("https://x.example") == Names{"root", "admin", "off"});
    CHECK(sites("https://x.example:8443") == Names{"port"});
    CHECK(sites("http://x.example") == Names{"other"});
    CHECK(sites("https://x.exampl").empty());
    CHECK(sites("https://X.example").empty());
    CHECK(sites("").empty());
    Names all;
    for (const auto& each : store::list_sites(database)) all.push_back(each.id.str());
    CHECK(all == Names{"admin", "longer", "off", "other", "port", "root"});
    CHECK(store::list_sites(database, {2}).size() == 2);
    CHECK(store::find_site(database, "https://x.example/off/") == ClientId("off"));
    CHECK_FALSE(store::find_site(database, "https://x.example/off"));
}

TEST_CASE("sites: a site moves to another URL, and two never have one [GATE-1]") {
    auto database = test::empty_database();
    model::Client site = client("site");
    site.site = model::Site{.url = "https://x.example/", .max_age = {}, .session_ttl = {}};
    written(database, store::insert_client, site);
    model::Client second = client("second");
    second.site = site.site;
    CHECK_THROWS_AS(written(database, store::insert_client, second), db::StoreError);
    site.site->url = "https://y.example/";
    CHECK(written(database, store::update_client, site));
    CHECK(store::find_sites(database, "https://x.example").empty());
    CHECK(store::find_sites(database, "https://y.example").size() == 1);
    written(database, store::remove_client, site.id);
    CHECK(store::find_sites(database, "https://y.example").empty());
}

TEST_CASE("sites: a site that this program does not know is no client [GATE-1]") {
    auto database = test::empty_database();
    written(database, store::insert_client, client("site"));
    for (const char* broken : {R"({"postern_site":1})", R"({"postern_site":{}})", R"({"postern_site":{"url":1}})",
                               R"({"postern_site":{"url":"https://x.example/","max_age":"1"}})",
                               R"({"postern_site":{"url":"https://x.example/","user_header":"uid"}})",
                               R"({"postern_site":{"url":"https://x.example/","bearer":1}})"}) {
        CAPTURE(broken);
        database.query("UPDATE clients SET details = $1", std::string(broken)).execute();
        CHECK_THROWS_AS(store::find_client(database, ClientId("site")), db::StoreError);
    }
}
