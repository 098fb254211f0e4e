// When what reads in one snapshot is run again.
#include "db/read.h"

#include <functional>

#include "unit/db/fixture.h"

using namespace postern;
using db::StoreConflict;

namespace {

constexpr const char* kCount = "SELECT count(*) FROM login_attempts";
constexpr const char* kAdd = "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 2)";

/// Reads, and loses its connection in as many of the first runs.
struct Reading {
    db::Database& database;
    int conflicts;
    int runs = 0;

    std::int64_t operator()() {
        const std::int64_t found = test::count(database, kCount);
        if (++runs <= conflicts) throw StoreConflict("the connection was lost", StoreConflict::Kind::transient);
        return found;
    }
};

}  // namespace

TEST_CASE("read: everything is of one moment, and a run after a conflict is of a later one") {
    const test::DatabaseFile file;
    db::Database reader(file.path, db::Access::query_only);
    db::Database writer(file.path, db::Access::read_write);
    int runs = 0;
    const auto found = db::read(reader, [&] {
        const auto before = test::count(reader, kCount);
        test::written(writer, [&](auto& t) { t.run(kAdd, std::to_string(runs)); });
        CHECK(test::count(reader, kCount) == before);
        if (++runs == 1) throw StoreConflict("the connection was lost", StoreConflict::Kind::transient);
        return before;
    });
    CHECK(runs == 2);
    CHECK(found == 1);
}

TEST_CASE("read: how often it runs, and what the caller learns") {
    const test::DatabaseFile file;
    db::Database database(file.path, db::Access::read_write);
    Reading lost_once{database, 1};
    CHECK(db::read(database, std::ref(lost_once)) == 0);
    CHECK(lost_once.runs == 2);

    Reading lost_for_good{database, 1000};
    CHECK_THROWS_AS(db::read(database, std::ref(lost_for_good)), db::StoreBusy);
    CHECK(lost_for_good.runs == 9);
}

TEST_CASE("read: inside another snapshot, or a transaction, it runs once") {
    const test::DatabaseFile file;
    db::Database database(file.path, db::Access::read_write);
    Reading inner{database, 1};
    int outer = 0;
    CHECK(db::read(database, [&] {
              ++outer;
              return db::read(database, std::ref(inner));
          }) == 0);
    CHECK(outer == 2);

    Reading in_transaction{database, 1};
    const db::Transaction transaction(database, db::Durability::lazy);
    CHECK_THROWS_AS(db::read(database, std::ref(in_transaction)), StoreConflict);
    CHECK(in_transaction.runs == 1);
}
