#include "store/grants.h"

#include <functional>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::GrantId;
using model::ValueHash;

namespace {

const ValueHash kCode("code");

void add_grant_and_code(db::Database& database) {
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        store::insert_code(t, code());
    });
}

db::Database with_code() {
    auto database = sample_database();
    add_grant_and_code(database);
    return database;
}

bool redeem(db::Database& database, Time now = kNow) { return written(database, store::redeem_code, kCode, now); }

void burn(db::Database& database, Time now = kNow) { written(database, store::burn_code, kCode, now); }

void end(db::Database& database, Time now = kNow) { written(database, store::end_grant, GrantId("grant"), now); }

}  // namespace

TEST_CASE("grants: one is kept until the last of what hangs on it expires, known from the start or not") {
    const auto kept_until = [](const std::function<void(db::Transaction&, const model::Grant&)>& insert) {
        auto database = sample_database();
        written(database, [&](auto& t) { insert(t, grant()); });
        return count(database, "SELECT kept_until FROM grants");
    };
    const auto expiry = util::to_epoch(code().expires_at);
    const auto created = util::to_epoch(grant().created_at);
    REQUIRE(created < expiry);
    struct Row {
        const char* when;
        std::function<void(db::Transaction&, const model::Grant&)> insert;
        std::int64_t until;
    };
    const auto with_code = [](Time until) {
        return [until](auto& t, const model::Grant& grant) {
            store::insert_grant(t, grant, until);
            store::insert_code(t, code());
        };
    };
    const auto with_tokens = [](Seconds known_before_the_end) {
        return [=](auto& t, const model::Grant& grant) {
            const Time known = token().expires_at - known_before_the_end;
            store::insert_grant(t, grant, known);
            store::insert_access_token(t, token(), known);
            auto refresh = refresh_token_of("grant");
            refresh.expires_at = token().expires_at;
            store::insert_refresh_token(t, refresh, known);
        };
    };
    const auto token_expiry = util::to_epoch(token().expires_at);
    const Row rows[] = {
        {"tokens outlive what is known", with_tokens(Seconds{1}), token_expiry},
        {"tokens live as long as is known", with_tokens(Seconds{0}), token_expiry},
        {"tokens end before", with_tokens(Seconds{-1}), token_expiry + 1},
        {"nothing is known, and nothing comes", [](auto& t, const auto& grant) { store::insert_grant(t, grant); },
         created},
        {"what is said is earlier than the grant",
         [](auto& t, const auto& grant) { store::insert_grant(t, grant, grant.created_at - Seconds{1}); }, created},
        {"nothing is said of what comes", with_code({}), expiry},
        {"what comes is said", with_code(code().expires_at), expiry},
        {"less is said than comes", with_code(code().expires_at - Seconds{1}), expiry},
        {"more is said than comes", with_code(code().expires_at + Seconds{1}), expiry + 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(kept_until(row.insert) == row.until);
    }
}

TEST_CASE("codes: what they are bound to comes back as it was put in [IF33, RFC 6749 §4.1.2, RFC 7636 §4.4a]") {
    auto database = sample_database();
    auto rich = code("rich");
    rich.redirect_uri_sent = false;
    rich.nonce = "n-'\"";
    rich.code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    rich.max_age = Seconds{0};
    rich.audience = "https://api.example/";
    written(database, [&](auto& t) {
        store::insert_grant(t, grant());
        store::insert_code(t, code());
        store::insert_code(t, rich);
    });
    for (const auto& put : {code(), rich}) {
        const auto got = store::find_code(database, put.code_hash);
        REQUIRE(got);
        CHECK(got->code == put);
        CHECK(got->grant == grant());
    }
    CHECK_FALSE(store::find_code(database, ValueHash("Code")));
    CHECK_FALSE(store::find_code(database, ValueHash("")));
}

TEST_CASE("redeem_code: true once; the second time finds out when the first was [RFC 6749 §4.1.2d]") {
    auto database = with_code();
    CHECK(redeem(database, kNow + Seconds{1}));
    CHECK_FALSE(redeem(database, kNow + Seconds{2}));
    CHECK(store::find_code(database, kCode)->code.redeemed_at == kNow + Seconds{1});
}

TEST_CASE("redeem_code: false for what cannot be redeemed") {
    struct Row {
        const char* when;
        void (*before)(db::Database&);
    };
    const Row rows[] = {
        {"burned", [](db::Database& database) { burn(database); }},
        {"its grant has ended", [](db::Database& database) { end(database); }},
        {"unknown", [](db::Database& database) { database.prepare("DELETE FROM authorization_codes").execute(); }},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        auto database = with_code();
        row.before(database);
        CHECK_FALSE(redeem(database));
        const auto stored = store::find_code(database, kCode);
        CHECK_FALSE((stored && stored->code.redeemed_at));
    }
}

TEST_CASE("redeem_code: a redemption that was rolled back is none") {
    auto database = with_code();
    {
        db::Transaction t(database, db::Durability::full);
        CHECK(store::redeem_code(t, kCode, kNow));
    }
    CHECK(redeem(database));
}

TEST_CASE("redeem_code: of processes that race for one code exactly one gets it [RFC 6749 §10.5]") {
    constexpr int kProcesses = 8;
    constexpr int kRounds = 20;
    const DatabaseFile file;
    {
        db::Database database(file.path, db::Access::read_write);
        add_client_and_user(database);
        written(database, [](auto& t) {
            store::insert_grant(t, grant());
            for (int i = 0; i < kRounds; ++i) store::insert_code(t, code("code" + std::to_string(i)));
        });
    }
    int won = 0;
    for (const int each : race(file.path, kProcesses, [](db::Database& database) {
             int mine = 0;
             for (int round = 0; round < kRounds; ++round)
                 mine += written(database, store::redeem_code, ValueHash("code" + std::to_string(round)), kNow);
             return mine;
         })) {
        CHECK(each <= kRounds);
        won += each;
    }
    CHECK(won == kRounds);
}

TEST_CASE("burn_code: spends a code without a token, and leaves a redeemed one as it is") {
    auto database = with_code();
    burn(database, kNow + Seconds{1});
    burn(database, kNow + Seconds{2});
    CHECK(store::find_code(database, kCode)->code.burned_at == kNow + Seconds{1});

    auto other = with_code();
    redeem(other);
    burn(other);
    CHECK_FALSE(store::find_code(other, kCode)->code.burned_at);
    CHECK(store::find_code(other, kCode)->code.redeemed_at == kNow);
}

TEST_CASE("end_grant: once, and only this one") {
    auto database = with_code();
    written(database, [](auto& t) {
        store::insert_grant(t, grant("second"));
        store::insert_code(t, code("second", "second"));
    });
    end(database, kNow + Seconds{1});
    end(database, kNow + Seconds{2});
    CHECK(store::find_code(database, kCode)->grant.ended_at == kNow + Seconds{1});
    CHECK_FALSE(store::find_code(database, ValueHash("second"))->grant.ended_at);
    written(database, [](auto& t) {
        CHECK(store::end_grant(t, GrantId("second"), kNow));
        CHECK_FALSE(store::end_grant(t, GrantId("second"), kNow));
        CHECK_FALSE(store::end_grant(t, GrantId("unknown"), kNow));
    });
}

TEST_CASE("grants: one that points nowhere is refused") {
    auto database = sample_database();
    const auto insert = [&](const model::Grant& bad) {
        written(database, [&](auto& t) { store::insert_grant(t, bad); });
    };
    auto bad = grant();
    bad.client_id = model::ClientId("nobody");
    CHECK_THROWS_AS(insert(bad), db::StoreError);
    CHECK_THROWS_AS(insert(grant("grant", "nobody")), db::StoreError);
    CHECK_THROWS_AS(written(database, store::insert_code, code()), db::StoreError);
}
