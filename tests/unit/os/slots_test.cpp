// Places for password hashes, counted across processes by lock files; and the wait for one (os/file_lock.h).

#include <doctest/doctest.h>

#include <system_error>

#include "os/file_lock.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST_CASE("Slot: as many as there are, and free again when given back [L11, Q07]") {
    const TemporaryDirectory directory;
    const std::string database = directory / "postern.db";
    auto first = os::Slot::acquire(database, 2, milliseconds{0});
    auto second = os::Slot::acquire(database, 2, milliseconds{0});
    CHECK(first);
    CHECK(second);
    CHECK_FALSE(os::Slot::acquire(database, 2, milliseconds{0}));
    CHECK_FALSE(os::Slot::acquire(database, 2, milliseconds{20}));
    first.reset();
    CHECK(os::Slot::acquire(database, 2, milliseconds{0}));
}

TEST_CASE("Slot::make_files: names the files that acquire uses, and leaves those alone that are there") {
    const TemporaryDirectory directory;
    const std::string database = directory / "postern.db";
    auto held = os::Slot::acquire(database, 1, milliseconds{0});
    const auto files = os::Slot::make_files(database, 2);
    CHECK(files.size() == 2);
    for (const std::string& file : files) CHECK(std::filesystem::exists(file));
    CHECK_FALSE(os::Slot::acquire(database, 1, milliseconds{0}));
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) found += entry.is_regular_file();
    CHECK(found == 2);
    CHECK(os::Slot::acquire(database, 2, milliseconds{0}));
    CHECK_THROWS_AS((void)os::Slot::make_files("/nonexistent/postern.db", 1), std::system_error);
}

TEST_CASE("Slot: a place that cannot be made is an error, not a free place") {
    CHECK_THROWS_AS((void)os::Slot::acquire("/nonexistent/postern.db", 1, milliseconds{0}), std::system_error);
}

TEST_CASE("Slot: who may use fewer finds a place that others leave, and gives up when it is told to [L11]") {
    const TemporaryDirectory directory;
    const std::string files = directory / "postern.db.hash";
    const auto kept = os::Slot::acquire(files, 2, milliseconds{0});
    const auto first = os::Slot::acquire(files, 1, milliseconds{0});
    CHECK(kept);
    CHECK(first);
    int looks = 0;
    CHECK_FALSE(os::Slot::acquire(files, 1, std::chrono::hours{1}, [&] { return ++looks == 3; }));
    CHECK(looks == 3);
}

TEST_CASE("Slot: without files there is no limit") {
    auto one = os::Slot::acquire("", 1, milliseconds{0});
    CHECK(os::Slot::acquire("", 1, milliseconds{0}));
}

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
