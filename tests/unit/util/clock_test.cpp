// Tests of lib/util/clock.cpp.
#include "util/clock.h"

#include <doctest/doctest.h>

#include <ctime>

using namespace postern::util;

TEST_CASE("SystemClock: agrees with the C library") {
    const std::int64_t before = std::time(nullptr);
    const std::int64_t now = to_epoch(SystemClock().now());
    const std::int64_t after = std::time(nullptr);
    CHECK(now >= before - 1);  // time() may read a coarser clock
    CHECK(now <= after + 1);
}

TEST_CASE("FixedClock: moves only by advance") {
    FixedClock clock(from_epoch(1'700'000'000));
    CHECK(to_epoch(clock.now()) == 1'700'000'000);
    clock.advance(Seconds{61});
    CHECK(to_epoch(clock.now()) == 1'700'000'061);
}
