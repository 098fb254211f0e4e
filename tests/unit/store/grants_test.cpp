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
    written(database, [](db::Transaction& transaction) {
        store::insert_grant(transaction, grant());
        store::insert_code(transaction, code());
    });
}

db::Database with_code() {
    auto database = sample_database();
    add_grant_and_code(database);
    return database;
}

bool redeem(db::Database& database, Time now = kNow) {
    return written(database, [&](db::Transaction& transaction) { return store::redeem_code(transaction, kCode, now); });
}

void burn(db::Database& database, Time now = kNow) {
    written(database, [&](db::Transaction& transaction) { store::burn_code(transaction, kCode, now); });
}

void end(db::Database& database, Time now = kNow) {
    written(database, [&](db::Transaction& transaction) { store::end_grant(transaction, GrantId("grant"), now); });
}

}  // namespace

TEST_CASE("grants: one is kept until the last of what hangs on it expires, known from the start or not") {
    const auto kept_until = [](const std::function<void(db::Transaction&, const model::Grant&)>& insert) {
        auto database = sample_database();
        written(database, [&](db::Transaction& transaction) { insert(transaction, grant()); });
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
        return [until](db::Transaction& transaction, const model::Grant& grant) {
            store::insert_grant(transaction, grant, until);
            store::insert_code(transaction, code());
        };
    };
    const auto with_tokens = [](Seconds known_before_the_end) {
        return [=](db::Transaction& transaction, const model::Grant& grant) {
            const Time known = token().expires_at - known_before_the_end;
            store::insert_grant(transaction, grant, known);
            store::insert_access_token(transaction, token(), known);
            auto refresh = refresh_token_of("grant");
            refresh.expires_at = token().expires_at;
            store::insert_refresh_token(transaction, refresh, known);
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
    written(database, [&](db::Transaction& transaction) {
        store::insert_grant(transaction, grant());
        store::insert_code(transaction, code());
        store::insert_code(transaction, rich);
    });
    for (const auto& put : {code(), rich}) {
        const auto got = store::find_code(database, put.code_hash);
        REQUIRE(got);
        CHECK(got->code.code_hash == put.code_hash);
        CHECK(got->code.grant_id == put.grant_id);
        CHECK(got->code.redirect_uri == put.redirect_uri);
        CHECK(got->code.redirect_uri_sent == put.redirect_uri_sent);
        CHECK(got->code.nonce == put.nonce);
        CHECK(got->code.code_challenge == put.code_challenge);
        CHECK((got->code.max_age == put.max_age));
        CHECK(got->code.audience == put.audience);
        CHECK(got->code.expires_at == put.expires_at);
        CHECK_FALSE(got->code.redeemed_at);
        CHECK_FALSE(got->code.burned_at);
        CHECK(got->grant.id == grant().id);
        CHECK(got->grant.client_id == grant().client_id);
        CHECK(got->grant.subject == grant().subject);
        CHECK(got->grant.scope == grant().scope);
        CHECK(got->grant.auth_time == grant().auth_time);
        CHECK(got->grant.sid == grant().sid);
        CHECK(got->grant.created_at == grant().created_at);
        CHECK_FALSE(got->grant.ended_at);
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
        db::Transaction transaction(database, db::Durability::full);
        CHECK(store::redeem_code(transaction, kCode, kNow));
    }
    CHECK(redeem(database));
}

TEST_CASE("redeem_code: of processes that race for one code exactly one gets it [RFC 6749 §10.5]") {
    constexpr int kProcesses = 8;
    constexpr int kRounds = 20;
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    db::Database::create(path);
    {
        db::Database database(path, db::Access::read_write);
        add_client_and_user(database);
        written(database, [](db::Transaction& transaction) {
            store::insert_grant(transaction, grant());
            for (int i = 0; i < kRounds; ++i) store::insert_code(transaction, code("code" + std::to_string(i)));
        });
    }
    int start[2]{};
    REQUIRE(::pipe(start) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
        children.push_back(start_child([&] {
            ::close(start[1]);
            db::Database database(path, db::Access::read_write, std::chrono::seconds(20));
            char byte = 0;
            if (::read(start[0], &byte, 1) != 0) return 98;  // until all are there
            int won = 0;
            for (int round = 0; round < kRounds; ++round) {
                db::Transaction transaction(database, db::Durability::full);
                won += store::redeem_code(transaction, ValueHash("code" + std::to_string(round)), kNow);
                transaction.commit();
            }
            return won;
        }));
    }
    ::close(start[0]);
    ::close(start[1]);
    int won = 0;
    for (const pid_t child : children) {
        const int code = exit_code_of(child);
        CHECK(code <= kRounds);
        won += code;
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
    written(database, [](db::Transaction& transaction) {
        store::insert_grant(transaction, grant("second"));
        store::insert_code(transaction, code("second", "second"));
    });
    end(database, kNow + Seconds{1});
    end(database, kNow + Seconds{2});
    CHECK(store::find_code(database, kCode)->grant.ended_at == kNow + Seconds{1});
    CHECK_FALSE(store::find_code(database, ValueHash("second"))->grant.ended_at);
    written(database, [](db::Transaction& transaction) {
        CHECK(store::end_grant(transaction, GrantId("second"), kNow));
        CHECK_FALSE(store::end_grant(transaction, GrantId("second"), kNow));
        CHECK_FALSE(store::end_grant(transaction, GrantId("unknown"), kNow));
    });
}

TEST_CASE("grants: one that points nowhere is refused") {
    auto database = sample_database();
    const auto insert = [&](const model::Grant& bad) {
        written(database, [&](db::Transaction& transaction) { store::insert_grant(transaction, bad); });
    };
    auto bad = grant();
    bad.client_id = model::ClientId("nobody");
    CHECK_THROWS_AS(insert(bad), db::StoreError);
    CHECK_THROWS_AS(insert(grant("grant", "nobody")), db::StoreError);
    CHECK_THROWS_AS(written(database, [](db::Transaction& transaction) { store::insert_code(transaction, code()); }),
                    db::StoreError);
}
