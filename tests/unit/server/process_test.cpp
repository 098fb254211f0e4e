#include "server/process.h"

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

}  // namespace
}  // namespace postern::server
