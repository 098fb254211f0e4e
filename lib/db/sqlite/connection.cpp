// Decides which database file this server works with, and how its connection is set up.
#include "db/sqlite/connection.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "db/error.h"
#include "os/file.h"
#include "util/shell_command.h"

namespace postern::db {
namespace {

constexpr std::int64_t kApplicationId = 1349743726;  // "Pstn", as in schema.sql

// No automatic checkpoint and no memory mapping (docs of SQLite: wal.html, howtocorrupt.html), no trusted functions in
// the schema, no temporary files. NORMAL: a commit is not synced under the write lock but after it (group_commit.h),
// and a checkpoint still syncs the WAL before it copies, and the database before the WAL is reset. The size limit is
// above the WAL's usual size at a checkpoint (kCheckpointFrames, and what is committed until the write lock is free),
// because truncating and growing it each time costs more than writing its pages. docs/decisions/0041.
constexpr const char* kSettings =
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA mmap_size = 0;"
    "PRAGMA wal_autocheckpoint = 0;"
    "PRAGMA journal_size_limit = 4718592;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA temp_store = MEMORY;";

/// A result of SQLite, what it means for the operator, and the fix.
struct UnusableFile {
    int result;
    const char* meaning;
    const char* fix;
};
constexpr UnusableFile kUnusableFiles[] = {
    {SQLITE_NOTADB, "is not an SQLite database",
     "name another file as \"database\", or restore this one from a backup"},
    {SQLITE_CORRUPT, "is damaged", "restore it from a backup"},
    {SQLITE_CANTOPEN, "cannot be opened",
     "make it and its -wal and -shm files readable for this user, and see that they exist"},
    {SQLITE_PERM, "cannot be opened", "make it and its -wal and -shm files readable for this user"},
    {SQLITE_READONLY, "cannot be written",
     "give its group write permission, for its directory and its -wal and -shm files too"},
};
constexpr UnusableFile kOtherUnusableFile = {SQLITE_ERROR, "cannot be used", "see the reason"};

const UnusableFile& describe_unusable(int result) {
    for (const auto& fault : kUnusableFiles) {
        if (fault.result == (result & 0xff)) return fault;
    }
    return kOtherUnusableFile;
}

// Uses stat and not open, because closing any descriptor of the file drops SQLite's POSIX locks of this process.
void check_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) throw_unusable(path, "does not exist", "create it with `postern init`");
        throw_unusable(path, "cannot be looked at (" + os::errno_text() + ")", "let this user enter its directory");
    }
    if (!S_ISREG(status.st_mode))
        throw_unusable(path, "is not a regular file", "name the database file as \"database\"");
    throw_on_network_file_system(path, path);
}

int read_number(SqliteConnection& connection, const char* sql) {
    SqliteStatement statement(connection.handle(), sql);
    return statement.step() ? static_cast<int>(statement.integer(0)) : 0;
}

void check_version(const std::string& path, int version) {
    if (version == kSchemaVersion) return;
    if (version == kMovedVersion) throw_moved(path);
    throw_unusable(
        path,
        "has schema version " + std::to_string(version) + ", this program needs " + std::to_string(kSchemaVersion),
        version < kSchemaVersion ? "stop the serving processes and run `postern migrate`"
                                 : "run the release of Postern that it belongs to");
}

void check_identity(SqliteConnection& connection) {
    const auto& path = connection.path;
    if (read_number(connection, "PRAGMA application_id") != kApplicationId) {
        throw_unusable(path, "is not a database of Postern",
                       "name another file as \"database\", or create one with `postern init`");
    }
    SqliteStatement mode(connection.handle(), "PRAGMA journal_mode");
    if (!mode.step() || mode.text(0) != "wal") {
        throw_unusable(path, "is not in WAL mode",
                       "set it back with " +
                           util::ShellCommand("sqlite3").path(path).words("'PRAGMA journal_mode = WAL'").quoted());
    }
}

// A WAL that is shorter than before was reset after a checkpoint.
int note_log_frames(void* pointer, sqlite3*, const char*, int frames) {
    WalGrowth& wal = *static_cast<WalGrowth*>(pointer);
    if (frames < wal.frames) wal = WalGrowth{};
    wal.frames = frames;
    return SQLITE_OK;
}

