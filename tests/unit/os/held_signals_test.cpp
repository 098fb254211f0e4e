#include "os/held_signals.h"

#include <doctest/doctest.h>

#include "support/files.h"

using namespace postern;
using namespace postern::test;

namespace {

/// The signal that ended a process which does this; 0 when it ended by itself.
template <class Action>
int signal_that_ends(Action action) {
    const pid_t child = start_child([&] { return action(), 0; });
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("HeldSignals: a signal that arrives takes effect at the end, not before") {
    const TemporaryDirectory directory;
    const std::string mark = directory / "reached";
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        std::filesystem::remove(mark);
        CHECK(signal_that_ends([&] {
                  ::signal(signal, SIG_DFL);
                  const os::HeldSignals held;
                  const bool early = held.arrived();
                  ::raise(signal);
                  if (!early && held.arrived()) write_file(mark, "");
              }) == signal);
        CHECK(std::filesystem::exists(mark));
    }
}

TEST_CASE("HeldSignals: an ignored signal stays ignored, and others are not held") {
    CHECK(signal_that_ends([] {
              ::signal(SIGHUP, SIG_IGN);
              const os::HeldSignals held;
              ::raise(SIGHUP);
              if (held.arrived()) ::raise(SIGKILL);
          }) == 0);
    CHECK(signal_that_ends([] {
              const os::HeldSignals held;
              ::raise(SIGUSR1);
          }) == SIGUSR1);
}

TEST_CASE("HeldSignals: what the caller has blocked stays blocked, and does not count as arrived later") {
    CHECK(signal_that_ends([] {
              sigset_t caller;
              ::sigemptyset(&caller);
              ::sigaddset(&caller, SIGTERM);
              ::pthread_sigmask(SIG_BLOCK, &caller, nullptr);
              ::raise(SIGTERM);
              { const os::HeldSignals held; }
              sigset_t now;
              ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
              if (::sigismember(&now, SIGTERM) != 1) ::raise(SIGKILL);
          }) == 0);
}
