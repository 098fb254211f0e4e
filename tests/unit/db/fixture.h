// Databases and transactions of a test.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "db/database.h"
#include "support/database.h"
#include "support/files.h"

namespace postern::test {

/// Runs `action(transaction, arguments...)` and commits.
template <class Action, class... Arguments>
auto written(db::Database& database, Action action, Arguments&&... arguments) {
    db::Transaction transaction(database, db::Durability::lazy);
    if constexpr (std::is_void_v<decltype(action(transaction, arguments...))>) {
        action(transaction, arguments...);
        transaction.commit();
    } else {
        auto result = action(transaction, arguments...);
        transaction.commit();
        return result;
    }
}

/// A new database in a directory of its own.
struct DatabaseFile {
    DatabaseFile() { db::Database::create(path); }
    TemporaryDirectory directory;
    std::string path = directory / "postern.db";
};

inline std::int64_t count(db::Database& database, const char* sql) {
    auto row = database.prepare(sql);
    return row.step() ? row.integer(0) : -1;
}

}  // namespace postern::test
