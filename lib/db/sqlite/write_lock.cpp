// Decides who may write next.
#include "db/sqlite/write_lock.h"

#include <system_error>
#include <utility>

#include "db/error.h"
#include "os/read_file.h"

namespace postern::db {
namespace {

constexpr mode_t kWriteLockMode = 0660;

}  // namespace

WriteLock::WriteLock(std::string path) : path_(std::move(path)), file_(os::open_or_make(path_, kWriteLockMode)) {
    if (!file_) {
        throw StoreUnusable(path_ + ": the lock file cannot be opened for writing (" + os::errno_text() +
                            "): give it the database's group and mode 0660");
    }
    if (!os::regular_size(file_.get())) {
        throw StoreUnusable(
            path_ +
            ": the lock file must be a regular file: stop every process that uses the database, then remove it");
    }
}

void WriteLock::lock(os::Deadline deadline) {
    try {
        if (os::lock_until(file_.get(), deadline)) return;
    } catch (const std::system_error& error) {
        throw StoreError(path_ + ": " + error.what());
    }
    throw StoreBusy(path_ + ": other writers held the write lock for the whole wait");
}

bool WriteLock::try_lock() {
    try {
        return os::try_lock(file_.get());
    } catch (const std::system_error& error) {
        throw StoreError(path_ + ": " + error.what());
    }
}

void WriteLock::unlock() noexcept { os::unlock(file_.get()); }

}  // namespace postern::db
