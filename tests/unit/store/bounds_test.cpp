// What one user, or all strangers together, can have stored, and what it costs the others: statements and steps of the
// engine, not time (docs/decisions/0099).
#include "store/bounds.h"

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <vector>

#include "db/sqlite/connection.h"
#include "store/authorization_requests.h"
#include "store/login_attempts.h"
#include "store/remembered_devices.h"
#include "store/sessions.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::Sid;
using model::Subject;
using model::ValueHash;

namespace {

const Subject kUser("sub-1");
constexpr std::int64_t kMany = 20000;

/// Runs an INSERT with the numbers from 1 to `rows` as i.
void fill(db::Database& database, const std::string& insert, std::int64_t rows = kMany) {
    constexpr std::int64_t kAtOnce = 5000;  // a server answers in time, also on a busy machine
    const std::string sql = "WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) " + insert;
    static std::list<std::string> texts;  // statements are kept by their address
    const char* text = texts.emplace_back(sql).c_str();
    for (std::int64_t first = 1; first <= rows; first += kAtOnce)
        database.query(text, first, std::min(first + kAtOnce - 1, rows)).execute();
}

constexpr const char* kSessions =
    "INSERT INTO sessions (cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at)"
    " SELECT 'cookie ' || i, 'sid ' || i, 'sub-1', 1, 1000000, 1000000 + i, 2000000 FROM n";
constexpr const char* kRequests =
    "INSERT INTO authorization_requests (request_key, subject, logged_in, decision, used, expires_at)"
    " SELECT 'request ' || i, 'sub-1', 0, 'unset', 1, 2000000 FROM n";
constexpr const char* kGrants =
    "INSERT INTO grants (id, client_id, subject, scope, auth_time, sid, created_at, kept_until)"
    " SELECT 'grant ' || (1000000 + i), 'client', 'sub-1', 'openid', 1, 'sid ' || i, 1000000, 2000000 FROM n";
/// So that the next one looks for those beyond the bound; kNumberOnce: the one behind it.
constexpr const char* kNumber = "UPDATE grants SET number = 15 WHERE id = 'grant 1000001'";
constexpr const char* kNumberOnce = "UPDATE grants SET number = 16 WHERE id = 'grant 1000001'";
constexpr const char* kDevices =
    "INSERT INTO remembered_devices (token_hash, id, subject, stamp, agent, created_at, last_used_at, expires_at)"
    " SELECT 'device ' || i, 'id ' || i, 'sub-1', 0, '', 1, i, 2000000 FROM n";
constexpr const char* kPlaces =
    "INSERT INTO login_attempts (attempt_key, failures, ends_at) SELECT 'known:a:' || i, 0, 1000000 + i FROM n";

model::Session session(const char* name) {
    model::Session session;
    session.cookie_hash = ValueHash(name);
    session.sid = Sid(name);
    session.subject = kUser;
    session.created_at = session.last_seen_at = kNow;
    session.expires_at = kNow + Seconds{1000000};
    return session;
}

store::RememberedDevice device(const char* name) {
    store::RememberedDevice device;
    device.token_hash = ValueHash(name);
    device.id = name;
    device.subject = kUser;
    device.expires_at = kNow + Seconds{1000000};
    return device;
}

/// One approval of the user: the client gets a grant.
void approve(db::Transaction& t, const std::string& id) {
    store::insert_grant(t, grant(id), kNow + Seconds{1000000});
    store::end_surplus_grants(t, grant(id), kNow);
}

/// One login of a user.
void begin(db::Transaction& t) {
    store::insert_session(t, session("begun"));
    store::end_surplus_sessions(t, session("begun"), {});
}

struct Work {
    int runs = 0;            ///< of statements
    std::int64_t steps = 0;  ///< of SQLite's virtual machine
};

/// What `action` costs on SQLite; nothing is measured on a server, whose plans plans_test.cpp reads.
template <class Action>
Work measure(db::Database& database, Action action) {
    Work work;
    const auto count = [&](bool counts) {
        sqlite3* handle = db::sqlite_of(database).handle();
        for (sqlite3_stmt* each = nullptr; (each = sqlite3_next_stmt(handle, each)) != nullptr;) {
            const int runs = sqlite3_stmt_status(each, SQLITE_STMTSTATUS_RUN, 1);
            const int steps = sqlite3_stmt_status(each, SQLITE_STMTSTATUS_VM_STEP, 1);
            if (!counts) continue;
            work.runs += runs;
            work.steps += steps;
        }
    };
    if (!is_on_postgresql()) count(false);
    written(database, action);
    if (!is_on_postgresql()) count(true);
    return work;
}

}  // namespace

