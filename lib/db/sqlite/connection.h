// The state of a Database, and how results of SQLite become our errors. Private to this module.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/sqlite/group_commit.h"
#include "db/sqlite/write_lock.h"

namespace postern::db {

/// The WAL is checkpointed when it has this many frames.
inline constexpr int kCheckpointFrames = 1000;
/// And synced, without the write lock, whenever it has grown by this many, so that a checkpoint, which holds the write
/// lock, has little left to sync.
inline constexpr int kSyncFrames = 250;

/// A reader without write permission sometimes sees these around a checkpoint or while the first writer connects; the
/// next try succeeds.
inline bool is_transient(int result) {
    return result == SQLITE_READONLY_RECOVERY || result == SQLITE_READONLY_CANTINIT;
}
inline constexpr int kTransientTries = 10;

/// The length of the WAL, and the lengths at which the next checkpoint and the next sync ahead of it are due.
struct WalGrowth {
    int frames = 0;  ///< after the last commit of ours
    int checkpoint_above = kCheckpointFrames;
    int sync_above = kSyncFrames;
};

struct Database::State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();

    bool in_transaction() const { return sqlite3_get_autocommit(connection) == 0; }
    void open(const char* file, int flags);         ///< and sets the connection up; throws StoreError
    void run(const char* sql);                      ///< constant text without parameters; throws StoreError
    void run_cached(const char* sql);               ///< the same, without rows, and kept by address as in `prepare`
    sqlite3_stmt* prepare_cached(const char* sql);  ///< prepares the same
    int step_cached(const char* sql);               ///< SQLite's result of the same; throws when it cannot be prepared
    sqlite3_stmt* compile(const char* sql) const;   ///< throws StoreError

    std::string path;
    Access access = Access::read_write;
    std::chrono::milliseconds wait{0};
    sqlite3* connection = nullptr;
    std::optional<WriteLock> write_lock;      ///< none in memory and for query_only
    std::optional<GroupCommit> group_commit;  ///< where there is a write lock
    std::map<const char*, sqlite3_stmt*> statements;
    WalGrowth wal;
};

/// StoreBusy for a database that is locked, else StoreError. The text is SQLite's, for the log.
[[noreturn]] void throw_store_error(sqlite3* connection, int result, std::string_view doing);

}  // namespace postern::db
