#include "store/consents.h"

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::Subject;

namespace {

void approve(store::Database& database, const std::string& scope, Time when = kNow) {
    written(database, [&](store::Transaction& transaction) {
        store::save_consent(transaction, {ClientId("client"), Subject("sub-1"), *model::Scope::parse(scope), when});
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
