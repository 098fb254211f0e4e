// Places for password hashes, counted across processes by lock files.
#include "os/slots.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

using namespace postern;
using std::chrono::milliseconds;

namespace {

struct Directory {
    Directory() {
        std::string pattern = std::filesystem::temp_directory_path() / "postern-slots-XXXXXX";
        REQUIRE(::mkdtemp(pattern.data()));
        path = pattern;
    }
    ~Directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::string path;
};

}  // namespace

TEST_CASE("Slot: as many as there are, and free again when given back [L11, Q07]") {
    Directory directory;
    const std::string database = directory.path + "/postern.db";
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
    Directory directory;
    const std::string database = directory.path + "/postern.db";
    auto held = os::Slot::acquire(database, 1, milliseconds{0});
    const auto files = os::Slot::make_files(database, 2);
    CHECK(files.size() == 2);
    for (const std::string& file : files) CHECK(std::filesystem::exists(file));
    CHECK_FALSE(os::Slot::acquire(database, 1, milliseconds{0}));
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path)) found += entry.is_regular_file();
    CHECK(found == 2);
    CHECK(os::Slot::acquire(database, 2, milliseconds{0}));
    CHECK_THROWS_AS((void)os::Slot::make_files("/nonexistent/postern.db", 1), std::system_error);
}

TEST_CASE("Slot: a place that cannot be made is an error, not a free place") {
    CHECK_THROWS_AS((void)os::Slot::acquire("/nonexistent/postern.db", 1, milliseconds{0}), std::system_error);
}

TEST_CASE("Slot: who may use fewer finds a place that others leave, and gives up when it is told to [L11]") {
    Directory directory;
    const std::string files = directory.path + "/postern.db.hash";
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
