// Places for password hashes, counted across processes by lock files.
#include "os/hash_slots.h"

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

TEST_CASE("HashSlot: as many as there are, and free again when given back [L11, Q07]") {
    Directory directory;
    const std::string database = directory.path + "/postern.db";
    auto first = os::HashSlot::acquire(database, 2, milliseconds{0});
    auto second = os::HashSlot::acquire(database, 2, milliseconds{0});
    CHECK(first);
    CHECK(second);
    CHECK_FALSE(os::HashSlot::acquire(database, 2, milliseconds{0}));
    CHECK_FALSE(os::HashSlot::acquire(database, 2, milliseconds{20}));
    first.reset();
    CHECK(os::HashSlot::acquire(database, 2, milliseconds{0}));
}

TEST_CASE("HashSlot::make_files: names the files that acquire uses, and leaves those alone that are there") {
    Directory directory;
    const std::string database = directory.path + "/postern.db";
    auto held = os::HashSlot::acquire(database, 1, milliseconds{0});
    const auto files = os::HashSlot::make_files(database, 2);
    CHECK(files.size() == 2);
    for (const std::string& file : files) CHECK(std::filesystem::exists(file));
    CHECK_FALSE(os::HashSlot::acquire(database, 1, milliseconds{0}));
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path)) found += entry.is_regular_file();
    CHECK(found == 2);
    CHECK(os::HashSlot::acquire(database, 2, milliseconds{0}));
    CHECK_THROWS_AS((void)os::HashSlot::make_files("/nonexistent/postern.db", 1), std::system_error);
}

TEST_CASE("HashSlot: a place that cannot be made is an error, not a free place") {
    CHECK_THROWS_AS((void)os::HashSlot::acquire("/nonexistent/postern.db", 1, milliseconds{0}), std::system_error);
}

TEST_CASE("HashSlot: without files there is no limit") {
    auto one = os::HashSlot::acquire("", 1, milliseconds{0});
    CHECK(os::HashSlot::acquire("", 1, milliseconds{0}));
}
