// Group commit: one sync of the WAL makes all commits before it durable.
#pragma once

#include <cstdint>
#include <string>

#include "os/file.h"
#include "os/file_lock.h"

namespace postern::db {

inline constexpr const char* kSyncSuffix = ".sync";  ///< behind the name of the database

/// The WAL as the process that syncs it has it open.
class Wal {
public:
    Wal() = default;
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;
    virtual ~Wal() = default;

    /// Makes durable what any process has written to the WAL. False when the sync failed.
    virtual bool sync() = 0;
    /// Rewrites the content of the WAL, so that the pages which a failed sync lost are dirty again. False when a write
    /// failed.
    virtual bool write_again() = 0;
};

/// Commits are numbered under the write lock; then one process syncs the log for all numbers that were given before it
/// began. The numbers are in a file next to the database, which the syncing process locks. A damaged file cannot make a
/// commit look durable: a number counts as synced only if this file issued it after the last sync. Without the file,
/// each process syncs the WAL itself. docs/decisions/0033.
class GroupCommit {
public:
    /// Opens `path`, and makes it (mode 0660) when it is missing. Service goes on without it when it cannot
    /// be used.
    explicit GroupCommit(const std::string& path);

    /// The number of a commit; kNoNumber when no other process can sync for it.
    using Number = std::uint64_t;
    static constexpr Number kNoNumber = 0;

    /// Returns the number of a commit. The caller holds the write lock, and has committed.
    Number next_commit_number() noexcept;

    /// Returns when the commit `number` is on the disk, by this process's sync or another's. The caller does not hold
    /// the write lock. Throws StoreError when that sync failed; then the commit may reach the disk or not. Waits for
    /// another process until `deadline` at most, then syncs the WAL itself, however long the disk takes.
    void wait(Number number, os::Deadline deadline, Wal& wal);

    /// Returns whether a sync failed and none has succeeded since: then the WAL must not be checkpointed.
    bool is_suspect() const noexcept;
    /// Records that a sync outside `wait` failed.
    void note_failure() noexcept;

private:
    struct Counters {
        Number committed = 0;
        Number synced = 0;
        Number failed = 0;
    };
    Counters read() const noexcept;
    bool write(std::size_t slot, Number value) noexcept;
    void sync_now(const Counters& before, Wal& wal);
    bool is_suspect(const Counters& now) const noexcept;
    void note_failure(const Counters& now) noexcept;

    os::Descriptor file_;
    bool has_unwritten_failure_ = false;  ///< a failure that could not be recorded in the file
};

}  // namespace postern::db
