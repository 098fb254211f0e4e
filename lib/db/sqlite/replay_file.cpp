// Decides how marks are kept in a file: not synced, without the write lock of the database, and within a size.
#include "db/replay_file.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "db/error.h"
#include "db/sqlite/connection.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace postern::db {
namespace {

constexpr std::chrono::seconds kWait{2};  // JTI-6
constexpr mode_t kFileMode = 0660;
constexpr mode_t kDirectoryMode = 02770;
constexpr int kVersion = 1;
constexpr std::int64_t kPageBytes = 4096;

constexpr const char* kSchema =
    "PRAGMA page_size = 4096;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE replays ("
    " kind INTEGER NOT NULL,"
    " context TEXT NOT NULL,"
    " key TEXT NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " PRIMARY KEY (kind, context, key)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX replays_by_expiry ON replays (expires_at);"
    "PRAGMA user_version = 1;"
    "COMMIT;"
    "PRAGMA journal_mode = WAL;";

// Marks are good for minutes, and a power cut loses the latest (JTI-7). The checkpoint takes the place of the hook that
// counts frames for a database.
constexpr const char* kSettings = "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 256;";

using Opened = std::unique_ptr<SqliteConnection>;

void bound(SqliteConnection& connection, std::int64_t most_bytes) {
    // A pragma takes no parameter; this one holds for the connection alone.
    const std::string pragma =
        "PRAGMA max_page_count = " + std::to_string(std::max<std::int64_t>(most_bytes / kPageBytes, 8));
    connection.run(pragma.c_str());
}

bool has_table(SqliteConnection& connection) {
    if (connection.schema_version() != kVersion) return false;
    SqliteStatement look(connection.handle(), "SELECT count(*) FROM (SELECT 1 FROM replays LIMIT 1)");
    return look.step();
}

/// Null for a file that is missing or damaged. Throws StoreUnusable for one that this user may not open.
Opened find_file(const std::string& path) {
    auto connection = std::make_unique<SqliteConnection>(path, Access::read_write, kWait);
    try {
        connection->open(SQLITE_OPEN_READWRITE);
        if (sqlite3_db_readonly(connection->handle(), "main") != 0)
            throw_unusable(path, "cannot be written", "give its group write permission, with its -wal and -shm files");
        return has_table(*connection) ? std::move(connection) : nullptr;
    } catch (const StoreBusy&) {
        throw;
    } catch (const StoreUnusable&) {
        throw;
    } catch (const StoreError& error) {
        const int result = sqlite3_errcode(connection->handle()) & 0xff;
        const bool is_missing = result == SQLITE_CANTOPEN && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
        if (is_missing || result == SQLITE_NOTADB || result == SQLITE_CORRUPT || result == SQLITE_ERROR) return nullptr;
        throw_unusable(path, "cannot be used", std::string("see the reason (") + error.what() + ")");
    }
}

void remove_with_side_files(const std::string& path) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
}

/// Makes the file under another name and renames it when it is whole: a process that starts meanwhile finds no file, or
/// all of it.
void make_file(const std::string& path) {
    const std::string unfinished = path + ".new";
    remove_with_side_files(unfinished);
    if (!os::make_file(unfinished, kFileMode))  // SQLite gives -wal and -shm its mode
        throw_unusable(path, "cannot be created (" + os::errno_text() + ")", "make its directory writable");
    {
        SqliteConnection connection(unfinished, Access::read_write, kWait);
        connection.open(SQLITE_OPEN_READWRITE);
        connection.run(kSchema);
    }
    remove_with_side_files(path);
    if (::rename(unfinished.c_str(), path.c_str()) != 0)
        throw_unusable(path, "cannot be created (" + os::errno_text() + ")", "make its directory writable");
    remove_with_side_files(unfinished);  // the log of a file that was whole before it had one
}

/// Holds the lock of the directory. A process that has waited for it looks again before it replaces the file.
Opened make_or_find(const std::string& path) {
    const std::string lock_path = os::directory_of(path) + "/lock";
    const os::Descriptor lock = os::open_or_make(lock_path, kFileMode);
    if (!lock)
        throw_unusable(lock_path, "cannot be opened (" + os::errno_text() + ")", "make it writable for the group");
    if (!os::lock_until(lock.get(), std::chrono::steady_clock::now() + kWait))
        throw StoreBusy(lock_path + ": another process has had it for too long");
    if (Opened found = find_file(path)) return found;
    make_file(path);
    Opened made = find_file(path);
    if (!made) throw StoreError(path + ": was made, and cannot be used");
    return made;
}

}  // namespace

Database open_replay_file(const std::string& path, std::int64_t most_bytes) {
    const std::string directory = os::directory_of(path);
    if (!os::make_directory(directory, kDirectoryMode) && errno != EEXIST)
        throw_unusable(directory, "cannot be created (" + os::errno_text() + ")",
                       "make it, with the group and the mode 2770 of the directory above it");
    Opened connection = find_file(path);
    if (!connection) connection = make_or_find(path);
    connection->run(kSettings);
    bound(*connection, most_bytes);
    return Database(std::move(connection));
}

std::optional<Database> find_replay_file(const std::string& path) {
    Opened connection = find_file(path);
    return connection ? std::optional<Database>(Database(std::move(connection))) : std::nullopt;
}

Database replays_in_memory(std::int64_t most_bytes) {
    auto connection = std::make_unique<SqliteConnection>(":memory:", Access::read_write, std::chrono::milliseconds(0));
    connection->open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY);
    connection->run(kSchema);
    bound(*connection, most_bytes);
    return Database(std::move(connection));
}

}  // namespace postern::db
