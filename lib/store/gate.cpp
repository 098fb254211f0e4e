// Decides who may write next.
#include "store/gate.h"

#include <sys/stat.h>

#include <utility>

#include "store/error.h"

namespace postern::store {
namespace {

constexpr mode_t kGateMode = 0660;

}  // namespace

Gate::Gate(std::string path) : path_(std::move(path)), file_(open_or_make(path_, kGateMode)) {
    if (!file_) {
        throw StoreUnusable(path_ + ": the gate file cannot be opened for writing (" + errno_text() +
                            "): give it the database's group and mode 0660");
    }
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw StoreUnusable(
            path_ + ": the gate must be a regular file: stop every process that uses the database, then remove it");
    }
}

void Gate::lock(Deadline deadline) {
    if (lock_until(file_.get(), deadline)) return;
    throw StoreBusy(path_ + ": other writers held the gate for the whole wait");
}

bool Gate::try_lock() { return store::try_lock(file_.get()); }

void Gate::unlock() noexcept { store::unlock(file_.get()); }

}  // namespace postern::store
