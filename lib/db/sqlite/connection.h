// A connection to SQLite, and how its results become our errors. Private to this module.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/engine.h"
#include "db/sqlite/group_commit.h"
#include "db/sqlite/write_lock.h"

namespace postern::db {

/// The WAL is checkpointed when it has this many frames.
inline constexpr int kCheckpointFrames = 1000;
/// The WAL is synced, without the write lock, whenever it has grown by this many frames, so that a checkpoint, which
/// holds the write lock, has little left to sync.
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

class SqliteStatement final : public PreparedStatement {
public:
    /// `sql` is a literal. Throws StoreError.
    SqliteStatement(sqlite3* connection, const char* sql);
    ~SqliteStatement() override;

    const char* sql() const override { return sql_; }
    int parameters() const override;
    void bind(int number, std::string_view text) override;
    void bind(int number, std::int64_t value) override;
    void bind_null(int number, Stored as) override;
    bool step() override;
    void queue() override { step(); }
    std::int64_t changed_rows() const override;
    int columns() const override;
    bool is_null(int column) const override;
    std::string_view text(int column) const override;
    std::int64_t integer(int column) const override;
    void reset() noexcept override;

    bool is_in_use() const;

private:
    void check(int result) const;

    sqlite3* connection_;
    const char* sql_;
    sqlite3_stmt* statement_ = nullptr;
};

class SqliteConnection final : public Connection {
public:
    using Connection::Connection;
    ~SqliteConnection() override;

    /// Opens the database and sets the connection up; throws StoreError. `vfs` is how SQLite gets at the file; nullptr:
    /// as usual.
    void open(int flags, const char* vfs = nullptr);
    void make_writable();       ///< opens the write lock and the numbers of group commit; throws StoreUnusable
    void run(const char* sql);  ///< constant text without parameters; throws StoreError
    sqlite3* handle() const { return connection_; }

    SqliteStatement& prepare(const char* sql) override;
    std::vector<const char*> prepared() const override;
    bool in_transaction() const override { return sqlite3_get_autocommit(connection_) == 0; }
    void begin(Durability durability, std::chrono::milliseconds lock_wait) override;
    void commit(Durability durability) override;
    void roll_back() noexcept override;
    void begin_snapshot() override;
    void end_snapshot() noexcept override;
    int schema_version() override;
    bool has_row_locks() const override { return false; }
    bool has_moved() const override;
    void checkpoint_if_due() noexcept override;
    void checkpoint() override;

private:
    void sync_wal_ahead() noexcept;
    void try_checkpoint() noexcept;
    void run_cached(const char* sql);  ///< the same as `run`, and kept by address as in `prepare`

    sqlite3* connection_ = nullptr;
    std::optional<WriteLock> write_lock_;      ///< none in memory and for query_only
    std::optional<GroupCommit> group_commit_;  ///< where there is a write lock
    std::map<const char*, SqliteStatement> statements_;
    WalGrowth wal_;
};

/// The connection of a database in a file or in memory.
SqliteConnection& sqlite_of(Database& database);

/// Throws StoreBusy for a database that is locked, else StoreError. The text is SQLite's, for the log.
[[noreturn]] void throw_store_error(sqlite3* connection, int result, std::string_view doing);

struct QuickCheck {
    int result = SQLITE_OK;  ///< other than SQLITE_OK: it could not look at everything
    std::string fault;       ///< the first that it found, or why it could not look; "" when all is well
};

/// Stops where a progress handler of the connection says so.
QuickCheck quick_check(sqlite3* connection);

/// Throws StoreUnusable: "PATH: MEANING: FIX".
[[noreturn]] void throw_unusable(const std::string& path, const std::string& meaning, const std::string& fix);

/// Throws StoreUnusable when `place`, the file at `path` or its directory, is where locks cannot be trusted.
void throw_on_network_file_system(const std::string& path, const std::string& place);

}  // namespace postern::db
