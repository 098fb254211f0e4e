#include "store/sweep.h"

#include "store/authorization_requests.h"
#include "store/fetched.h"
#include "store/mail_requests.h"
#include "store/sessions.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ValueHash;

namespace {

void sweep(db::Database& database, Time now, int batch = 20) {
    written(database, [&](auto& t) { store::sweep(t, now, batch); });
}

/// A code, and the token it was redeemed for.
db::Database with_redeemed_code() {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        store::insert_code(t, code());
        store::redeem_code(t, code().code_hash, kNow);
        store::insert_access_token(t, token());
    });
    return database;
}

bool has_code(db::Database& database) { return store::find_code(database, code().code_hash).has_value(); }
bool has_token(db::Database& database) { return find_token(database, token().token_hash.str()).has_value(); }

}  // namespace

TEST_CASE("may_sweep: on a file, and as the owner of the tables on a server") {
    auto database = sample_database();
    CHECK(store::may_sweep(database));
}

TEST_CASE(
    "sweep: a spent code stays while a token of its grant lives, so that a replay is recognised [RFC 6749 §4.1.2, T02, "
    "S16]") {
    auto database = with_redeemed_code();
    sweep(database, code().expires_at + Seconds{100});
    CHECK(has_code(database));
    CHECK(has_token(database));
    sweep(database, token().expires_at - Seconds{1});
    CHECK(has_code(database));
    sweep(database, token().expires_at);
    CHECK_FALSE(has_code(database));
    CHECK_FALSE(has_token(database));
    CHECK(count(database, "SELECT count(*) FROM grants") == 0);
}

TEST_CASE("sweep: a younger token keeps its grant and all that hangs on it") {
    auto database = with_redeemed_code();
    auto younger = token("younger");
    younger.expires_at = token().expires_at + Seconds{900};
    written(database, [&](auto& t) { store::insert_access_token(t, younger); });
    sweep(database, token().expires_at);
    CHECK(has_token(database));
    CHECK(has_code(database));
    CHECK(find_token(database, younger.token_hash.str()));
}

TEST_CASE("sweep: an older token does not shorten what a younger one keeps") {
    auto database = with_redeemed_code();
    auto older = token("older");
    older.expires_at = kNow + Seconds{1};
    written(database, [&](auto& t) { store::insert_access_token(t, older); });
    sweep(database, kNow + Seconds{1});
    CHECK(has_token(database));
    CHECK(has_code(database));
}

TEST_CASE("sweep: a code that was not redeemed, or was burned, goes when it expires") {
    for (const bool burned : {false, true}) {
        auto database = sample_database();
        written(database, [&](auto& t) {
            store::insert_grant(t, grant());
            store::insert_code(t, code());
            if (burned) store::burn_code(t, code().code_hash, kNow);
        });
        sweep(database, code().expires_at - Seconds{1});
        CHECK(has_code(database));
        sweep(database, code().expires_at);
        CHECK_FALSE(has_code(database));
        CHECK(count(database, "SELECT count(*) FROM grants") == 0);
    }
}

TEST_CASE("sweep: an ended grant goes with its codes and tokens, nothing under it can be asked for") {
    auto database = with_redeemed_code();
    written(database, store::end_grant, grant().id, kNow);
    CHECK(has_code(database));
    sweep(database, kNow);
    CHECK_FALSE(has_code(database));
    CHECK_FALSE(has_token(database));
}

