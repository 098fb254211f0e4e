// The way to write: an action under a transaction, which a database engine may have run again.
#pragma once

#include <chrono>
#include <utility>

#include "db/database.h"

namespace postern::db {

/// Runs `action(transaction)`, which commits, and returns what it returns. Without a commit nothing is written.
/// An engine that lets writers run side by side may end one and have its action run again, so an action sets nothing
/// outside of itself but what it sets completely each time; audit lines are written after `write` has returned.
/// Throws what the action and `Transaction` throw.
template <class Action>
auto write(Database& database, Durability durability, Action&& action) {
    Transaction transaction(database, durability);
    return std::forward<Action>(action)(transaction);
}

/// The same with another wait for the write lock than the database's.
template <class Action>
auto write(Database& database, Durability durability, std::chrono::milliseconds wait, Action&& action) {
    Transaction transaction(database, durability, wait);
    return std::forward<Action>(action)(transaction);
}

}  // namespace postern::db
