// `postern backup`, `migrate` and `purge`: a copy that can take the database's place, the way from an earlier release
// (what a migrated database can do: tests/cgi/migration_test.cpp), and what has expired or ended.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "installation.h"
#include "preconditions.h"
#include "store/grants.h"
#include "store/login_attempts.h"

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

namespace {

void execute(const fs::path& file, const std::string& sql) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
    CHECK(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
}

/// Puts the database of the release with schema version 1 in the place of the new one.
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
    CHECK(has(installation.refused({"migrate"}), "exists already"));
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

namespace {

std::string counts_of(const json::Value& deleted) {
    REQUIRE(deleted.if_object());
    std::string text;
    for (const auto& [table, rows] : deleted.if_object()->members()) {
        if (*rows.if_integer() != 0) text += table + " " + std::to_string(*rows.if_integer()) + ", ";
    }
    return text;
}

}  // namespace

TEST_CASE("purge: a living installation is left as it is") {
    const Installation installation;
    put_sample(installation);
    put_session(installation, "ada 1", "ada");
    put_consent(installation, "wiki", "ada", "openid");
    const auto deleted = installation.must_json({"purge"});
    CHECK(counts_of(deleted).empty());
    CHECK(deleted.if_object()->size() == (test::is_on_postgresql() ? 21 : 20));  // marks are in a file of their own
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail");
    for (const char* table : {"sessions", "consents"}) CHECK(count_rows(installation, table) == 1);
}

TEST_CASE("purge: everything at once, however much it is, counted by table; a second time there is nothing left") {
    const Installation installation;
    put_sample(installation);
    constexpr int kMany = 1000;
    write(installation, [&](db::Transaction& transaction) {
        for (int i = 0; i < kMany; ++i) {
            model::Grant grant;
            grant.id = model::GrantId("old " + std::to_string(i));
            grant.client_id = model::ClientId("wiki");
            grant.subject = model::Subject("sub of ada");
            grant.created_at = given_at() - util::Seconds{90000};
            store::insert_grant(transaction, grant);
            model::AuthorizationCode code;
            code.code_hash = model::ValueHash("old " + std::to_string(i));
            code.grant_id = grant.id;
            code.expires_at = grant.created_at + util::Seconds{60};
            store::insert_code(transaction, code);
        }
        store::end_grant(transaction, model::GrantId("ada mail"), given_at() - util::Seconds{1});
        store::count_failures(transaction, {"key"}, given_at() - util::Seconds{1000}, util::Seconds{900});
    });
    CHECK(counts_of(installation.must_json({"purge"})) ==
          "access_tokens 1, authorization_codes 1001, grants 1001, login_attempts 1, refresh_tokens 1, ");
    CHECK(count_rows(installation, "grants") == 3);
    CHECK(counts_of(installation.must_json({"purge"})).empty());
    const std::string table = installation.must({"purge"});
    CHECK(table.starts_with("TABLE"));
    CHECK(has(table, "refresh_tokens          0\n"));
}

TEST_CASE("purge: access tokens that have expired go from grants that live on, too") {
    const Installation installation;
    put_sample(installation);
    const auto before = count_rows(installation, "access_tokens");
    REQUIRE(before > 1);
    write(installation, [&](db::Transaction& transaction) {
        transaction.database().prepare("UPDATE access_tokens SET expires_at = 1 WHERE grant_id = 'ada wiki'").execute();
    });
    CHECK(counts_of(installation.must_json({"purge"})) == "access_tokens 1, ");
    CHECK(count_rows(installation, "access_tokens") == before - 1);
    CHECK(count_rows(installation, "refresh_tokens") == before);
}

TEST_CASE("purge --quick: what the serving processes delete, and as late; tokens of grants that live on stay") {
    const Installation installation;
    put_sample(installation);
    write(installation, [&](db::Transaction& transaction) {
        transaction.database().prepare("UPDATE access_tokens SET expires_at = 1 WHERE grant_id = 'ada wiki'").execute();
        const util::Time now = util::SystemClock().now();
        for (const int ago : {30, 90}) {
            model::Grant grant;
            grant.id = model::GrantId("ended " + std::to_string(ago) + " s ago");
            grant.client_id = model::ClientId("wiki");
            grant.created_at = now - util::Seconds{ago};
            store::insert_grant(transaction, grant);
        }
    });
    CHECK(counts_of(installation.must_json({"purge", "--quick"})) == "grants 1, ");
    CHECK(counts_of(installation.must_json({"purge", "--quick"})).empty());
    CHECK(counts_of(installation.must_json({"purge"})) == "access_tokens 1, grants 1, ");
}

TEST_CASE("purge: copies the log back into the database file afterwards") {
    const Installation installation;
    const auto before = std::filesystem::file_size(installation.database_file());
    put_sample(installation);
    write(installation, [&](db::Transaction& transaction) {
        for (int i = 0; i < 2000; ++i) {
            store::count_failures(transaction, {"key " + std::to_string(i)}, given_at(), kLonger);
        }
    });
    CHECK(std::filesystem::file_size(installation.database_file()) == before);
    installation.must({"purge"});
    CHECK(std::filesystem::file_size(installation.database_file()) > before);
}
