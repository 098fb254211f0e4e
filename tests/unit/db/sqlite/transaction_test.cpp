#include <sqlite3.h>

#include <stdexcept>

#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;
using db::Durability;
using db::Snapshot;
using db::Transaction;

namespace {

constexpr std::chrono::milliseconds kShort{30};
constexpr char kInsert[] = "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)";
constexpr char kCount[] = "SELECT count(*) FROM login_attempts";

void insert(Transaction& t, const char* key) { t.run(kInsert, key); }

}  // namespace

TEST_CASE("Transaction: what is not committed was never written") {
    auto database = Database::in_memory();
    {
        Transaction t(database, Durability::lazy);
        insert(t, "a");
        CHECK(count(database, kCount) == 1);
    }
    CHECK(count(database, kCount) == 0);
    CHECK_THROWS_AS(written(database,
                            [](auto& t) {
                                insert(t, "a");
                                throw std::runtime_error("x");
                            }),
                    std::runtime_error);
    CHECK(count(database, kCount) == 0);
    written(database, [](auto& t) { insert(t, "a"); });
    CHECK(count(database, kCount) == 1);
}

TEST_CASE("Transaction: SQLite does not sync a commit, and never goes without its syncs of checkpoints") {
    const TemporaryDirectory directory;
    Database::create(directory / "postern.db");
    constexpr int kNormal = 1;
    for (const auto access : {Access::read_write, Access::query_only}) {
        Database database(directory / "postern.db", access);
        CHECK(count(database, "PRAGMA synchronous") == kNormal);
    }
    Database database(directory / "postern.db", Access::read_write);
    for (const auto durability : {Durability::full, Durability::lazy}) {
        Transaction t(database, durability);
        insert(t, durability == Durability::full ? "a" : "b");
        CHECK(count(database, "PRAGMA synchronous") == kNormal);
        t.commit();
        CHECK(count(database, "PRAGMA synchronous") == kNormal);
    }
}

TEST_CASE(
    "Transaction: a second writer waits for its bounded time, then throws StoreBusy; the write lock is free again after it [S02]") {
    const DatabaseFile file;
    Database first(file.path, Access::read_write, kShort);
    Database second(file.path, Access::read_write, kShort);
    {
        const Transaction holds(first, Durability::lazy);
        CHECK_THROWS_AS(Transaction(second, Durability::lazy), db::StoreBusy);
        CHECK(count(second, kCount) == 0);  // readers do not wait
    }
    written(second, [](auto& t) { insert(t, "rollback freed it"); });
    written(first, [](auto& t) { insert(t, "commit freed it"); });
    CHECK(count(second, kCount) == 2);
}

TEST_CASE("Transaction: a writer that ignores the write lock makes it busy, not broken [S03]") {
    const DatabaseFile file;
    sqlite3* shell = nullptr;
    REQUIRE(sqlite3_open(file.path.c_str(), &shell) == SQLITE_OK);
    REQUIRE(sqlite3_exec(shell, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
    {
        Database database(file.path, Access::read_write, kShort);
        Database other(file.path, Access::read_write, kShort);
        CHECK_THROWS_AS(Transaction(database, Durability::full), db::StoreBusy);
        REQUIRE(sqlite3_exec(shell, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
        written(other, [](auto& t) { insert(t, "a"); });  // the write lock was given back
        CHECK(count(database, "PRAGMA busy_timeout") == kShort.count());
    }
    sqlite3_close(shell);
}

TEST_CASE("Transaction: one at a time on a connection, and one commit") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write, kShort);
    Database other(file.path, Access::read_write, kShort);
    Transaction t(database, Durability::lazy);
    CHECK_THROWS_AS(Transaction(database, Durability::lazy), db::StoreError);
    CHECK_THROWS_AS(Transaction(other, Durability::lazy), db::StoreBusy);  // the refusal did not open the write lock
    insert(t, "a");
    t.commit();
    CHECK_THROWS_AS(t.commit(), db::StoreError);
    CHECK(count(other, kCount) == 1);
}

TEST_CASE("Transaction: a commit that SQLite refuses has written nothing [S14]") {
    auto database = Database::in_memory();
    {
        Transaction t(database, Durability::full);
        insert(t, "a");
        // A row that points nowhere, noticed at the end only.
        database.prepare("PRAGMA defer_foreign_keys = ON").step();
        database.prepare("INSERT INTO client_secrets (client_id, hash) VALUES ('nobody', 'x')").execute();
        CHECK_THROWS_AS(t.commit(), db::StoreError);
    }
    CHECK(count(database, kCount) == 0);
    CHECK(count(database, "SELECT count(*) FROM client_secrets") == 0);
}

TEST_CASE("Snapshot: several reads see one moment, while writers go on") {
    const DatabaseFile file;
    Database reader(file.path, Access::query_only);
    Database writer(file.path, Access::read_write, kShort);
    {
        const Snapshot snapshot(reader);
        CHECK(count(reader, kCount) == 0);
        written(writer, [](auto& t) { insert(t, "a"); });
        CHECK(count(reader, kCount) == 0);
        const Snapshot nested(reader);
        CHECK(count(reader, kCount) == 0);
    }
    CHECK(count(reader, kCount) == 1);
}

TEST_CASE("Snapshot: inside a transaction it changes nothing") {
    auto database = Database::in_memory();
    written(database, [](auto& t) {
        insert(t, "a");
        { const Snapshot snapshot(t.database()); }
        insert(t, "b");
    });
    CHECK(count(database, kCount) == 2);
}
