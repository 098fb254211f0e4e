#include "server/serve.h"

#include <doctest/doctest.h>

#include "config/config.h"

#include <cstdlib>

namespace postern::server {
namespace {

TEST_CASE("max_requests: absent is for ever, anything but a positive number refuses to start") {
    unsetenv("POSTERN_MAX_REQUESTS");
    CHECK_FALSE(max_requests());
    setenv("POSTERN_MAX_REQUESTS", "500", 1);
    CHECK(max_requests() == 500);
    for (const char* bad : {"0", "-1", "x", "5 ", "1000000001", "1e3"}) {
        CAPTURE(bad);
        setenv("POSTERN_MAX_REQUESTS", bad, 1);
        CHECK_THROWS_AS(max_requests(), config::ConfigError);
    }
    unsetenv("POSTERN_MAX_REQUESTS");
}

TEST_CASE("max_away: absent is 30 seconds, 0 is never") {
    unsetenv("POSTERN_MAX_AWAY");
    CHECK(max_away() == std::chrono::seconds(30));
    setenv("POSTERN_MAX_AWAY", "5", 1);
    CHECK(max_away() == std::chrono::seconds(5));
    setenv("POSTERN_MAX_AWAY", "0", 1);
    CHECK_FALSE(max_away());
    setenv("POSTERN_MAX_AWAY", "-1", 1);
    CHECK_THROWS_AS(max_away(), config::ConfigError);
    unsetenv("POSTERN_MAX_AWAY");
}

}  // namespace
}  // namespace postern::server
