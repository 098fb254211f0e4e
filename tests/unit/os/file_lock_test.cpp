// A wait ends when what it is for has happened, or at its deadline.
#include "os/file_lock.h"

#include <doctest/doctest.h>

using namespace postern;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST_CASE("poll_until: asks once when the deadline has passed, and until it is true before") {
    int asked = 0;
    CHECK_FALSE(os::poll_until(Clock::now() - milliseconds(1), milliseconds(1), [&] { return ++asked > 1; }));
    CHECK(asked == 1);
    CHECK(os::poll_until(Clock::now(), milliseconds(1), [&] { return ++asked > 1; }));
    CHECK(asked == 2);
    CHECK(os::poll_until(Clock::now() + std::chrono::hours(1), milliseconds(1), [&] { return ++asked == 20; }));
    CHECK(asked == 20);
}

TEST_CASE("poll_until: what never happens is waited for until the deadline, with short pauses") {
    const auto begin = Clock::now();
    int asked = 0;
    const auto never = [&] {
        ++asked;
        return false;
    };
    CHECK_FALSE(os::poll_until(begin + milliseconds(50), milliseconds(5), never));
    CHECK(Clock::now() >= begin + milliseconds(50));
    CHECK(asked > 3);  // on a busy machine, too
    CHECK(asked < 30);
}