TEST_CASE("a user with 20,000 rows of a kind costs a few statements, and no step for each pair of rows [Q10]") {
    struct Row {
        const char* what;
        std::vector<const char*> rows;
        std::function<void(db::Transaction&)> run;
        int runs;            ///< of statements, BEGIN and COMMIT with them
        std::int64_t steps;  ///< at most, for each row: 1.3 times what was measured; 0: 215 for any number of rows
    };
    const Row rows[] = {
        {"a login", {kSessions}, begin, 4, 20},
        {"sign out everywhere else",
         {kSessions},
         [](auto& t) { store::end_sessions(t, kUser, kNow, {}, Sid("sid 1")); },
         5,
         66},
        {"sign out everywhere else, with a grant for each",
         {kSessions, kGrants},
         [](auto& t) { store::end_sessions(t, kUser, kNow, {}, Sid("sid 1")); },
         5,
         180},
        {"sign out one", {kSessions}, [](auto& t) { store::end_session(t, kUser, Sid("sid 7"), kNow, {}); }, 5, 0},
        {"sign out", {kSessions}, [](auto& t) { store::remove_session(t, session("sid 7"), kNow, {}); }, 3, 0},
        {"open requests", {kRequests}, [](auto& t) { store::end_open_requests(t, kUser); }, 3, 0},
        {"the page of devices",
         {kSessions},
         [](auto& t) {
             store::sessions_of(t.database(), kUser, {kNow, kNow}, {.rows = store::kShownSessions});
         },
         3,
         30},
        {"an approval", {kGrants, kNumberOnce}, [](auto& t) { approve(t, "new"); }, 4, 0},
        {"an approval that looks", {kGrants, kNumber}, [](auto& t) { approve(t, "new"); }, 4, 5},
        {"a device that is remembered", {kDevices}, [](auto& t) { store::remember_device(t, device("new")); }, 4, 20},
        {"a place that is known", {kPlaces}, [](auto& t) { store::remember_place(t, "known:a:new", kNow); }, 4, 17},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        auto database = sample_database();
        for (const std::string each : row.rows) {
            if (each.starts_with("INSERT"))
                fill(database, each);
            else
                database.prepare(each.c_str()).execute();
        }
        const Work work = measure(database, row.run);
        CHECK(work.runs <= row.runs);
        CHECK(work.steps <= (row.steps == 0 ? 215 : row.steps * kMany));
    }
}

TEST_CASE("a user has no more rows than the bound of each kind, and 20,000 of an earlier release go in time [Q10]") {
    struct Row {
        const char* what;
        const char* rows;
        std::function<void(db::Transaction&)> run;
        const char* count;
        std::int64_t bound;
        std::int64_t made = 1;  ///< by one run
    };
    const Row rows[] = {
        {"sessions", kSessions,
         [](auto& t) {
             store::delete_session_row(t, ValueHash("begun"));
             begin(t);
         },
         "SELECT count(*) FROM sessions", store::kMaxSessions},
        {"grants to a client", kGrants,
         [](auto& t) {
             static int i = 0;
             for (int left = store::kGrantsAtOnce; left > 0; --left) approve(t, "new " + std::to_string(++i));
         },
         "SELECT count(*) FROM grants WHERE ended_at IS NULL", store::kMaxGrantsToClient - store::kGrantsAtOnce + 1,
         store::kGrantsAtOnce},
        {"remembered devices", kDevices,
         [](auto& t) {
             store::forget_device(t, ValueHash("new"));
             store::remember_device(t, device("new"));
         },
         "SELECT count(*) FROM remembered_devices", store::kMaxRememberedDevices},
        {"known places", kPlaces, [](auto& t) { store::remember_place(t, "known:a:new", kNow); },
         "SELECT count(*) FROM login_attempts", store::kMaxKnownPlaces},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        auto database = sample_database();
        fill(database, row.rows);
        std::int64_t before = kMany;
        written(database, row.run);
        CHECK(count(database, row.count) <= before + row.made - store::kSurplusBatch);
        CHECK(count(database, row.count) >= before - store::kSurplusBatch);  // a batch, not all under one lock
        for (int i = 0; i < kMany / store::kSurplusBatch; ++i) written(database, row.run);
        CHECK(count(database, row.count) == row.bound);
    }
}

