// When a transaction is run again, and when a queued statement runs and throws.
#include "db/write.h"

#include <string>
#include <vector>

#include "unit/db/fixture.h"

using namespace postern;
using db::StoreConflict;
using test::count;

namespace {

using Kind = StoreConflict::Kind;

constexpr std::chrono::seconds kLong{60};

/// What comes of an action that meets these conflicts, one a run, and succeeds then.
struct Run {
    int runs = 0;
    std::string outcome;
};
Run run(const std::vector<Kind>& conflicts, std::chrono::milliseconds wait = kLong) {
    auto database = db::Database::in_memory();
    Run done;
    try {
        done.outcome = db::write(database, db::Durability::lazy, wait, [&](auto& t) {
            const auto at = static_cast<std::size_t>(done.runs++);
            t.run("INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 2)", std::to_string(at));
            if (at < conflicts.size()) throw StoreConflict("in the way", conflicts[at]);
            t.commit();
            return std::string("done");
        });
    } catch (const StoreConflict&) {
        done.outcome = "StoreConflict";
    } catch (const db::StoreBusy&) {
        done.outcome = "StoreBusy";
    } catch (const db::StoreError&) {
        done.outcome = "StoreError";
    }
    auto rows = database.prepare("SELECT count(*) FROM login_attempts");
    REQUIRE(rows.step());
    CHECK(rows.integer(0) == (done.outcome == "done" ? 1 : 0));  // of the last run alone
    return done;
}

std::vector<Kind> transient(std::size_t count) { return std::vector<Kind>(count, Kind::transient); }

constexpr const char* kCount =
    "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, $2, 2)"
    " ON CONFLICT (attempt_key) DO UPDATE SET failures = excluded.failures";
constexpr const char* kForget = "DELETE FROM login_attempts WHERE attempt_key = $1";
constexpr const char* kKnow = "UPDATE login_attempts SET ends_at = $2 WHERE attempt_key = $1";
constexpr std::optional<std::int64_t> kRefused;  // the column has no NULL

void commit(db::Database& database, auto action) {
    db::Transaction t(database, db::Durability::full);
    action(t);
    t.commit();
}

}  // namespace

TEST_CASE("write: how often an action is run, and what the caller learns") {
    struct Row {
        const char* when;
        std::vector<Kind> conflicts;
        std::chrono::milliseconds wait;
        int runs;
        const char* outcome;
    };
    const Row rows[] = {
        {"nothing is in the way", {}, kLong, 1, "done"},
        {"one conflict", transient(1), kLong, 2, "done"},
        {"as many as are borne", transient(8), kLong, 9, "done"},
        {"one more", transient(9), kLong, 9, "StoreBusy"},
        {"no time is left", transient(1), std::chrono::milliseconds(0), 1, "StoreBusy"},
        {"a row was missing or there already", {Kind::constraint}, kLong, 2, "done"},
        {"it is so again", {Kind::constraint, Kind::constraint}, kLong, 2, "StoreError"},
        {"it is so after another conflict", {Kind::transient, Kind::constraint}, kLong, 3, "done"},
        {"another conflict comes after it", {Kind::constraint, Kind::transient}, kLong, 3, "done"},
        {"it is so again later", {Kind::constraint, Kind::transient, Kind::constraint}, kLong, 3, "StoreError"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Run done = run(row.conflicts, row.wait);
        CHECK(done.runs == row.runs);
        CHECK(done.outcome == row.outcome);
    }
}

TEST_CASE("write: another error reaches the caller after one run") {
    auto database = db::Database::in_memory();
    int runs = 0;
    CHECK_THROWS_AS(db::write(database, db::Durability::lazy,
                              [&](auto&) {
                                  ++runs;
                                  throw db::StoreUnsynced("the sync failed");
                              }),
                    db::StoreUnsynced);
    CHECK(runs == 1);
}

TEST_CASE("queue: the next statement sees what was queued, in its order") {
    auto database = test::empty_database();
    commit(database, [&](auto& t) {
        t.queue(kCount, "a", 1);
        t.queue(kCount, "b", 1);
        t.queue(kForget, "a");
        CHECK(count(database, "SELECT count(*) FROM login_attempts") == 1);
        t.queue(kCount, "c", 1);
        CHECK(t.run(kForget, "c") == 1);
        t.queue(kCount, "d", 1);
    });
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == 2);
}

TEST_CASE("queue: without a commit nothing is written") {
    auto database = test::empty_database();
    {
        db::Transaction t(database, db::Durability::full);
        t.queue(kCount, "a", 1);
    }
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == 0);
}

TEST_CASE(
    "queue: an error is thrown by the commit at the latest, nothing is written, and each statement works afterwards") {
    auto database = test::empty_database();
    const auto fail = [&](auto& t) {
        t.queue(kCount, "a", 1);
        t.queue(kCount, "b", kRefused);
        t.queue(kKnow, "a", 3);  // its first use, behind the error
    };
    CHECK_THROWS_AS(commit(database, fail), db::StoreError);
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == 0);

    const auto fail_before_a_read = [&](auto& t) {
        fail(t);
        count(database, "SELECT count(*) FROM login_attempts");
    };
    CHECK_THROWS_AS(commit(database, fail_before_a_read), db::StoreError);
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == 0);

    commit(database, [](auto& t) {
        t.queue(kCount, "a", 1);
        CHECK(t.run(kKnow, "a", 3) == 1);
    });
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == 1);
}

TEST_CASE("queue: many statements are one step") {
    constexpr int kMany = 20000;
    auto database = test::empty_database();
    commit(database, [](auto& t) {
        for (int i = 0; i < kMany; ++i) t.queue(kCount, "key " + std::to_string(i), 1);
    });
    CHECK(count(database, "SELECT count(*) FROM login_attempts") == kMany);
}
