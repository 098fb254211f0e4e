// Decides who may write next, and how long anybody waits for it.
#include "store/gate.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "store/error.h"

namespace postern::store {
namespace {

constexpr mode_t kGateMode = 0660;
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
    if (try_lock() || wait_in_queue(deadline)) return;
    throw StoreBusy(path_ + ": other writers held the gate for the whole wait");
}

bool Gate::try_lock() {
    while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) return false;
        throw StoreError(path_ + ": flock failed: " + errno_text());
    }
    return true;
}

bool Gate::wait_in_queue(Deadline deadline) {
    const Ticker ticker;
    while (std::chrono::steady_clock::now() < deadline) {
        if (::flock(file_.get(), LOCK_EX) == 0) return true;
        if (errno != EINTR) throw StoreError(path_ + ": flock failed: " + errno_text());
    }
    return false;
}

void Gate::unlock() noexcept { ::flock(file_.get(), LOCK_UN); }

}  // namespace postern::store
