// How a process waits for another one, and for its lock on an open file.
#include "os/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace postern::os {
namespace {

constexpr suseconds_t kTickMicroseconds = 5000;

extern "C" void interrupt_only(int) {}

/// Interrupts a blocking call of this thread every few milliseconds while it lives, so that the caller can look at the
/// clock. The timer repeats, because a single signal that arrives just before the call would be lost.
class Ticker {
public:
    Ticker() {
        struct sigaction action {};
        action.sa_handler = interrupt_only;  // no SA_RESTART: the call must come back
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGALRM, &action, &former_action_);
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        ::pthread_sigmask(SIG_UNBLOCK, &alarm, &former_mask_);
        const itimerval tick{{0, kTickMicroseconds}, {0, kTickMicroseconds}};
        ::setitimer(ITIMER_REAL, &tick, nullptr);
    }
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;
    ~Ticker() {
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        ::pthread_sigmask(SIG_SETMASK, &former_mask_, nullptr);
        ::sigaction(SIGALRM, &former_action_, nullptr);
    }

private:
    struct sigaction former_action_ {};
    sigset_t former_mask_{};
};

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

// In the kernel's queue, not by looking again: docs/decisions/0129-locks-in-the-kernels-queue.md
bool lock_until(int descriptor, Deadline deadline) {
    if (try_lock(descriptor)) return true;
    const Ticker ticker;
    while (std::chrono::steady_clock::now() < deadline) {
        if (::flock(descriptor, LOCK_EX) == 0) return true;
        if (errno != EINTR) throw_errno();
    }
    return false;
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
