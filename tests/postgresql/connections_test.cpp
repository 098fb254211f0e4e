// How long a process stays on one server. The monotonic clock is tests/support/fake_clock_preload.c's.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "db/read.h"
#include "postgresql/race.h"

using namespace postern;

namespace {

/// The monotonic clock runs a thousand times as fast, and so it is hours ahead.
struct Later {
    Later() { ::setenv("POSTERN_TEST_HASTE", "1000", 1); }
    Later(const Later&) = delete;
    Later& operator=(const Later&) = delete;
    ~Later() { ::unsetenv("POSTERN_TEST_HASTE"); }
};

std::int64_t backend(db::Database& database) {
    auto row = database.prepare("SELECT pg_backend_pid()");
    REQUIRE(row.step());
    return row.integer(0);
}

std::int64_t backend_of_list(db::Database& database) {
    auto row = database.list("SELECT pg_backend_pid() AS pid");
    REQUIRE(row.step());
    return row.integer(0);
}

}  // namespace

TEST_CASE("a connection is left after 300 seconds, whatever is asked first") {
    struct Row {
        const char* first;
        std::function<std::int64_t(db::Database&)> ask;
    };
    const Row rows[] = {
        {"a read alone", backend},
        {"a list", backend_of_list},
        {"reads of one snapshot", [](auto& database) { return db::read(database, [&] { return backend(database); }); }},
    };
    const test::RaceWorld world(test::Driver::shipped);
    for (const Row& row : rows) {
        CAPTURE(row.first);
        db::Database database(world.uri, db::Access::read_write, std::chrono::hours(24));  // for each answer, as fast
        const auto before = row.ask(database);
        CHECK(row.ask(database) == before);
        const Later later;
        CHECK(row.ask(database) != before);
    }
}
