// Decides how the WAL is synced, and written again after a failed sync.
#include "db/sqlite/wal_file.h"

#include <algorithm>
#include <vector>

#include "db/sqlite/connection.h"

namespace postern::db {
namespace {

constexpr int kChunk = 65536;

/// SQLite's own file object of the WAL; nullptr if there is none.
sqlite3_file* wal_of(sqlite3* connection) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return nullptr;
    return file && file->pMethods ? file : nullptr;
}

bool copy_onto_itself(sqlite3_file* file) {
    sqlite3_int64 size = 0;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return false;
    std::vector<char> bytes(kChunk);
    for (sqlite3_int64 at = 0; at < size; at += kChunk) {
        const int count = static_cast<int>(std::min<sqlite3_int64>(kChunk, size - at));
        if (file->pMethods->xRead(file, bytes.data(), count, at) != SQLITE_OK) return false;
        if (file->pMethods->xWrite(file, bytes.data(), count, at) != SQLITE_OK) return false;
    }
    return true;
}

}  // namespace

bool WalFile::sync() {
    sqlite3_file* file = wal_of(connection_.handle());
    return file && file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

// In a write transaction, so that no other program writes to the WAL, not even one that ignores the write lock.
bool WalFile::write_again() {
    try {
        connection_.begin(Durability::lazy, connection_.wait);
    } catch (const StoreError&) {
        return false;
    }
    sqlite3_file* file = wal_of(connection_.handle());
    const bool is_written = file && copy_onto_itself(file);
    connection_.roll_back();
    return is_written;
}

void SqliteConnection::checkpoint_if_due() noexcept {
    if (!write_lock_ || in_transaction()) return;
    if (wal_.frames <= wal_.checkpoint_above) return sync_wal_ahead();
    try {
        if (!write_lock_->try_lock()) return;  // busy: a later request or another process does it
    } catch (const StoreError&) {
        return;  // nothing is lost: the WAL stays a little longer
    }
    try_checkpoint();
    write_lock_->unlock();
}

void SqliteConnection::checkpoint() {
    if (!write_lock_ || in_transaction()) return;
    write_lock_->lock(std::chrono::steady_clock::now() + wait);
    try_checkpoint();
    write_lock_->unlock();
}

// The kernel reports a failed write to each process once, so this process records it for the others.
void SqliteConnection::sync_wal_ahead() noexcept {
    if (wal_.frames <= wal_.sync_above) return;
    wal_.sync_above = wal_.frames + kSyncFrames;
    if (!WalFile(*this).sync()) group_commit_->note_failure();
}

// Not after a failed sync: half of a damaged WAL copied into the database file could not be undone. The next durable
// commit writes the WAL again.
void SqliteConnection::try_checkpoint() noexcept {
    if (group_commit_->is_suspect()) return;
    int frames = 0;
    sqlite3_busy_timeout(connection_, 0);
    const int result = sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, nullptr);
    sqlite3_busy_timeout(connection_, static_cast<int>(wait.count()));

    // A reader can keep the WAL from being reset for long; until it is, another checkpoint costs a sync and gains
    // little.
    if (result == SQLITE_OK) wal_.frames = frames;
    if (result == SQLITE_IOERR_FSYNC) group_commit_->note_failure();
    wal_.checkpoint_above = wal_.frames + kCheckpointFrames;
}

}  // namespace postern::db
