#include "store/consents.h"

#include "support/rows.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::Subject;

namespace {

void approve(db::Database& database, const std::string& scope, Time when = kNow) {
    written(database, [&](auto& t) {
        store::save_consent(t, {ClientId("client"), Subject("sub-1"), *model::Scope::parse(scope), when});
    });
}

}  // namespace

TEST_CASE("consents: what was approved adds up, in the order of approval [OpenID Connect Core §3.1.2.4]") {
    auto database = sample_database();
    const auto find = [&] { return store::find_consent(database, ClientId("client"), Subject("sub-1")); };
    CHECK_FALSE(find());
    approve(database, "openid email");
    CHECK(find()->scope.to_string() == "openid email");
    approve(database, "profile openid", kNow + Seconds{5});
    CHECK(find()->scope.to_string() == "openid email profile");
    CHECK(find()->granted_at == kNow + Seconds{5});
    CHECK(find()->client_id == ClientId("client"));
    CHECK(find()->subject == Subject("sub-1"));
}

TEST_CASE("consents: the approval of nothing is an approval") {
    auto database = sample_database();
    approve(database, "");
    const auto consent = store::find_consent(database, ClientId("client"), Subject("sub-1"));
    REQUIRE(consent);
    CHECK(consent->scope.empty());
}

TEST_CASE("consents: one per user and client") {
    auto database = sample_database();
    approve(database, "openid");
    CHECK_FALSE(store::find_consent(database, ClientId("client2"), Subject("sub-1")));
    CHECK_FALSE(store::find_consent(database, ClientId("client"), Subject("sub-2")));
    CHECK_FALSE(store::find_consent(database, ClientId("sub-1"), Subject("client")));
}

TEST_CASE("consents: more words than one request may have add up and come back") {
    auto database = sample_database();
    for (int part = 0; part < 3; ++part) {
        std::string scope;
        for (int i = 0; i < 60; ++i) scope += (i ? " s" : "s") + std::to_string(part * 60 + i);
        approve(database, scope);
    }
    CHECK(store::find_consent(database, ClientId("client"), Subject("sub-1"))->scope.tokens().size() == 180);
}

TEST_CASE("consents: what was approved for an API adds up for that one alone [RES-5]") {
    auto database = sample_database();
    const auto approve_for = [&](model::ResourceScopes resources) {
        written(database, [&](auto& t) {
            store::save_consent(t, {ClientId("client"), Subject("sub-1"), {}, kNow, {}, std::move(resources)});
            return true;
        });
    };
    const auto words = [](const char* text) { return *model::Scope::parse(text); };
    approve_for({{"https://a.example/", words("openid read")}});
    approve_for({{"https://a.example/", words("write")}, {"https://b.example/", {}}});
    approve(database, "profile");
    const auto consent = store::find_consent(database, ClientId("client"), Subject("sub-1"));
    REQUIRE(consent);
    CHECK(consent->scope == words("profile"));
    CHECK(consent->resources ==
          model::ResourceScopes{{"https://a.example/", words("openid read write")}, {"https://b.example/", {}}});
}

TEST_CASE("list_consents: the oldest first, of one client, one user or both") {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_client(t, client("other"));
        store::insert_user(t, user("sub-2", "bob"));
        const auto give = [&](const char* to, const char* from, int when) {
            store::save_consent(t, {ClientId(to),
                                    Subject(from),
                                    *model::Scope::parse("openid email"),
                                    kNow + Seconds{when},
                                    {"phone_number", "name"}});
        };
        give("other", "sub-1", 1);
        give("client", "sub-1", 3);
        give("client", "sub-2", 2);
    });
    const auto listed = [&](std::optional<ClientId> client, std::optional<Subject> subject) {
        std::string text;
        for (const auto& each : store::list_consents(database, client, subject))
            text += each.consent.client_id.str() + "/" + each.username + " ";
        return text;
    };
    CHECK(listed({}, {}) == "other/alice client/bob client/alice ");
    CHECK(listed(ClientId("client"), {}) == "client/bob client/alice ");
    CHECK(listed({}, Subject("sub-1")) == "other/alice client/alice ");
    CHECK(listed(ClientId("client"), Subject("sub-2")) == "client/bob ");
    CHECK(listed(ClientId("other"), Subject("sub-2")) == "");
    CHECK(listed(ClientId(""), {}) == "");
    const auto one = test::all_of(store::list_consents(database, ClientId("other"), {})).front().consent;
    CHECK(one.subject == Subject("sub-1"));
    CHECK(one.scope.to_string() == "openid email");
    CHECK(one.granted_at == kNow + Seconds{1});
    CHECK((one.claims == model::ClaimNames{"name", "phone_number"}));
}
