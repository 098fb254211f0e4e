// One sync of the log for everybody whose commit waits for one.
#pragma once

#include <cstdint>
#include <string>

#include "os/file.h"
#include "os/file_lock.h"

namespace postern::db {

inline constexpr const char* kSyncSuffix = ".sync";  ///< behind the name of the database

/// The log as the process that syncs it has it open.
class Wal {
public:
    Wal() = default;
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;
    virtual ~Wal() = default;

    /// Whether everything that any process has written to it is on the disk now.
    virtual bool sync() = 0;
    /// Writes everything in it once more, so that a sync after one that failed does not pass over what was lost. False
    /// when it failed.
    virtual bool write_again() = 0;
};

/// Commits are numbered under the write lock; then one process syncs the log for all numbers that were given before it began.
/// The numbers are in a file beside the database, which is also the lock of whoever syncs. Nothing in it can make a
/// commit durable that is not: a number is believed to be synced only if it was given out by this file after what was
/// synced before, and without the file everybody syncs the log alone. docs/decisions/0033.
class GroupCommit {
public:
    /// Opens `path`, and makes it (mode 0660) when it is missing. One that cannot be used is no reason to refuse
    /// service.
    explicit GroupCommit(const std::string& path);

    /// What a commit is called; kNoNumber when nobody can sync for it.
    using Number = std::uint64_t;
    static constexpr Number kNoNumber = 0;

    /// Under the write lock, after the commit.
    Number next_commit_number() noexcept;

    /// Without the write lock: comes back when what was committed as `number` is on the disk, by this process's sync or
    /// another's. Throws StoreError when that sync failed; then it may come to the disk or not. Nobody waits for others
    /// longer than until `deadline`: then the log is synced here, however long the disk takes.
    void wait(Number number, os::Deadline deadline, Wal& wal);

    /// Since a sync failed none has succeeded: what the log holds must not be relied on.
    bool is_suspect() const noexcept;
    /// A sync of the log has failed elsewhere than in `wait`.
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
    bool has_unwritten_failure_ = false;  ///< one that the file could not be told
};

}  // namespace postern::db
