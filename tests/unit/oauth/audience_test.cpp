// Audiences a client may name, and those it may not (RFC 8707 §2, RFC 9068 §5).
#include "oauth/audience.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;

TEST_CASE("check_audience: never this server, never a client that takes ID tokens") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    fixture.add_confidential("web", "https://web.example/cb", "s");
    model::Client api = fixture.add_confidential("api", "https://api.example/cb", "s");
    {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        api.grants = {model::GrantType::client_credentials};
        REQUIRE(store::update_client(transaction, api));
        transaction.commit();
    }
    for (const char* refused :
         {"https://op.example", "https://op.example/", "https://op.example/token", "https://op.example/userinfo",
          "HTTPS://OP.example:443/token", "https://op.example?x", "web"}) {
        CAPTURE(refused);
        CHECK_FALSE(oauth::check_audience(context, refused));
    }
    for (const char* accepted : {"https://api.example", "api", "https://op.example.evil", "unknown", "WEB"}) {
        CAPTURE(accepted);
        CHECK(oauth::check_audience(context, accepted));
    }
}
