// `postern migrate`: the command and what leads to it. What a migrated database can do: tests/cgi/migration_test.cpp.
#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "preconditions.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

void execute(const fs::path& file, const std::string& sql) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
    CHECK(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
}

/// What the release with schema version 1 left.
void put_version_1(const Installation& installation) {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(installation.database_file().string() + suffix);
    std::ostringstream schema;
    schema << std::ifstream("tests/support/schema-v1.sql").rdbuf();
    execute(installation.database_file(), "PRAGMA journal_mode = WAL;" + schema.str() +
                                              "INSERT INTO users VALUES ('sub of ada', 'ada', '', '{}', 1, 1, 1)");
    fs::permissions(installation.database_file(), fs::perms(0660));
}

}  // namespace

TEST_CASE("migrate: every other command, doctor first, says that it is needed") {
    const Installation installation;
    put_version_1(installation);
    for (const Words& arguments : std::vector<Words>{
             {"user", "list"}, {"token", "revoke", "--all"}, {"stats"}, {"backup", "/tmp/no-copy.db"}, {"purge"}}) {
        CAPTURE(arguments.front());
        CHECK(has(installation.refused(arguments), "postern migrate"));
    }
    const auto doctor = installation.postern({"doctor"});
    CHECK(doctor.exit_code == 1);
    CHECK(has(doctor.out, "postern migrate"));
}

TEST_CASE("migrate: says from where to where and where the copy is; a second time there is nothing to do") {
    const Installation installation;
    put_version_1(installation);
    const auto migrated = installation.must_json({"migrate"});
    CHECK(integer_of(migrated, "from") == 1);
    CHECK(integer_of(migrated, "to") == db::kSchemaVersion);
    const std::string copy = installation.database_file().string() + ".v1";
    CHECK(text_of(migrated, "copy") == copy);
    CHECK(test::mode_of(copy) == 0600);
    CHECK(has(installation.must({"user", "list"}), "ada"));
    installation.must({"doctor"});

    const auto again = installation.must_json({"migrate"});
    CHECK(integer_of(again, "from") == db::kSchemaVersion);
    CHECK(again.if_object()->find("copy") == nullptr);
    CHECK(has(installation.must({"migrate"}), "nothing to do"));
}

TEST_CASE(
    "migrate: makes factor.key where it is missing, like seal.key, and leaves one that is there [FKEY-1] [STORE-5]") {
    const Installation installation;
    const fs::path key = installation.keys_directory() / "factor.key";
    put_version_1(installation);
    fs::remove(key);
    installation.must({"migrate"});
    CHECK(fs::file_size(key) == 32);
    CHECK(test::mode_of(key) == test::mode_of(installation.keys_directory() / "seal.key"));
    const auto before = fs::last_write_time(key);
    installation.must({"migrate"});
    CHECK(fs::last_write_time(key) == before);
    fs::remove(key);
    installation.must({"migrate"});  // the database is one of this version already
    CHECK(fs::file_size(key) == 32);
    installation.must({"doctor"});
}

TEST_CASE("migrate: its output names the next step") {
    const Installation installation;
    put_version_1(installation);
    const std::string text = installation.must({"migrate"});
    for (const char* part : {"postern.db.v1", "Start the serving processes"}) CHECK_MESSAGE(has(text, part), part);
}

TEST_CASE("migrate: what cannot be migrated is refused and left as it is [S11]") {
    struct Row {
        const char* sql;
        const char* says;
    };
    const Row rows[] = {
        {"PRAGMA user_version = 999", "999"},
        {"PRAGMA user_version = 0", "no release"},
        {"PRAGMA application_id = 7", "not a database of Postern"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.sql);
        const Installation installation;
        execute(installation.database_file(), row.sql);
        CHECK(has(installation.refused({"migrate"}), row.says));
    }
    const Installation installation;
    put_version_1(installation);
    std::ofstream(installation.database_file().string() + ".v1") << "precious";
    const auto result = installation.postern({"migrate"});
    CHECK(result.exit_code == 1);
    CHECK(has(result.err, "exists already"));
    CHECK(has(installation.postern({"user", "list"}).err, "schema version 1"));
}

TEST_CASE("migrate: run as root, the database with its log stays its owner's and its group's") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: this needs root");
        return;
    }
    const Installation installation;
    put_version_1(installation);
    const fs::path directory = installation.database_file().parent_path();
    for (const fs::path& path : {directory, installation.database_file()})
        REQUIRE(::chown(path.c_str(), 65534, 61000) == 0);
    fs::permissions(directory, fs::perms(02770));  // a change of owner may clear bits
    fs::permissions(installation.database_file(), fs::perms(0660));
    installation.must({"migrate"});
    for (const char* suffix : {"", "-wal", "-shm"}) {
        CAPTURE(std::string(suffix));
        const std::string path = installation.database_file().string() + suffix;
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK(status.st_uid == 65534);
        CHECK(status.st_gid == 61000);
        CHECK(test::mode_of(path) == 0660);
    }
}