/// Transient I/O conditions; they do not mean that the file is unusable.
bool is_disk_error(int result) {
    return (result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_FULL || (result & 0xff) == SQLITE_NOMEM;
}

// A file that SQLite cannot use stops the start with StoreUnusable. A lock or a failing disk may pass: StoreBusy,
// StoreError.
template <class Action>
void translate_unusable(const SqliteConnection& connection, Action action) {
    const std::string& path = connection.path;
    try {
        action();
    } catch (const StoreBusy&) {
        throw;
    } catch (const StoreUnusable&) {
        throw;
    } catch (const StoreError& error) {
        const int result = sqlite3_errcode(connection.handle());
        if (is_disk_error(result)) throw StoreError(path + ": " + error.what());
        const auto& fault = describe_unusable(result);
        const std::string fix = std::string(fault.fix) + " (" + error.what() + ")";
        if (fault.result == SQLITE_NOTADB || fault.result == SQLITE_CORRUPT)
            throw StoreDamaged(path + ": " + fault.meaning + ": " + fix);
        throw_unusable(path, fault.meaning, fix);
    }
}

void open_existing(SqliteConnection& connection, Versions accepted) {
    check_file(connection.path);
    translate_unusable(connection, [&] {
        connection.open(SQLITE_OPEN_READWRITE);
        check_identity(connection);
        if (accepted == Versions::this_one) check_version(connection.path, connection.schema_version());
    });
    if (connection.access == Access::query_only)
        connection.run("PRAGMA query_only = ON");
    else
        connection.make_writable();
}

}  // namespace

SqliteConnection::~SqliteConnection() {
    statements_.clear();
    sqlite3_close(connection_);
}

void SqliteConnection::run(const char* sql) {
    const int result = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) throw_store_error(connection_, result, sql);
}

SqliteStatement& SqliteConnection::prepare(const char* sql) {
    SqliteStatement& statement = statements_.try_emplace(sql, connection_, sql).first->second;
    if (statement.is_in_use()) throw StoreError(std::string("a cached statement is still in use: ") + sql);
    return statement;
}

std::vector<const char*> SqliteConnection::prepared() const {
    std::vector<const char*> all;
    for (const auto& [sql, statement] : statements_) all.push_back(sql);
    return all;
}

void SqliteConnection::open(int flags, const char* vfs) {
    // Nothing asks how much memory SQLite uses, and counting it takes a lock for each allocation. Too late, and without
    // effect, in a process that has used SQLite otherwise before.
    [[maybe_unused]] static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int result = sqlite3_open_v2(path.c_str(), &connection_, flags | kAlways, vfs);
    if (result != SQLITE_OK) throw_store_error(connection_, result, "open");
    sqlite3_busy_timeout(connection_, static_cast<int>(wait.count()));  // first, or a start next to a busy writer fails
    for (const int option : {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, SQLITE_DBCONFIG_DEFENSIVE}) {
        sqlite3_db_config(connection_, option, 1, nullptr);
    }
    for (const int option : {SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL}) {
        sqlite3_db_config(connection_, option, 0, nullptr);
    }
    run(kSettings);
    // Opens the random source now: at the first checkpoint the sandbox would forbid it, and SQLite would fall back to
    // the time.
    unsigned char seed = 0;
    sqlite3_randomness(sizeof seed, &seed);
    sqlite3_wal_hook(connection_, note_log_frames, &wal_);  // after wal_autocheckpoint, which would take its place
}

void SqliteConnection::make_writable() {
    // SQLite falls back to reading silently.
    if (sqlite3_db_readonly(connection_, "main") != 0) {
        const auto& fault = describe_unusable(SQLITE_READONLY);
        throw_unusable(path, fault.meaning, fault.fix);
    }
    write_lock_.emplace(path + kWriteLockSuffix);
    group_commit_.emplace(path + kSyncSuffix);
}

bool SqliteConnection::has_moved() const {
    int moved = 0;
    sqlite3_file_control(connection_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

int SqliteConnection::schema_version() { return read_number(*this, "PRAGMA user_version"); }

std::unique_ptr<Connection> open_sqlite(const std::string& path, Access access, std::chrono::milliseconds wait,
                                        Versions accepted) {
    auto connection = std::make_unique<SqliteConnection>(path, access, wait);
    open_existing(*connection, accepted);
    return connection;
}

std::unique_ptr<Connection> open_sqlite_in_memory() {
    auto connection = std::make_unique<SqliteConnection>(":memory:", Access::read_write, std::chrono::milliseconds(0));
    connection->open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY);
    connection->run(kSchemaSql);
    return connection;
}

SqliteConnection& sqlite_of(Database& database) { return static_cast<SqliteConnection&>(database.connection()); }

QuickCheck quick_check(sqlite3* connection) {
    std::string said;
    const auto note = [](void* text, int, char** columns, char**) {
        if (columns[0]) *static_cast<std::string*>(text) = columns[0];
        return 0;
    };
    const int result = sqlite3_exec(connection, "PRAGMA quick_check(1)", note, &said, nullptr);
    if (result != SQLITE_OK) said = sqlite3_errmsg(connection);
    return {result, said == "ok" ? std::string() : said};
}

void throw_unusable(const std::string& path, const std::string& meaning, const std::string& fix) {
    throw StoreUnusable(path + ": " + meaning + ": " + fix);
}

void throw_on_network_file_system(const std::string& path, const std::string& place) {
    if (const auto name = os::network_file_system_of(place)) {
        throw_unusable(path, "is on a network file system (" + std::string(*name) + "), where locks cannot be trusted",
                       "move it to a local disk");
    }
}

}  // namespace postern::db
