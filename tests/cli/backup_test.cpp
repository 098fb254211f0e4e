// `postern backup`: a copy that can take the database's place.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "preconditions.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

std::string target(const Installation& installation) { return (installation.directory() / "copy.db").string(); }

}  // namespace

TEST_CASE("backup: a file of its owner alone, said with its size and with what is not in it") {
    const Installation installation;
    put_sample(installation);
    const auto told = installation.must_json({"backup", target(installation)});
    CHECK(text_of(told, "file") == target(installation));
    CHECK(integer_of(told, "bytes") == static_cast<std::int64_t>(fs::file_size(target(installation))));
    CHECK(integer_of(told, "schema_version") == db::kSchemaVersion);
    CHECK(words_of(told, "not_included") ==
          installation.keys_directory().string() + " " + installation.config_file().string());
    CHECK(test::mode_of(target(installation)) == 0600);

    fs::remove(target(installation));
    const std::string text = installation.must({"backup", target(installation)});
    CHECK(has(text, target(installation)));
    CHECK(has(text, installation.keys_directory().string()));
}

TEST_CASE("backup: put back as its help says, it is the database as it was; what was revoked since lives again [S17]") {
    const Installation installation;
    put_sample(installation);
    installation.must({"backup", target(installation)});
    installation.must({"token", "revoke", "--user", "ada"});
    installation.must({"user", "remove", "bob"});
    CHECK(living_grants(installation) == "mail");

    for (const char* suffix : {"-wal", "-shm"}) fs::remove(installation.database_file().string() + suffix);
    fs::copy_file(target(installation), installation.database_file(), fs::copy_options::overwrite_existing);
    installation.must({"user", "list"});
    for (const char* suffix : {"-wal", "-shm"}) CHECK(fs::exists(installation.database_file().string() + suffix));
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail");
    const auto now = std::to_string(util::to_epoch(util::SystemClock().now()) + 1);
    installation.must({"token", "revoke", "--before", now});
    CHECK(living_grants(installation).empty());
    installation.must({"doctor"});
}

TEST_CASE("backup: a writer in the middle of its work holds nothing up") {
    const Installation installation;
    put_sample(installation);
    const int gate = ::open((installation.database_file().string() + ".gate").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(gate >= 0);
    REQUIRE(::flock(gate, LOCK_EX) == 0);
    installation.must({"backup", target(installation)});
    ::close(gate);
}

TEST_CASE("backup: nothing is replaced, nothing half done is left") {
    const Installation installation;
    std::ofstream(target(installation)) << "precious";
    struct Row {
        Words arguments;
        int exit_code;
    };
    const Row rows[] = {
        {{"backup"}, 2},
        {{"backup", target(installation)}, 1},
        {{"backup", installation.database_file().string()}, 1},
        {{"backup", installation.directory().string()}, 1},
        {{"backup", (installation.directory() / "no" / "copy.db").string()}, 1},
        {{"backup", ""}, 1},
        {{"backup", "a", "b"}, 2},
    };
    for (const auto& row : rows) {
        CAPTURE(row.arguments.back());
        const auto result = installation.postern(row.arguments);
        CHECK(result.exit_code == row.exit_code);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
    }
    CHECK(fs::file_size(target(installation)) == 8);
    std::size_t entries = 0;
    for (const auto& entry : fs::directory_iterator(installation.directory()))
        if (entry.path() != installation.syslog_file()) ++entries;
    CHECK(entries == 4);  // configuration, data, keys, and the precious file
}

TEST_CASE("backup: what a killed one has left is removed by the next, what a running one makes is not") {
    const Installation installation;
    const auto file = [&](const std::string& name) { return installation.directory() / name; };
    struct Row {
        const char* name;
        bool stays;
    };
    const Row rows[] = {
        {".yesterday.db.postern-4711.part", false},
        {".yesterday.db.postern-4711.part-journal", false},
        {".today.db.postern-4712.part", true},  // held
        {".today.db.postern-4712.part-journal", true},
        {".today.db.postern-4712.part-wal", true},
        {".today.db.4711.part", true},
        {"yesterday.db.postern-4711.part", true},
        {".download.part", true},
        {".x.postern-.part", true},
        {".x.postern-4711.part.gz", true},
    };
    for (const Row& row : rows) std::ofstream(file(row.name)) << "half of it";
    const int held = ::open(file(".today.db.postern-4712.part").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(held >= 0);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    installation.must({"backup", target(installation)});
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(fs::exists(file(row.name)) == row.stays);
    }
    ::close(held);
    fs::remove(target(installation));
    installation.must({"backup", target(installation)});
    for (const char* suffix : {"", "-journal", "-wal"})
        CHECK_FALSE(fs::exists(file(std::string(".today.db.postern-4712.part") + suffix)));
}
