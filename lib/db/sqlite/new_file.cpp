// Decides how a file is filled: without a journal, because it has no name before it is complete.
#include "db/sqlite/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "db/sqlite/connection.h"

namespace postern::db {
namespace {

constexpr int kStepsBetweenLooks = 1000;  // of SQLite's virtual machine
constexpr mode_t kServiceMode = 0660;

// No other process opens it, so it needs neither locks nor shared memory, which the file system of a backup may lack.
constexpr const char* kWithoutLocks = "unix-none";
constexpr const char* kSettings =
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF";

extern "C" int has_arrived(void* signals) { return static_cast<const os::HeldSignals*>(signals)->arrived() ? 1 : 0; }

/// A log that another database left behind would be replayed into the new one.
void check_surroundings(const std::string& path) {
    throw_on_network_file_system(path, os::directory_of(path));
    for (const char* suffix : {"-wal", "-shm", "-journal"}) check_new_name(path + suffix);
}

const std::string& checked(const std::string& path, NewFile::For use) {
    check_new_name(path);
    if (use == NewFile::For::service) check_surroundings(path);
    return path;
}

}  // namespace

NewFile::NewFile(const std::string& path, For use, const os::HeldSignals& signals)
    : path_(checked(path, use)), use_(use), signals_(signals), copy_(path) {
    auto connection = std::make_unique<SqliteConnection>(copy_.path(), Access::read_write, std::chrono::seconds(0));
    connection->open(SQLITE_OPEN_READWRITE, kWithoutLocks);
    sqlite3_progress_handler(connection->handle(), kStepsBetweenLooks, has_arrived,
                             const_cast<os::HeldSignals*>(&signals));
    for (const char* sql : {kSettings, "BEGIN", kSchemaSql, "COMMIT"}) connection->run(sql);
    connection->begin(Durability::lazy, std::chrono::seconds(0));
    connection_ = std::move(connection);
}

void NewFile::complete() {
    stop_if_asked(signals_);
    auto& connection = static_cast<SqliteConnection&>(*connection_);
    connection.commit(Durability::lazy);
    connection.run("PRAGMA journal_mode = WAL");
    const std::string fault = quick_check(connection.handle()).fault;
    stop_if_asked(signals_);  // it has interrupted the check
    if (!fault.empty()) throw StoreError("the copy is damaged: " + fault);
    connection_.reset();
    if (use_ == For::service) {
        os::adopt_directory_owner(copy_.file().get(), os::directory_of(path_));
        if (::fchmod(copy_.file().get(), kServiceMode) != 0)
            throw StoreError(path_ + ": its mode cannot be set: " + os::errno_text());
    }
    if (::fsync(copy_.file().get()) != 0) throw StoreError(path_ + ": cannot be synced: " + os::errno_text());
}

}  // namespace postern::db
