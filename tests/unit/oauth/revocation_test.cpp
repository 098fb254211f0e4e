// What ends when a client gives back a token or a code (RFC 7009; the transitions of the interface specification).
#include "oauth/revocation.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "issued_tokens.h"

using namespace postern;

namespace {

using Hint = oauth::TokenTypeHint;
using Caller = std::optional<model::ClientId>;

/// One grant with everything that may hang on it, and a second grant of the same user and client.
struct Holder : test::IssuedTokens {
    model::Grant grant = add_grant(app);
    std::string access = add_access(grant);
    std::string sibling = add_access(grant);
    std::string refresh = add_refresh(grant);
    std::string next_refresh = add_refresh(grant);
    std::string code = add_code(grant);
    model::Grant bystander = add_grant(app);
    std::string bystander_access = add_access(bystander);
    std::string bystander_refresh = add_refresh(bystander);

    std::string revoke(const Caller& caller, const std::string& value, Hint hint = Hint::none) {
        return std::string(oauth::revoke(context, caller, {value, hint}));
    }

    bool access_lives(const std::string& value) {
        const auto known = oauth::verify_access_token(context, value, jose::Expiry::ignored);
        const auto stored = known ? store::find_access_token(context.store, known->key) : std::nullopt;
        return stored && store::is_active(*stored, context.now());
    }
    bool refresh_lives(const std::string& value) {
        const auto known = oauth::find_refresh_token(context, value, jose::Expiry::ignored);
        return known && store::is_active(known->stored, context.now());
    }
    bool code_lives() {
        const auto stored = store::find_code(fixture.database, oauth::hash_of(code));
        return stored && !stored->code.redeemed_at && !stored->code.burned_at && !stored->grant.ended_at;
    }

    /// A letter for each thing that is alive: access, sibling, refresh, next refresh, code, bystanders.
    std::string alive() {
        std::string letters;
        if (access_lives(access)) letters += 'a';
        if (access_lives(sibling)) letters += 's';
        if (refresh_lives(refresh)) letters += 'r';
        if (refresh_lives(next_refresh)) letters += 'n';
        if (code_lives()) letters += 'c';
        if (access_lives(bystander_access) && refresh_lives(bystander_refresh)) letters += 'b';
        return letters;
    }

    store::Rotation rotate(const std::string& value, util::Seconds grace = util::Seconds{0}) {
        const auto known = oauth::find_refresh_token(context, value, jose::Expiry::ignored);
        db::Transaction transaction(context.store, db::Durability::lazy);
        const auto rotation = store::rotate_refresh_token(transaction, known->stored.token, model::ValueHash("next"),
                                                          context.now(), grace);
        transaction.commit();
        return rotation;
    }
};

constexpr const char* kAll = "asrncb";

}  // namespace

TEST_CASE(
    "revocation: what ends with each kind of token, under any hint, and what stays valid [IF137, RFC 7009 §2a, §2.1cl]") {
    struct Row {
        const char* when;
        std::string Holder::*value;
        std::vector<Hint> hints;
        const char* alive;
    };
    const std::vector<Hint> advice = {Hint::none, Hint::access_token, Hint::refresh_token};
    const std::vector<Row> rows = {
        {"access token", &Holder::access, advice, "scb"},
        {"another access token", &Holder::sibling, advice, "acb"},
        {"refresh token", &Holder::refresh, advice, "b"},
        {"code by hint", &Holder::code, {Hint::auth_code}, "asrnb"},
        {"code without it", &Holder::code, advice, kAll},
        {"access token as a code", &Holder::access, {Hint::auth_code}, kAll},
        {"refresh token as a code", &Holder::refresh, {Hint::auth_code}, kAll},
    };
    for (const bool opaque : {false, true}) {
        for (const Row& row : rows) {
            for (const Hint hint : row.hints) {
                CAPTURE(opaque);
                CAPTURE(row.when);
                CAPTURE(static_cast<int>(hint));
                Holder holder;
                holder.fixture.settings.use_opaque_refresh_tokens = opaque;
                holder.refresh = holder.add_refresh(holder.grant);
                REQUIRE(holder.alive() == kAll);
                const std::string done = holder.revoke(holder.app.id, holder.*row.value, hint);
                CHECK(holder.alive() == row.alive);
                CHECK(done.starts_with("nothing") == (row.alive == std::string(kAll)));
                holder.revoke(holder.app.id, holder.*row.value, hint);  // and once more
                CHECK(holder.alive() == row.alive);
            }
        }
    }
}

