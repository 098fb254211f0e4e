// What a refresh token is good for, once (RFC 6749 §6, RFC 9700 §4.14).
#include "oauth/grant_refresh_token.h"

#include <doctest/doctest.h>

#include "oauth/access_token.h"
#include "oauth/refresh_token.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/users.h"
#include "unit/oauth/issued_tokens.h"

using namespace postern;

namespace {

struct Fixture : test::IssuedTokens {
    model::Grant grant = add_grant(app);
    std::string token = add_refresh(grant);
    std::string last_access;
    std::string last_refresh;

    oauth::Outcome<oauth::CheckedRefreshToken> check(const std::string& value, const model::Client& by,
                                                     const std::optional<std::string>& scope = std::nullopt) {
        return oauth::check_refresh_token(context, by, {value, scope, std::nullopt});
    }

    /// "" or the error; the new tokens are last_access and last_refresh.
    std::string redeem(const oauth::CheckedRefreshToken& checked) {
        const auto access = oauth::make_access_token(
            context, {checked.stored.grant, checked.scope, checked.target, checked.stored.username});
        const auto refresh = oauth::make_refresh_token(context, checked.stored.grant, checked.stored.token);
        const auto redeemed =
            oauth::redeem_refresh_token(context, checked, access.record, refresh.record, oauth::SessionNote::none);
        if (!redeemed) return std::string(oauth::wire_name(redeemed.error().code));
        last_access = access.value;
        last_refresh = refresh.value;
        return "";
    }
    std::string redeem(const std::string& value) {
        const auto checked = check(value, app);
        return checked ? redeem(*checked) : std::string(oauth::wire_name(checked.error().code));
    }

    bool is_active(const std::string& access) {
        const auto known = oauth::verify_access_token(context, access, jose::Expiry::ignored);
        const auto stored = known ? store::find_access_token(context.store, known->key) : std::nullopt;
        return stored && store::is_active(*stored, context.now());
    }
};

std::string error_of(const oauth::Outcome<oauth::CheckedRefreshToken>& checked) {
    return checked ? "" : std::string(oauth::wire_name(checked.error().code));
}

}  // namespace

