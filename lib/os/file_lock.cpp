// How long a process waits for a lock on an open file.
#include "os/file_lock.h"

#include <sys/file.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "os/file.h"

namespace postern::os {
namespace {

constexpr suseconds_t kTickMicroseconds = 5000;

extern "C" void interrupt_only(int) {}

/// While it lives, a blocking call in this thread is interrupted every few milliseconds, so that it can look at the
/// clock. A repeating timer, since a single signal that arrives just before the call would be lost.
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
    if (try_lock(descriptor)) return true;
    const Ticker ticker;
    while (std::chrono::steady_clock::now() < deadline) {
        if (::flock(descriptor, LOCK_EX) == 0) return true;
        if (errno != EINTR) throw_errno();
    }
    return false;
}

void unlock(int descriptor) noexcept { ::flock(descriptor, LOCK_UN); }

}  // namespace postern::os
