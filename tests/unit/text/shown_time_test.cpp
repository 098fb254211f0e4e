// Times as pages show them.
#include "text/message.h"

#include <doctest/doctest.h>

#include "unit/text/said.h"

using namespace postern;

TEST_CASE("shown_time, shown_day: always in UTC") {
    CHECK(text::shown_time(util::from_epoch(1777817100)) == "3 May 2026, 14:05 UTC");
    CHECK(text::shown_day(util::from_epoch(1777817100)) == "3 May 2026");
    CHECK(text::shown_time(util::from_epoch(951782399)) == "28 February 2000, 23:59 UTC");
    CHECK(text::shown_time(util::from_epoch(951782400)) == "29 February 2000, 00:00 UTC");
    CHECK(text::shown_time(util::from_epoch(0)) == "1 January 1970, 00:00 UTC");
}
