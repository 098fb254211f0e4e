// Transactions of a test.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "db/database.h"
#include "support/database.h"
#include "support/files.h"

namespace postern::test {

/// Runs `action(transaction)` and commits.
template <class Action>
auto written(db::Database& database, Action action) {
    db::Transaction transaction(database, db::Durability::lazy);
    if constexpr (std::is_void_v<decltype(action(transaction))>) {
        action(transaction);
        transaction.commit();
    } else {
        auto result = action(transaction);
        transaction.commit();
        return result;
    }
}

inline std::int64_t count(db::Database& database, const char* sql) {
    auto row = database.prepare(sql);
    return row.step() ? row.integer(0) : -1;
}

}  // namespace postern::test
