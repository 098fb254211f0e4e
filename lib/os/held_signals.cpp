// Decides which signals wait.
#include "os/held_signals.h"

namespace postern::os {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Linux keeps a blocked signal even if it is ignored, so those are left out.
bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
    ::sigemptyset(&held_);
    for (const int signal : kSignals) {
        if (!is_ignored(signal)) ::sigaddset(&held_, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &held_, &former_);
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

bool HeldSignals::arrived() const {
    sigset_t pending{};
    ::sigpending(&pending);
    for (const int signal : kSignals) {
        if (::sigismember(&held_, signal) == 1 && ::sigismember(&pending, signal) == 1) return true;
    }
    return false;
}

}  // namespace postern::os
