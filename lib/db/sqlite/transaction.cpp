// Decides when a transaction takes effect: all of it or nothing, one writer at a time, with the durability that its
// caller chose.
#include <algorithm>

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

void SqliteConnection::run_cached(const char* sql) {
    SqliteStatement& statement = prepare(sql);
    try {
        statement.step();
    } catch (...) {
        statement.reset();
        throw;
    }
    statement.reset();
}

void SqliteConnection::begin(Durability, std::chrono::milliseconds lock_wait) {
    const auto deadline = std::chrono::steady_clock::now() + lock_wait;
    if (write_lock_) write_lock_->lock(deadline);
    try {
        // Only a program that ignores the write lock, such as the sqlite3 shell, can hold SQLite's own lock now.
        sqlite3_busy_timeout(connection_, remaining_milliseconds(deadline));
        run_cached(kBegin);
        sqlite3_busy_timeout(connection_, static_cast<int>(wait.count()));
    } catch (...) {
        sqlite3_busy_timeout(connection_, static_cast<int>(wait.count()));
        if (write_lock_) write_lock_->unlock();
        throw;
    }
}

void SqliteConnection::roll_back() noexcept {
    // SQLite may have rolled back by itself (disk full); then there is nothing left to do, and nothing to report.
    if (in_transaction()) sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
    if (write_lock_) write_lock_->unlock();
}

void SqliteConnection::commit(Durability durability) {
    run_cached(kCommit);
    if (!write_lock_) return;
    const bool is_durable = durability == Durability::full;
    // Also when nothing was written: the answer may rest on a commit of another process that is not synced yet.
    const auto number = is_durable ? group_commit_->next_commit_number() : GroupCommit::kNoNumber;
    write_lock_->unlock();
    if (!is_durable) return;
    WalFile wal(*this);
    try {
        group_commit_->wait(number, std::chrono::steady_clock::now() + wait, wal);
    } catch (const StoreError& error) {
        throw StoreUnsynced(path +
                            ": a power cut may undo this commit, and the kernel log says what is wrong with the "
                            "disk: " +
                            error.what());
    }
}

void SqliteConnection::begin_snapshot() {
    prepare(kCommit);  // here it may throw
    run_cached(kBeginReading);
}

void SqliteConnection::end_snapshot() noexcept {
    try {
        run_cached(kCommit);
    } catch (const StoreError&) {
        return;  // the caller looks whether the read transaction is still open
    }
}

}  // namespace postern::db