TEST_CASE("sweep: what lives stays, what has expired goes, at the very second") {
    auto database = sample_database();
    const Time end = kNow + Seconds{50};
    model::Session session;
    session.cookie_hash = ValueHash("cookie");
    session.subject = user().subject;
    session.last_seen_at = kNow;
    session.expires_at = end;
    written(database, [&](auto& t) {
        store::insert_session(t, session);
        store::record_login(t, model::RequestKey("request"), session.subject, end);
        store::replace_client_secret(t, client().id, ValueHash("old"), std::nullopt, kNow);
        store::replace_client_secret(t, client().id, ValueHash("new"), end, kNow);
    });
    database.query("INSERT INTO login_attempts VALUES ('key', 1, $1)", util::to_epoch(end)).execute();
    database.query("INSERT INTO fetch_limits VALUES ('key', 1, $1)", util::to_epoch(end)).execute();
    database
        .query(
            "INSERT INTO mail_requests VALUES ('given up', 'notice', NULL, NULL, '', 'en', 1, 1, 5, $1),"
            " ('waits', 'notice', NULL, NULL, '', 'en', 1, 1, 5, NULL)",
            util::to_epoch(end - store::kFailedMailRetention))
        .execute();
    database
        .query("INSERT INTO fetched VALUES ('digest', '', '', 1, 1, $1)",
               util::to_epoch(end - store::kFetchedRetention))
        .execute();
    database
        .prepare("INSERT INTO consents (client_id, subject, scope, granted_at) VALUES ('client', 'sub-1', 'openid', 1)")
        .execute();
    struct Row {
        const char* sql;
        int before;
        int after;
    };
    const Row rows[] = {
        {"SELECT count(*) FROM sessions", 1, 0},       {"SELECT count(*) FROM authorization_requests", 1, 0},
        {"SELECT count(*) FROM client_secrets", 2, 1}, {"SELECT count(*) FROM login_attempts", 1, 0},
        {"SELECT count(*) FROM consents", 1, 1},       {"SELECT count(*) FROM clients", 1, 1},
        {"SELECT count(*) FROM users", 1, 1},          {"SELECT count(*) FROM fetched", 1, 0},
        {"SELECT count(*) FROM fetch_limits", 1, 0},   {"SELECT count(*) FROM mail_requests", 2, 1},
    };
    sweep(database, end - Seconds{1});
    for (const auto& row : rows) CHECK_MESSAGE(count(database, row.sql) == row.before, row.sql);
    sweep(database, end);
    for (const auto& row : rows) CHECK_MESSAGE(count(database, row.sql) == row.after, row.sql);
}

TEST_CASE("sweep: at most a batch of each table, the oldest first [S16]") {
    auto database = sample_database();
    written(database, [](auto& t) {
        for (int i = 0; i < 10; ++i) {
            const auto name = std::to_string(i);
            store::insert_grant(t, grant(name));
            auto each = code(name, name);
            each.expires_at = kNow + Seconds{100 - i};
            store::insert_code(t, each);
        }
    });
    sweep(database, kNow + Seconds{1000}, 3);
    CHECK(count(database, "SELECT count(*) FROM authorization_codes") == 7);
    CHECK_FALSE(store::find_code(database, ValueHash("9")));
    CHECK(store::find_code(database, ValueHash("0")));
}

TEST_CASE("sweep: takes away twice what 16 requests can make, so that a busy server's file stays flat") {
    auto database = sample_database();
    constexpr int kRequests = 16;  // as many as there are between two sweeps on average, each with one row of each kind
    for (int round = 0; round < 2; ++round) {
        written(database, [&](auto& t) {
            for (int i = 0; i < kRequests; ++i) {
                const auto name = std::to_string(round * kRequests + i);
                store::insert_grant(t, grant(name));
                store::insert_code(t, code(name, name));
            }
        });
    }
    written(database, [](auto& t) { store::sweep(t, kNow + Seconds{100000}); });
    CHECK(count(database, "SELECT count(*) FROM grants") == 0);
    CHECK(count(database, "SELECT count(*) FROM authorization_codes") == 0);
}

TEST_CASE(
    "sweep: rotated refresh tokens stay while their grant lives, so that a stolen one is recognised [RFC 9700 §4.14.2, "
    "F02]") {
    auto database = with_redeemed_code();
    const auto first = refresh_token_of("grant");
    auto second = first;
    second.token_hash = ValueHash("second");
    second.parent_hash = first.token_hash;
    written(database, [&](auto& t) {
        store::insert_refresh_token(t, first);
        rotate(t, first.token_hash.str(), kNow, Seconds{0}, "second");
        store::insert_refresh_token(t, second);
    });
    sweep(database, first.expires_at - Seconds{1});
    CHECK(find_refresh(database, first.token_hash.str()));
    CHECK(has_code(database));
    sweep(database, first.expires_at);
    CHECK(count(database, "SELECT count(*) FROM refresh_tokens") == 0);
    CHECK(count(database, "SELECT count(*) FROM grants") == 0);
}

