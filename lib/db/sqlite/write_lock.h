// The lock that every writer and every checkpoint takes: an exclusive flock on a file next to the database.
#pragma once

#include <string>

#include "os/file.h"
#include "os/file_lock.h"

namespace postern::db {

inline constexpr const char* kWriteLockSuffix = ".gate";  ///< behind the name of the database

/// Serialises writers fairly, which SQLite's own back-off does not, and keeps checkpoints from racing commits, which
/// can corrupt a WAL database in SQLite before 3.51.3. The kernel opens the write lock again when its holder dies. The
/// descriptor must not be inherited (a child would hold the write lock too), and the file is never deleted.
class WriteLock {
public:
    /// Opens `path`, and makes it (mode 0660) when it is missing. Throws StoreUnusable.
    explicit WriteLock(std::string path);

    /// Waits in the kernel's queue until `deadline`. Throws StoreBusy then, StoreError when the kernel refuses the
    /// lock.
    void lock(os::Deadline deadline);
    /// Does not wait. Throws StoreError when the kernel refuses the lock.
    bool try_lock();
    void unlock() noexcept;

private:
    std::string path_;
    os::Descriptor file_;
};

}  // namespace postern::db
