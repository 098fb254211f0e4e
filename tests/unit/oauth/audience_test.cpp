// Audiences a client may name, and those it may not (RFC 8707 §2, RFC 9068 §5).
#include "oauth/audience.h"

#include <doctest/doctest.h>

#include "store/clients.h"
#include "support/rules_fixture.h"

using namespace postern;

TEST_CASE("parse_audience: one value, by either name, in query or body [IF40]") {
    struct Row {
        const char* query;
        const char* form;
        bool accepted;
        std::optional<std::string> value;
    };
    const Row rows[] = {
        {"", "", true, std::nullopt},
        {"", "aud=", true, std::nullopt},
        {"", "aud=https://api.example", true, "https://api.example"},
        {"", "audience=https://api.example", true, "https://api.example"},
        {"aud=https://api.example", "", true, "https://api.example"},
        {"aud=a", "audience=a", true, "a"},
        {"", "aud=a&audience=b", false, {}},
        {"aud=a", "aud=b", false, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.query);
        CAPTURE(row.form);
        const auto audience = oauth::parse_audience(test::params(row.query), test::params(row.form));
        CHECK(bool(audience) == row.accepted);
        if (audience) CHECK(*audience == row.value);
        if (!audience) CHECK(audience.error().code == oauth::ErrorCode::invalid_target);
    }
}

TEST_CASE("parse_audience: bounded, since it travels in every token") {
    for (const std::size_t size : {oauth::kMaxAudienceBytes, oauth::kMaxAudienceBytes + 1}) {
        const auto audience = oauth::parse_audience(test::params("aud=" + std::string(size, 'a')));
        CHECK(bool(audience) == (size == oauth::kMaxAudienceBytes));
        if (!audience) CHECK(audience.error().code == oauth::ErrorCode::invalid_request);
    }
}

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
    for (const char* refused : {"https://op.example", "https://op.example/", "https://op.example/token",
                                "https://op.example/userinfo", "web"}) {
        CAPTURE(refused);
        CHECK_FALSE(oauth::check_audience(context, refused));
    }
    for (const char* accepted : {"https://api.example", "api", "https://op.example.evil", "unknown", "WEB"}) {
        CAPTURE(accepted);
        CHECK(oauth::check_audience(context, accepted));
    }
}