TEST_CASE(
    "revocation: nothing ends that belongs to another client, is forged or of another kind [V01, V02, V03, RFC 7009 "
    "§2.1g]") {
    Holder holder;
    const auto forged = [](std::string value) {
        value[value.size() - 10] = value[value.size() - 10] == 'A' ? 'B' : 'A';
        return value;
    };
    const std::string jti = holder.grant.id.str() + ".x";
    json::Object own_claims = holder.claims("jti", jti);
    own_claims.set("cid", "app");
    const std::string id_token = holder.sign(jose::TokenType::id_token, own_claims);
    struct Row {
        const char* when;
        Caller caller;
        std::string value;
        Hint hint = Hint::none;
    };
    const std::vector<Row> rows = {
        {"another client's access token", holder.other.id, holder.access},
        {"another client's refresh token", holder.other.id, holder.refresh},
        {"another client's code", holder.other.id, holder.code, Hint::auth_code},
        {"a public client with it", holder.spa.id, holder.refresh},
        {"forged access token", holder.app.id, forged(holder.access)},
        {"forged refresh token", holder.app.id, forged(holder.refresh)},
        {"forged, authentication off", std::nullopt, forged(holder.access)},
        {"forged refresh token, authentication off", std::nullopt, forged(holder.refresh)},
        {"unsigned, authentication off", std::nullopt, holder.access.substr(0, holder.access.rfind('.') + 1)},
        {"an ID token that names the grant", holder.app.id, id_token},
        {"an ID token, authentication off", std::nullopt, id_token},
        {"unknown", holder.app.id, "unknown"},
        {"unknown code", holder.app.id, "unknown", Hint::auth_code},
        {"malformed", holder.app.id, "a.b.c"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(holder.revoke(row.caller, row.value, row.hint).starts_with("nothing"));
        CHECK(holder.alive() == kAll);
    }
    CHECK(oauth::revoke(holder.context, holder.app.id, {}).starts_with("nothing"));
    CHECK(oauth::revoke(holder.context, holder.app.id, {std::nullopt, Hint::auth_code}).starts_with("nothing"));
}

TEST_CASE("revocation: without authentication the holder of a token may revoke it [IF12, authenticateRevoke false]") {
    struct Row {
        std::string Holder::*value;
        Hint hint;
        const char* alive;
    };
    for (const Row& row : {Row{&Holder::access, Hint::none, "scb"},
                           {&Holder::refresh, Hint::none, "b"},
                           {&Holder::code, Hint::auth_code, "asrnb"}}) {
        Holder holder;
        holder.revoke(std::nullopt, holder.*row.value, row.hint);
        CHECK(holder.alive() == row.alive);
    }
}

TEST_CASE("revocation: a refresh token ends its grant in every state it may be in [RFC 7009 §2.1k]") {
    Holder used;
    REQUIRE(used.rotate(used.refresh) == store::Rotation::rotated);
    REQUIRE(used.alive() == "asncb");
    used.revoke(used.app.id, used.refresh);
    CHECK(used.alive() == "b");

    Holder revoked;
    revoked.revoke(revoked.app.id, revoked.access);
    revoked.revoke(revoked.app.id, revoked.refresh);
    CHECK(revoked.alive() == "b");

    Holder expired;
    expired.fixture.clock.advance(expired.fixture.settings.refresh_token_ttl);
    const std::string late = expired.add_access(expired.grant);  // the last refresh was a moment before
    REQUIRE(expired.access_lives(late));
    expired.revoke(expired.app.id, expired.refresh);
    CHECK_FALSE(expired.access_lives(late));
}

TEST_CASE(
    "revocation: without a row the signed client and the grant's client must be one and the caller [V02, RFC 7009 "
    "§2.1m]") {
    struct Row {
        const char* when;
        const char* cid;
        bool own_grant;
        Caller caller;
        bool ends;
    };
    const Caller app(model::ClientId("app"));
    const Caller other(model::ClientId("other"));
    for (const Row& row : {Row{"all agree", "app", true, app, true},
                           {"another client signed for", "other", true, app, false},
                           {"and asking", "other", true, other, false},
                           {"another client asking", "app", true, other, false},
                           {"no such grant", "app", false, app, false},
                           {"nobody asked who", "other", true, {}, false},
                           {"nobody asked who, all agree", "app", true, {}, true}}) {
        CAPTURE(row.when);
        Holder holder;
        const std::string grant = row.own_grant ? holder.grant.id.str() : "nothing";
        json::Object claims = holder.claims("jti", grant + ".random");
        claims.set("cid", row.cid);
        const std::string done = holder.revoke(row.caller, holder.sign(jose::TokenType::access_token, claims));
        CHECK(done.starts_with("nothing") != row.ends);
        CHECK(holder.alive() == (row.ends ? "ascb" : kAll));
    }
    Holder holder;
    json::Object numeric = holder.claims("jti", 1);
    numeric.set("cid", "app");
    holder.revoke(app, holder.sign(jose::TokenType::access_token, numeric));
    CHECK(holder.alive() == kAll);
}

TEST_CASE(
    "revocation: a refresh that comes after it finds its token revoked, and does not count as reuse [V10, RFC 7009 §2.1n]") {
    for (const bool by_refresh_token : {true, false}) {
        CAPTURE(by_refresh_token);
        Holder holder;
        holder.revoke(holder.app.id, by_refresh_token ? holder.refresh : holder.access);
        CHECK(holder.rotate(holder.next_refresh, util::Seconds{10}) == store::Rotation::refused);
    }
}