TEST_CASE("a login beyond the bound ends the session that was used least recently, never itself [Q10]") {
    auto database = sample_database();
    fill(database, kSessions, store::kMaxSessions);
    written(database, [](auto& t) {
        store::touch_session(t, ValueHash("cookie 1"), kNow + Seconds{1000});
        store::insert_user(t, user("sub-2", "bob"));
        auto bobs = session("of bob");
        bobs.subject = Subject("sub-2");
        store::insert_session(t, bobs);
    });
    // Its clock is behind: it looks older than all others.
    auto begun = session("begun");
    begun.last_seen_at = kNow - Seconds{1000};
    written(database, [&](auto& t) {
        store::insert_session(t, begun);
        store::end_surplus_sessions(t, begun, {});
    });
    CHECK(count(database, "SELECT count(*) FROM sessions WHERE subject = 'sub-1'") == store::kMaxSessions);
    const auto is_there = [&](const char* cookie) {
        return store::find_session(database, ValueHash(cookie), {kNow, kNow - Seconds{2000}}).has_value();
    };
    CHECK(is_there("begun"));
    CHECK(is_there("cookie 1"));
    CHECK_FALSE(is_there("cookie 2"));
    CHECK(is_there("cookie 3"));
    CHECK(is_there("of bob"));
    // What was given in it goes on, as after a session that has expired.
    CHECK(count(database, "SELECT count(*) FROM grants WHERE ended_at IS NOT NULL") == 0);
}

TEST_CASE("an approval beyond the bound ends the user's oldest grants to this client, and no other's [Q10]") {
    auto database = sample_database();
    const auto make = [&](const std::string& id) { written(database, [&](auto& t) { approve(t, id); }); };
    written(database, [](auto& t) {
        store::insert_client(t, client("other"));
        store::insert_user(t, user("sub-2", "bob"));
        store::insert_grant(t, grant("bob's", "sub-2"), kNow);
        auto elsewhere = grant("elsewhere");
        elsewhere.client_id = model::ClientId("other");
        store::insert_grant(t, elsewhere, kNow);
        auto of_no_user = grant("of no user", "");
        store::insert_grant(t, of_no_user, kNow);
    });
    const auto has_ended = [&](const std::string& id) {
        return store::find_grant(database, model::GrantId(id))->ended_at.has_value();
    };
    // The clock of this machine was set back, then forward: ids that are made later are smaller, then larger.
    const auto name = [](int i) { return "grant " + std::to_string(i < 300 ? 9000 - i : 9000 + i); };
    std::int64_t most = 0;
    for (int i = 1; i <= 600; ++i) {
        make(name(i));
        CHECK_FALSE(has_ended(name(i)));
        most = std::max(most, count(database,
                                    "SELECT count(*) FROM grants WHERE ended_at IS NULL AND subject = 'sub-1'"
                                    " AND client_id = 'client'"));
    }
    CHECK(most == store::kMaxGrantsToClient);
    int oldest = 600;
    while (oldest > 1 && !has_ended(name(oldest - 1))) --oldest;
    CHECK(600 - oldest + 1 == count(database,
                                    "SELECT count(*) FROM grants WHERE ended_at IS NULL AND subject = 'sub-1'"
                                    " AND client_id = 'client'"));  // the latest ones are left, without a gap
    for (const char* id : {"bob's", "elsewhere", "of no user"}) CHECK_FALSE(has_ended(id));
}

TEST_CASE("100,000 counters of one purpose delete none of another [Q05, Q10]") {
    const std::array<const char*, 5> purposes = {"pair:", "user:", "address:", "mail-address:", "mail-name:"};
    auto database = empty_database();
    for (const char* purpose : purposes)
        fill(database,
             "INSERT INTO login_attempts (attempt_key, failures, ends_at) SELECT '" + std::string(purpose) +
                 "flood ' || i, 1, 3000000 FROM n WHERE '" + purpose + "' = 'mail-name:' OR i <= 3",
             store::kMaxAttemptRows);
    // Each ends before all of the flood, so that it is the oldest.
    const auto fail = [&](const std::string& key) {
        return written(database, [&](auto& t) { return store::count_failures(t, {key}, kNow, Seconds{60}).failures; });
    };
    for (const char* purpose : purposes) CHECK(fail(std::string(purpose) + "owner") == 1);
    CHECK(written(database, [](auto& t) {
        return store::count_uses(t, {{"mail-name:another", 1, Seconds{4000000}}}, kNow);
    }));
    for (const char* purpose : purposes) {
        CAPTURE(purpose);
        CHECK(fail(std::string(purpose) + "owner") == (purpose == std::string("mail-name:") ? 1 : 2));
    }
    CHECK(count(database, "SELECT count(*) FROM login_attempts WHERE attempt_key LIKE 'mail-name:%'") <=
          store::kMaxAttemptRows);
}
