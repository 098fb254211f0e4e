// The one gate that every writer and every checkpoint passes: an exclusive flock on a file beside the database.
#pragma once

#include <string>

#include "store/file_lock.h"
#include "store/file_system.h"

namespace postern::store {

inline constexpr const char* kGateSuffix = ".gate";  ///< behind the name of the database

/// Serialises writers fairly, which SQLite's own back-off does not, and keeps checkpoints from racing commits, which
/// can corrupt a WAL database in SQLite before 3.51.3. The kernel opens the gate again when its holder dies. The
/// descriptor must not be inherited (a child would hold the gate too), and the file is never deleted.
class Gate {
public:
    /// Opens `path`, and makes it (mode 0660) when it is missing. Throws StoreUnusable.
    explicit Gate(std::string path);

    /// Waits in the kernel's queue until `deadline`. Throws StoreBusy then.
    void lock(Deadline deadline);
    /// Does not wait.
    bool try_lock();
    void unlock() noexcept;

private:
    std::string path_;
    Descriptor file_;
};

}  // namespace postern::store
