// Signals that end a program, kept waiting until it has cleaned up.
#pragma once

#include <csignal>

namespace postern::os {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT of this thread wait, except those that are ignored (nohup). One
/// that has arrived takes effect when it ends: work that finds `arrived` true stops, and is undone by its destructors.
class HeldSignals {
public:
    HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    ~HeldSignals();

    bool arrived() const;

private:
    sigset_t held_{};
    sigset_t former_{};
};

}  // namespace postern::os
