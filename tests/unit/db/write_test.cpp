// When is a transaction run again?
#include "db/write.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace postern;
using db::StoreConflict;

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
        done.outcome = db::write(database, db::Durability::lazy, wait, [&](db::Transaction& transaction) {
            const auto at = static_cast<std::size_t>(done.runs++);
            transaction.run("INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 2)",
                            std::to_string(at));
            if (at < conflicts.size()) throw StoreConflict("in the way", conflicts[at]);
            transaction.commit();
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
                              [&](db::Transaction&) {
                                  ++runs;
                                  throw db::StoreUnsynced("the sync failed");
                              }),
                    db::StoreUnsynced);
    CHECK(runs == 1);
}
