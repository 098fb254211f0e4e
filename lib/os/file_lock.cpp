// How long a process waits for a lock on an open file.
#include "os/file_lock.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <system_error>

namespace postern::os {
namespace {

// Short beside a sync of the disk: a lock that is given back does not stay free for long while others want it.
constexpr std::chrono::milliseconds kLongestPause{1};

[[noreturn]] void throw_errno() { throw std::system_error(errno, std::generic_category(), "flock"); }

}  // namespace

bool try_lock(int descriptor) {
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) return false;
        throw_errno();
    }
    return true;
}

bool lock_until(int descriptor, Deadline deadline) {
    return poll_until(deadline, kLongestPause, [&] { return try_lock(descriptor); });
}

void unlock(int descriptor) noexcept { ::flock(descriptor, LOCK_UN); }

}  // namespace postern::os
