// Decides whether a database can be trusted and written, without changing it.
#include "db/maintenance.h"

#include <sqlite3.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <memory>

#include "db/error.h"
#include "db/sqlite/connection.h"
#include "db/sqlite/group_commit.h"
#include "db/sqlite/write_lock.h"
#include "os/file.h"

namespace postern::db {
namespace {

constexpr int kInstructionsBetweenLooks = 10000;
constexpr int kLockWait = 1000;  // milliseconds
constexpr const char* kOnlyReads = "PRAGMA query_only = ON; PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 0";

struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};

using Deadline = std::chrono::steady_clock::time_point;

extern "C" int is_over(void* deadline) {
    return std::chrono::steady_clock::now() > *static_cast<const os::Deadline*>(deadline) ? 1 : 0;
}

}  // namespace

PageCheck check_pages(const std::string& path, std::chrono::milliseconds limit) {
    PageCheck check;
    sqlite3* opened = nullptr;
    int result = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, Close> connection(opened);
    sqlite3_busy_timeout(opened, kLockWait);
    if (result == SQLITE_OK) result = sqlite3_exec(opened, kOnlyReads, nullptr, nullptr, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);

    os::Deadline deadline = std::chrono::steady_clock::now() + limit;
    sqlite3_progress_handler(opened, kInstructionsBetweenLooks, is_over, &deadline);
    QuickCheck found{result, sqlite3_errmsg(opened)};
    if (result == SQLITE_OK) found = quick_check(opened);
    // Says nothing about the pages, and what is called damaged is replaced by a backup.
    if ((found.result & 0xff) == SQLITE_BUSY) throw StoreBusy("look through " + path + ": " + found.fault);
    check.finished = found.result != SQLITE_INTERRUPT;
    if (check.finished) check.damage = found.fault;
    return check;
}

std::optional<util::Time> newest_record(Database& database) {
    auto statement = database.prepare(
        "SELECT max(newest) FROM (SELECT max(created_at) AS newest FROM grants"
        " UNION ALL SELECT max(last_seen_at) FROM sessions UNION ALL SELECT max(updated_at) FROM users) "
        "newest_of_each");
    std::optional<util::Time> newest;
    if (statement.step()) statement >> newest;
    return newest;
}

void try_writing(const std::string& path, std::chrono::milliseconds wait) {
    Database database(path, Access::read_write, wait);
    const Transaction rolled_back(database, Durability::lazy);
}

bool is_wal_suspect(const std::string& database) {
    const std::string file = database + kSyncSuffix;
    return ::access(file.c_str(), F_OK) == 0 && GroupCommit(file).is_suspect();  // opening one makes it
}

void make_write_lock(const std::string& database) noexcept {
    try {
        const WriteLock made(database + kWriteLockSuffix);
    } catch (const std::exception&) {
        return;
    }
}

std::optional<Room> room_beside(const std::string& path) {
    struct statvfs answer {};
    if (::statvfs(os::directory_of(path).c_str(), &answer) != 0) return std::nullopt;
    Room room{static_cast<std::uint64_t>(answer.f_bavail) * answer.f_frsize, std::nullopt};
    if (answer.f_files != 0) room.files = answer.f_favail;
    return room;
}

}  // namespace postern::db
