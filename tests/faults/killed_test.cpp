// A process is killed at every moment of an operation: what others find is whole, and nobody waits for the dead.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>

#include "faults/disk.h"
#include "faults/operations.h"
#include "faults/power.h"
#include "faults/system.h"

namespace {

using namespace postern;
using namespace postern::test;

/// From the last step of a request to the first: what is between commit and sync is near the end.
constexpr int kLast = 40;

/// Kills this process before the `at`-th thing from now on that it asks of the system.
void arm_death(int at) {
    const auto pass = [at, passed = 0]() mutable {
        if (++passed == at) ::kill(::getpid(), SIGKILL);
    };
    const auto shared = std::make_shared<std::function<void()>>(pass);
    const auto call = [shared] { (*shared)(); };
    Disk::instance().before_steps(call);
    System::instance().before_calls(call);
}

/// Whether the child was killed; false: it was done before.
bool run_and_kill(const Operation& operation, int at) {
    SampleInstallation& there = sample_installation();
    const pid_t child = ::fork();
    if (child == 0) {
        Host host(Host::Life::long_one);
        host.take(there.op);
        for (const std::string& program : operation.programs) host.start(program, there.op);
        arm_death(at);
        operation.perform(there);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return true;
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    return false;
}

std::vector<std::string> states_of(const Operation& operation) {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    const Recording recording(there.op.database_file().string());
    REQUIRE(operation.done(operation.perform(there)));
    std::vector<std::string> states;
    for (const Recording::Commit& commit : recording.commits()) states.push_back(commit.contents);
    return states;
}

int steps_of(const Operation& operation) {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    for (const std::string& program : operation.programs) host.start(program, there.op);
    int steps = 0;
    Disk::instance().before_steps([&] { ++steps; });
    System::instance().before_calls([&] { ++steps; });
    operation.perform(there);
    Disk::instance().before_steps(nullptr);
    System::instance().before_calls(nullptr);
    return steps;
}

TEST_CASE(
    "killed: an operation is complete or did not begin, and the next one does not wait for the killed process "
    "[S14, STORE-2]") {
    for (const char* name : {"code exchange", "refresh", "revocation of a refresh token", "logout",
                             "second step by app", "second step by recovery code", "app removed"}) {
        const Operation& now = operation(name);
        CAPTURE(now.name);
        const auto states = states_of(now);
        const int steps = steps_of(now);
        REQUIRE(steps > 5);
        const int first = std::getenv("POSTERN_LONG") ? 1 : std::max(1, steps - kLast);
        int killed_after_commit = 0;
        for (int at = first; at <= steps; ++at) {
            CAPTURE(at);
            REQUIRE(run_and_kill(now, at));
            SampleInstallation& there = unrestored_installation();
            const std::string database = there.op.database_file().string();
            const Contents contents = read_contents(database);
            CHECK(contents.problem == "");
            const bool is_known = std::ranges::find(states, contents.rows) != states.end();
            CHECK_MESSAGE(is_known, "half done");
            const bool as_before = contents.rows == states.front();
            killed_after_commit += contents.rows == states.back();

            Host host(Host::Life::long_one);
            host.take(there.op);
            const Answer again = now.perform(there);
            CHECK_MESSAGE(again.status < 500, again.raw << again.log);
            if (as_before) CHECK_MESSAGE(now.done(again), again.raw << again.log);
            CHECK(now.holds(there));
        }
        CHECK_FALSE(run_and_kill(now, steps + 1));
        CHECK(killed_after_commit > 2);
    }
}

}  // namespace