TEST_CASE("check_refresh_token: what spoils a token, and nothing is changed by asking [F08, GROUP-6]") {
    struct Row {
        const char* when;
        void (*spoil)(Fixture&);
        const char* error;
    };
    // clang-format off
    const Row rows[] = {
        {"nothing", [](Fixture&) {}, ""},
        {"the value is cut", [](Fixture& f) { f.token.pop_back(); }, "invalid_grant"},
        {"the value is empty", [](Fixture& f) { f.token.clear(); }, "invalid_grant"},
        {"it is an access token", [](Fixture& f) { f.token = f.add_access(f.grant); }, "invalid_grant"},
        {"it is half of one", [](Fixture& f) { f.token.resize(f.token.size() / 2); }, "invalid_grant"},
        {"it is well signed and was never issued", [](Fixture& f) { f.token = f.sign(jose::TokenType::refresh_token, f.claims()); }, "invalid_grant"},
        {"it has an access token's claims, well signed", [](Fixture& f) { f.token = f.sign_again(f.add_access(f.grant), jose::TokenType::refresh_token, false); }, "invalid_grant"},
        {"it is signed by a stranger", [](Fixture& f) { f.token = f.sign_again(f.token, jose::TokenType::refresh_token, true); }, "invalid_grant"},
        {"a dot", [](Fixture& f) { f.token = "."; }, "invalid_grant"},
        {"not UTF-8", [](Fixture& f) { f.token = "\xff"; }, "invalid_grant"},
        {"it expires in a second", [](Fixture& f) { f.fixture.clock.advance(f.fixture.settings.refresh_token_ttl - util::Seconds{1}); }, ""},
        {"it has expired", [](Fixture& f) { f.fixture.clock.advance(f.fixture.settings.refresh_token_ttl); }, "invalid_grant"},
        {"its grant has ended", [](Fixture& f) { f.write([&](db::Transaction& t) { store::end_grant(t, f.grant.id, f.context.now()); }); }, "invalid_grant"},
        {"it is revoked", [](Fixture& f) { f.write([&](db::Transaction& t) { store::revoke_refresh_tokens(t, f.grant.id, f.context.now()); }); }, "invalid_grant"},
        {"the client is for others now", [](Fixture& f) { f.app.restricted = true; f.write([&](db::Transaction& t) { CHECK(store::update_client(t, f.app)); }); }, "invalid_grant"},
        {"the client is for this user among others", [](Fixture& f) { f.app.restricted = true; f.write([&](db::Transaction& t) { CHECK(store::update_client(t, f.app)); store::allow_user(t, f.app.id, f.alice.subject); }); }, ""},
        {"the user is disabled", [](Fixture& f) { f.alice.enabled = false; f.write([&](db::Transaction& t) { CHECK(store::update_user(t, f.alice)); }); }, "invalid_grant"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        row.spoil(f);
        CHECK(error_of(f.check(f.token, f.app)) == row.error);
        CHECK(error_of(f.check(f.token, f.app)) == row.error);
    }
}

TEST_CASE("check_refresh_token: without a scope it is what the client is still registered for") {
    Fixture f;
    f.app.scope = *model::Scope::parse("openid");
    const auto checked = f.check(f.token, f.app);
    REQUIRE(checked);
    CHECK(checked->scope == *model::Scope::parse("openid"));
}

TEST_CASE("redeem_refresh_token: of two that were checked together one rotates, the other is a retry or reuse") {
    struct Row {
        int grace;
        const char* second;
        bool lives;
    };
    for (const auto& row : {Row{10, "", true}, Row{0, "invalid_grant", false}}) {
        CAPTURE(row.grace);
        Fixture f;
        f.fixture.settings.refresh_reuse_grace = util::Seconds{row.grace};
        const auto one = f.check(f.token, f.app);
        const auto other = f.check(f.token, f.app);
        REQUIRE(f.redeem(*one) == "");
        const std::string first = f.last_access;
        CHECK(f.redeem(*other) == row.second);
        CHECK(f.is_active(first) == row.lives);
    }
}

TEST_CASE("redeem_refresh_token: a second use after the grace ends the grant, to the second") {
    struct Row {
        int wait;
        const char* second;
        bool lives;
    };
    for (const auto& row : {Row{9, "", true}, Row{11, "invalid_grant", false}, Row{86400, "invalid_grant", false}}) {
        CAPTURE(row.wait);
        Fixture f;
        REQUIRE(f.redeem(f.token) == "");
        const std::string access = f.last_access;
        const std::string successor = f.last_refresh;
        f.fixture.clock.advance(util::Seconds{row.wait});
        CHECK(f.redeem(f.token) == row.second);
        if (row.wait < 900) CHECK(f.is_active(access) == row.lives);
        CHECK(error_of(f.check(successor, f.app)) == (row.lives ? "" : "invalid_grant"));
    }
}

TEST_CASE(
    "check_refresh_token: a reused token ends the grant, whatever else is wrong with the request "
    "[RES-6, RFC 9700 §4.14.2]") {
    struct Row {
        const char* when;
        int wait;
        std::optional<std::string> scope;
        std::optional<std::string> resource;
        const char* error;
        bool lives;
    };
    const std::string issuer = "https://op.example";
    const Row rows[] = {
        {"a resource that no token may be for", 11, {}, issuer, "invalid_grant", false},
        {"a resource that was not granted", 11, {}, "https://other.example/", "invalid_grant", false},
        {"a scope that was not granted", 11, "openid profile", {}, "invalid_grant", false},
        {"the same while it may be a retry", 9, {}, issuer, "invalid_target", true},
        {"a scope while it may be a retry", 9, "openid profile", {}, "invalid_scope", true},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.grant = f.add_grant(f.app);
        f.grant.id = model::GrantId("with-resources");
        f.grant.resources = {"https://api.example/"};
        f.write([&](db::Transaction& transaction) { store::insert_grant(transaction, f.grant); });
        f.token = f.add_refresh(f.grant);
        const auto ask = [&](const std::string& value) {
            return error_of(oauth::check_refresh_token(f.context, f.app, {value, row.scope, row.resource}));
        };
        CHECK(ask(f.token) != "invalid_grant");  // the first use: nothing is spent
        REQUIRE(f.redeem(f.token) == "");
        const std::string access = f.last_access;
        const std::string successor = f.last_refresh;
        f.fixture.clock.advance(util::Seconds{row.wait});
        CHECK(ask(f.token) == row.error);
        CHECK(f.is_active(access) == row.lives);
        CHECK(error_of(f.check(successor, f.app)) == (row.lives ? "" : "invalid_grant"));
    }
}

TEST_CASE("redeem_refresh_token: once a successor was used, the parent is not a retry but reuse") {
    Fixture f;
    REQUIRE(f.redeem(f.token) == "");
    const std::string successor = f.last_refresh;
    REQUIRE(f.redeem(successor) == "");
    CHECK(f.redeem(f.token) == "invalid_grant");
}
