// When does a queued statement run, and where is its error thrown?
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "db/database.h"
#include "support/database.h"

using namespace postern;

namespace {

constexpr const char* kCount =
    "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, $2, 2)"
    " ON CONFLICT (attempt_key) DO UPDATE SET failures = excluded.failures";
constexpr const char* kForget = "DELETE FROM login_attempts WHERE attempt_key = $1";
constexpr const char* kKnow = "UPDATE login_attempts SET ends_at = $2 WHERE attempt_key = $1";
constexpr std::optional<std::int64_t> kRefused;  // the column has no NULL

std::int64_t count_rows(db::Database& database) {
    auto row = database.prepare("SELECT count(*) FROM login_attempts");
    return row.step() ? row.integer(0) : -1;
}

void commit(db::Database& database, auto action) {
    db::Transaction transaction(database, db::Durability::full);
    action(transaction);
    transaction.commit();
}

}  // namespace

TEST_CASE("queue: the next statement sees what was queued, in its order") {
    auto database = test::empty_database();
    commit(database, [&](db::Transaction& transaction) {
        transaction.queue(kCount, "a", 1);
        transaction.queue(kCount, "b", 1);
        transaction.queue(kForget, "a");
        CHECK(count_rows(database) == 1);
        transaction.queue(kCount, "c", 1);
        CHECK(transaction.run(kForget, "c") == 1);
        transaction.queue(kCount, "d", 1);
    });
    CHECK(count_rows(database) == 2);
}

TEST_CASE("queue: without a commit nothing is written") {
    auto database = test::empty_database();
    {
        db::Transaction transaction(database, db::Durability::full);
        transaction.queue(kCount, "a", 1);
    }
    CHECK(count_rows(database) == 0);
}

TEST_CASE(
    "queue: an error is thrown by the commit at the latest, nothing is written, and each statement works afterwards") {
    auto database = test::empty_database();
    const auto fail = [&](db::Transaction& transaction) {
        transaction.queue(kCount, "a", 1);
        transaction.queue(kCount, "b", kRefused);
        transaction.queue(kKnow, "a", 3);  // its first use, behind the error
    };
    CHECK_THROWS_AS(commit(database, fail), db::StoreError);
    CHECK(count_rows(database) == 0);

    const auto fail_before_a_read = [&](db::Transaction& transaction) {
        fail(transaction);
        count_rows(database);
    };
    CHECK_THROWS_AS(commit(database, fail_before_a_read), db::StoreError);
    CHECK(count_rows(database) == 0);

    commit(database, [](db::Transaction& transaction) {
        transaction.queue(kCount, "a", 1);
        CHECK(transaction.run(kKnow, "a", 3) == 1);
    });
    CHECK(count_rows(database) == 1);
}

TEST_CASE("queue: many statements are one step") {
    constexpr int kMany = 20000;
    auto database = test::empty_database();
    commit(database, [](db::Transaction& transaction) {
        for (int i = 0; i < kMany; ++i) transaction.queue(kCount, "key " + std::to_string(i), 1);
    });
    CHECK(count_rows(database) == kMany);
}
