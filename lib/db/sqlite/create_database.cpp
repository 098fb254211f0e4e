// Makes a new database file from the embedded schema.
#include <sys/types.h>

#include <cerrno>
#include <utility>

#include "db/sqlite/connection.h"
#include "os/file.h"

namespace postern::db {
namespace {

constexpr mode_t kDatabaseMode = 0660;

}  // namespace

void create_file(os::NewFiles& made, const std::string& path) {
    throw_on_network_file_system(path, os::directory_of(path));
    os::Descriptor file = os::make_file(path, kDatabaseMode);
    if (!file) {
        if (errno == EEXIST)
            throw_unusable(path, "exists already",
                           "remove it with its -wal, -shm, .gate and .sync files to start over");
        throw_unusable(path, "cannot be created (" + os::errno_text() + ")",
                       "make its directory, writable for this user");
    }
    made.add(path, std::move(file));
    for (const char* suffix : {kWriteLockSuffix, kSyncSuffix}) {  // a process that started too early may have made them
        if (os::Descriptor side_file = os::make_file(path + suffix, kDatabaseMode))
            made.add(path + suffix, std::move(side_file));
    }
    const auto note_side_files = [&] {
        for (const char* suffix : {"-journal", "-wal", "-shm"}) made.add(path + suffix);
    };
    try {
        const WriteLock write_lock(path + kWriteLockSuffix);
        const GroupCommit group_commit(path + kSyncSuffix);
        SqliteConnection connection(path, Access::read_write, std::chrono::milliseconds(0));
        connection.open(SQLITE_OPEN_READWRITE);
        // SQLite gives -wal and -shm the owner and mode of the file they belong to.
        for (const char* sql : {"PRAGMA journal_mode = WAL", "BEGIN IMMEDIATE", kSchemaSql, "COMMIT",
                                "PRAGMA wal_checkpoint(TRUNCATE)"}) {
            connection.run(sql);
        }
    } catch (...) {
        note_side_files();
        throw;
    }
    note_side_files();
    if (!os::sync_directory(os::directory_of(path)))
        throw StoreError(path + ": its directory cannot be synced: " + os::errno_text());
}

}  // namespace postern::db
