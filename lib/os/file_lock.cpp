// How a process waits for another one, and for its lock on an open file.
#include "os/file_lock.h"

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

namespace postern::os {
namespace {

// Short beside a sync of the disk: a lock that is given back does not stay free for long while others want it.
constexpr std::chrono::milliseconds kLongestPause{1};

[[noreturn]] void throw_errno() { throw std::system_error(errno, std::generic_category(), "flock"); }

}  // namespace

bool poll_until(Deadline deadline, std::chrono::milliseconds longest_pause, const std::function<bool()>& done) {
    std::chrono::microseconds pause{100};
    while (!done()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(pause * 2, longest_pause);
    }
    return true;
}

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
