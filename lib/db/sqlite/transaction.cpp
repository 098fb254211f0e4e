// Decides when a transaction takes effect: all of it or nothing, one writer at a time, with the durability that its
// caller chose.
#include <algorithm>
#include <exception>

#include "db/sqlite/connection.h"
#include "db/sqlite/wal_file.h"

namespace postern::db {
namespace {

// Kept prepared, by address.
constexpr const char* kBegin = "BEGIN IMMEDIATE";
constexpr const char* kBeginReading = "BEGIN";
constexpr const char* kCommit = "COMMIT";

int remaining_milliseconds(os::Deadline deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

}  // namespace

Transaction::Transaction(Database& database, Durability durability)
    : Transaction(database, durability, database.state_->wait) {}

Transaction::Transaction(Database& database, Durability durability, std::chrono::milliseconds wait)
    : database_(database), durability_(durability) {
    auto& state = *database.state_;
    if (state.access == Access::query_only) throw StoreError(state.path + ": this connection only reads");
    if (state.in_transaction()) throw StoreError(state.path + ": a transaction is open already");

    const auto deadline = std::chrono::steady_clock::now() + wait;
    if (state.write_lock) state.write_lock->lock(deadline);
    try {
        // Only a program that ignores the write lock, such as the sqlite3 shell, can hold SQLite's own lock now.
        sqlite3_busy_timeout(state.connection, remaining_milliseconds(deadline));
        state.run_cached(kBegin);
        sqlite3_busy_timeout(state.connection, static_cast<int>(state.wait.count()));
    } catch (...) {
        sqlite3_busy_timeout(state.connection, static_cast<int>(state.wait.count()));
        if (state.write_lock) state.write_lock->unlock();
        throw;
    }
    open_ = true;
}

Transaction::~Transaction() {
    if (!open_) return;
    auto& state = *database_.state_;
    // SQLite may have rolled back by itself (disk full); then there is nothing left to do, and nothing to report.
    if (state.in_transaction()) sqlite3_exec(state.connection, "ROLLBACK", nullptr, nullptr, nullptr);
    if (state.write_lock) state.write_lock->unlock();
}

void Transaction::commit() {
    auto& state = *database_.state_;
    if (!open_) throw StoreError(state.path + ": the transaction has ended already");
    state.run_cached(kCommit);  // when it throws, the destructor rolls back
    open_ = false;
    if (!state.write_lock) return;
    const bool is_durable = durability_ == Durability::full;
    // Also when nothing was written: the answer may rest on a commit of another process that is not synced yet.
    const auto number = is_durable ? state.group_commit->next_commit_number() : GroupCommit::kNoNumber;
    state.write_lock->unlock();
    if (!is_durable) return;
    WalFile wal(database_, state.connection);
    try {
        state.group_commit->wait(number, std::chrono::steady_clock::now() + state.wait, wal);
    } catch (const StoreError& error) {
        throw StoreUnsynced(state.path + ": " + error.what());
    }
}

Snapshot::Snapshot(Database& database) : database_(database), open_(!database.state_->in_transaction()) {
    if (!open_) return;
    database_.state_->prepare_cached(kCommit);  // here it may throw
    database_.state_->run_cached(kBeginReading);
}

Snapshot::~Snapshot() {
    if (!open_) return;
    auto& state = *database_.state_;
    state.step_cached(kCommit);
    // If the read transaction cannot be closed, this process would serve a stale snapshot (and honour revoked tokens)
    // forever, so terminate and let the supervisor start a new one.
    if (state.in_transaction()) std::terminate();
}

}  // namespace postern::db