TEST_CASE("sweep: a grant with thousands of refresh tokens goes a batch at a time, and last [S16]") {
    auto database = sample_database();
    constexpr int kTokens = 25;
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        for (int i = 0; i < kTokens; ++i) {
            auto each = refresh_token_of("grant");
            each.token_hash = ValueHash(std::to_string(i));
            store::insert_refresh_token(t, each);
        }
        store::end_grant(t, grant().id, kNow);
    });
    int left = kTokens;
    while (left > 10) {
        sweep(database, kNow, 10);
        left -= 10;
        CHECK(count(database, "SELECT count(*) FROM refresh_tokens") == left);
        CHECK(count(database, "SELECT count(*) FROM grants") == 1);
    }
    sweep(database, kNow, 10);
    CHECK(count(database, "SELECT count(*) FROM refresh_tokens") == 0);
    CHECK(count(database, "SELECT count(*) FROM grants") == 0);
}

TEST_CASE("sweep: says what it deleted, which is what was to be deleted before") {
    auto database = with_redeemed_code();
    auto expired = token("expired");
    expired.expires_at = kNow + Seconds{1};
    written(database, [&](auto& t) {
        store::insert_access_token(t, expired);
        store::insert_refresh_token(t, refresh_token_of("grant"));
        store::insert_grant(t, grant("living"));
        store::insert_access_token(t, token("living", "living"));
        store::end_grant(t, grant().id, kNow);
    });
    store::RowCounts nothing;
    for (const char* table : {"access_tokens",
                              "activity",
                              "authorization_codes",
                              "authorization_requests",
                              "client_secrets",
                              "clients",
                              "device_codes",
                              "grants",
                              "fetched",
                              "fetch_limits",
                              "links",
                              "login_attempts",
                              "logout_outbox",
                              "mail_requests",
                              "refresh_tokens",
                              "registration_tokens",
                              "remembered_devices",
                              "session_clients",
                              "sessions",
                              "spent_challenges"})
        nothing[table] = 0;
    if (is_on_postgresql()) nothing["replays"] = 0;  // in files of their own otherwise
    auto expected = nothing;
    expected["access_tokens"] = 2;
    for (const char* table : {"authorization_codes", "grants", "refresh_tokens"}) expected[table] = 1;
    const auto deleted = [&] { return written(database, [](auto& t) { return store::sweep(t, kNow + Seconds{1}); }); };
    CHECK((store::count_sweepable(database, kNow + Seconds{1}) == expected));
    CHECK((deleted() == expected));
    CHECK((store::count_sweepable(database, kNow + Seconds{1}) == nothing));
    CHECK((deleted() == nothing));
    CHECK(count(database, "SELECT count(*) FROM access_tokens") == 1);
}

TEST_CASE(
    "sweep: a client of a document goes when it is unused and its grants are gone, another never "
    "[CIMD-10, REG-20, REG-30, A31]") {
    struct Row {
        const char* when;
        std::optional<Time> removable_at;
        bool has_grant;
        bool goes;
    };
    const Row rows[] = {
        {"a client of the operator", {}, false, false},
        {"due", kNow, false, true},
        {"due in a second", kNow + Seconds{1}, false, false},
        {"due, with a grant", kNow, true, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        auto database = sample_database();
        auto described = client("described");
        described.removable_at = row.removable_at;
        written(database, [&](auto& t) {
            store::insert_client(t, described);
            auto of_it = grant("of it");
            of_it.client_id = described.id;
            if (row.has_grant) store::insert_grant(t, of_it, kNow + Seconds{60});
        });
        CHECK(store::count_sweepable(database, kNow)["clients"] == (row.goes ? 1 : 0));
        sweep(database, kNow);
        CHECK(store::is_client(database, described.id) != row.goes);
        CHECK(store::is_client(database, model::ClientId("client")));
    }
}
