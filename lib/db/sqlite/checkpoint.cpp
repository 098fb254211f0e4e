// When the WAL is copied into the database file, and when it is synced ahead of that.
#include "db/database.h"
#include "db/sqlite/connection.h"
#include "db/sqlite/wal_file.h"

namespace postern::db {

void Database::checkpoint_if_due() noexcept {
    auto& wal = state_->wal;
    if (!state_->write_lock || state_->in_transaction()) return;
    if (wal.frames <= wal.checkpoint_above) return sync_wal_ahead();
    try {
        if (!state_->write_lock->try_lock()) return;  // busy: a later request or another process does it
    } catch (const StoreError&) {
        return;  // nothing is lost: the WAL stays a little longer
    }
    try_checkpoint();
    state_->write_lock->unlock();
}

void Database::checkpoint() {
    auto& state = *state_;
    if (!state.write_lock || state.in_transaction()) return;
    state.write_lock->lock(std::chrono::steady_clock::now() + state.wait);
    try_checkpoint();
    state.write_lock->unlock();
}

// The kernel reports a failed write to each process once, so this process records it for the others.
void Database::sync_wal_ahead() noexcept {
    auto& wal = state_->wal;
    if (wal.frames <= wal.sync_above) return;
    wal.sync_above = wal.frames + kSyncFrames;
    if (!WalFile(*this, state_->connection).sync()) state_->group_commit->note_failure();
}

// Not after a failed sync: half of a damaged WAL copied into the database file could not be undone. The next durable
// commit writes the WAL again.
void Database::try_checkpoint() noexcept {
    if (state_->group_commit->is_suspect()) return;
    auto& wal = state_->wal;
    int frames = 0;
    sqlite3_busy_timeout(state_->connection, 0);
    const int result =
        sqlite3_wal_checkpoint_v2(state_->connection, nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, nullptr);
    sqlite3_busy_timeout(state_->connection, static_cast<int>(state_->wait.count()));

    // A reader can keep the WAL from being reset for long; until it is, another checkpoint costs a sync and gains
    // little.
    if (result == SQLITE_OK) wal.frames = frames;
    if (result == SQLITE_IOERR_FSYNC) state_->group_commit->note_failure();
    wal.checkpoint_above = wal.frames + kCheckpointFrames;
}

}  // namespace postern::db
