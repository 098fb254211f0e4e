// The way to write: an action under a transaction, which a database engine may have run again.
#pragma once

#include <chrono>
#include <utility>

#include "db/database.h"
#include "db/error.h"

namespace postern::db {

/// Decides how often a transaction that met a StoreConflict is run again: 8 times, or once more where a row was missing
/// or there already, and for `wait` in all.
class Retries {
public:
    explicit Retries(std::chrono::milliseconds wait) : deadline_(std::chrono::steady_clock::now() + wait) {}
    /// Sleeps for a random time, which grows with each conflict. Throws StoreBusy when there were enough, and
    /// StoreError when the rows will not change.
    void pause_after(const StoreConflict& conflict);

private:
    std::chrono::steady_clock::time_point deadline_;
    int conflicts_ = 0;
    int of_constraints_ = 0;  ///< among them
};

/// Runs `action(transaction)`, which commits, and returns what it returns. Without a commit nothing is written.
/// An engine that lets writers run side by side may end one and have its action run again, so an action sets nothing
/// outside of itself but what it sets completely each time; audit lines are written after `write` has returned.
/// `wait` is for the write lock, or for other transactions.
/// Throws what the action and `Transaction` throw.
template <class Action>
auto write(Database& database, Durability durability, std::chrono::milliseconds wait, Action&& action) {
    for (Retries retries(wait);;) {
        try {
            Transaction transaction(database, durability, wait);
            return action(transaction);
        } catch (const StoreConflict& conflict) {
            retries.pause_after(conflict);
        }
    }
}

/// Writes with the database's wait.
template <class Action>
auto write(Database& database, Durability durability, Action&& action) {
    return write(database, durability, database.wait(), std::forward<Action>(action));
}

/// Returns the result of `find`, which may be nothing. A server that was replaced as the primary, and does not know it
/// yet, answers reads with what was true before, but it cannot commit durably. So before a caller is told that there is
/// nothing, the same look is part of a durable commit. On a file one look is enough.
template <class Find>
auto find_surely(Database& database, Find&& find) {
    auto found = find();
    if (found || !database.has_row_locks()) return found;
    return write(database, Durability::full, [&](Transaction& transaction) {
        auto found_now = find();
        transaction.commit();
        return found_now;
    });
}

}  // namespace postern::db
