// How a process waits for another one, and for its lock on an open file.
#include "os/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace postern::os {
namespace {

// Short beside a sync of the disk: a lock that is given back does not stay free for long while others want it.
constexpr std::chrono::milliseconds kLongestPause{1};

[[noreturn]] void throw_errno() { throw std::system_error(errno, std::generic_category(), "flock"); }

// A hash takes some tens of milliseconds, so polling this often wastes neither time nor processor.
constexpr std::chrono::milliseconds kLongestPauseForSlot{5};

std::string path_of(const std::string& files, int slot) { return files + std::to_string(slot); }

Descriptor open_slot(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660));
    if (!file) throw std::system_error(errno, std::generic_category(), "slot " + path);
    return file;
}

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

std::vector<std::string> Slot::make_files(const std::string& files, int slots) {
    std::vector<std::string> paths;
    for (int slot = 0; slot < slots; ++slot) {
        paths.push_back(path_of(files, slot));
        open_slot(paths.back());
    }
    return paths;
}

std::optional<Slot> Slot::acquire(const std::string& files, int slots, std::chrono::milliseconds wait,
                                  const GivesUp& gives_up) {
    if (files.empty()) return Slot(Descriptor());
    std::optional<Slot> free;
    poll_until(std::chrono::steady_clock::now() + wait, kLongestPauseForSlot, [&] {
        for (int slot = slots; slot-- > 0 && !free;) {
            Descriptor file = open_slot(path_of(files, slot));
            if (try_lock(file.get())) free = Slot(std::move(file));
        }
        return free || (gives_up && gives_up());
    });
    return free;
}

}  // namespace postern::os
