// When the WAL is copied into the database file, and when it is synced ahead of that.
#include "db/sqlite/connection.h"
#include "db/sqlite/wal_file.h"

namespace postern::db {

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
