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
          "HTTPS://OP.example:443/token", "https://op.example?x", "https://op.example:0443/token",
          "https://OP.ex%61mple./token", "https://user@op.example/", " https://op.example#x",
          "https://op.example/x/../token", "https://op.example//token", "https://op.example:443/%74oken", "web"}) {
        CAPTURE(refused);
        CHECK_FALSE(oauth::check_audience(context, refused));
    }
    for (const char* accepted : {"https://api.example", "api", "https://op.example.evil", "https://op.example:8443/",
                                 "http://op.example/", "https://xop.example/", "unknown", "WEB"}) {
        CAPTURE(accepted);
        CHECK(oauth::check_audience(context, accepted));
    }
}

TEST_CASE("is_this_server: what lies below an issuer with a path, and what lies beside it") {
    const std::string issuer = "https://op.example/as";
    for (const char* own : {"https://op.example/as", "https://op.example/as/", "https://op.example/as/token",
                            "https://op.example/./as", "https://op.example/x/../as", "https://op.example/%61s",
                            "https://op.example/as%2ftoken", "https://op.example./as?x#y"}) {
        CAPTURE(own);
        CHECK(oauth::is_this_server(issuer, own));
    }
    for (const char* beside : {"https://op.example/", "https://op.example/asx", "https://op.example/mcp", "as"}) {
        CAPTURE(beside);
        CHECK_FALSE(oauth::is_this_server(issuer, beside));
    }
}
