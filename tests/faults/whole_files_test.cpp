// Files that come about at once or not at all: a new database, a migrated one, copies, keys.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>

#include "db/maintenance.h"
#include "faults/disk.h"
#include "faults/operations.h"
#include "faults/system.h"

namespace {

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

constexpr Plan kDiskTroubles[] = {{Fault::io_error, 0, Lasting::once},
                                  {Fault::io_error, 0, Lasting::from_then_on},
                                  {Fault::full, 0, Lasting::from_then_on},
                                  {Fault::short_write, 0, Lasting::once},
                                  {Fault::sync_fails, 0, Lasting::from_then_on}};

/// Every step fails once, then every call of the program's own. `attempt` says whether it was done, `judge` looks at
/// what it left.
int fail_at_every_step(const std::function<void()>& prepare, const std::function<bool()>& attempt,
                       const std::function<void(bool done)>& judge) {
    int points = 0;
    const auto one = [&](const auto& arm, const auto& disarm, const auto& struck) {
        prepare();
        arm();
        const bool done = attempt();
        disarm();
        if (!struck()) {
            CHECK(done);
            return false;
        }
        judge(done);
        ++points;
        return true;
    };
    Disk& disk = Disk::instance();
    for (Plan plan : kDiskTroubles) {
        for (plan.at = 1;; ++plan.at) {
            CAPTURE(plan.at);
            CAPTURE(static_cast<int>(plan.fault));
            if (!one([&] { disk.arm(plan); }, [&] { disk.disarm(); }, [&] { return disk.struck(); })) break;
            if (!std::getenv("POSTERN_LONG")) plan.at += 3;
        }
    }
    System& system = System::instance();
    for (const int error : {EIO, ENOSPC}) {
        for (int at = 1;; ++at) {
            CAPTURE(at);
            CAPTURE(error);
            if (!one([&] { system.arm(at, error); }, [&] { system.disarm(); }, [&] { return system.struck(); })) break;
        }
    }
    return points;
}

bool succeeds(const std::function<void()>& work) {
    try {
        work();
        return true;
    } catch (const db::StoreError&) {
        return false;
    }
}

TEST_CASE("new database: it is whole, or there is nothing in the way of another try [S14]") {
    const fs::path path = sample_installation().op.directory() / "new.db";
    const auto remove = [&] {
        for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"}) fs::remove(path.string() + suffix);
    };
    const int points = fail_at_every_step(
        remove, [&] { return succeeds([&] { db::Database::create(path); }); },
        [&](bool done) {
            if (done) CHECK(read_contents(path).problem == "");
            if (!done && fs::exists(path)) {  // all of it was made, and then its directory could not be synced
                CHECK(read_contents(path).problem == "");
                CHECK(succeeds([&] { db::Database(path, db::Access::read_write); }));
            }
            if (!done && !fs::exists(path)) CHECK(succeeds([&] { db::Database::create(path); }));
        });
    remove();
    MESSAGE(points << " points");
}

/// As the release with schema version 1 made it.
Files old_database(const SampleInstallation& there) {
    const fs::path path = there.op.directory() / "old.db";
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
    const std::string sql =
        "PRAGMA journal_mode = WAL;" + read_file("tests/support/schema-v1.sql") +
        "INSERT INTO users VALUES ('sub-1', 'alice', 'hash', '{}', 1, 1, 1);"
        "INSERT INTO clients VALUES ('client', 'A client', 'confidential', 0, 0, 1, 'authorization_code',"
        " 'openid', 'client_secret_basic', 'optional', 1);"
        "INSERT INTO consents VALUES ('client', 'sub-1', 'openid email', 7);";
    REQUIRE(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
    return {{path.string(), read_file(path)}};
}

TEST_CASE("migration: the database is as it was, with a copy of it or without, or it is of this version [S11, S14]") {
    SampleInstallation& there = sample_installation();
    const Files old = old_database(there);
    const std::string path = old.begin()->first;
    const std::string copy = path + ".v1";
    const auto prepare = [&] {
        for (const char* suffix : {"-wal", "-shm", ".v1"}) fs::remove(path + suffix);
        write_file(path, old.at(path));
    };
    prepare();
    const std::string before = read_contents(path).rows;
    db::migrate(path);
    const std::string after = read_contents(path).rows;
    REQUIRE(before != after);
    const int points = fail_at_every_step(
        prepare, [&] { return succeeds([&] { db::migrate(path); }); },
        [&](bool done) {
            const Contents now = read_contents(path);
            CHECK(now.problem == "");
            CHECK((now.rows == after || (!done && now.rows == before)));
            if (now.rows == after) CHECK(fs::exists(copy));  // though nothing else may be promised
            if (fs::exists(copy)) CHECK(read_contents(copy).rows == before);
            fs::remove(copy);
            CHECK(succeeds([&] { db::migrate(path); }));
            CHECK(read_contents(path).rows == after);
        });
    prepare();
    fs::remove(path);
    MESSAGE(points << " points");
}

TEST_CASE("copy: it has its name when it is whole, and not before [S14]") {
    SampleInstallation& there = sample_installation();
    const std::string source = there.op.database_file().string();
    const fs::path target = there.op.directory() / "copies" / "copy.db";
    fs::create_directory(target.parent_path());
    const int points = fail_at_every_step(
        [&] { fs::remove(target); },
        [&] {
            return succeeds([&] {
                db::Database database(source, db::Access::query_only);
                db::back_up(database, target);
            });
        },
        [&](bool done) {
            CHECK(fs::exists(target) == done);
            if (done) CHECK(read_contents(target).rows == read_contents(source).rows);
            for (const auto& entry : fs::directory_iterator(target.parent_path()))
                CHECK(entry.path().string().starts_with(target.string()));  // nothing under way is left
        });
    fs::remove_all(target.parent_path());
    MESSAGE(points << " points");
}

/// The key directory, file by file.
Files key_files(const SampleInstallation& there) {
    Files files;
    for (const auto& entry : fs::directory_iterator(there.op.keys_directory()))
        files[entry.path().string()] = read_file(entry.path());
    return files;
}

TEST_CASE("keys: a rotation that fails leaves keys that sign and verify, and every token verifies [S14]") {
    struct Row {
        const char* what;
        std::vector<std::string> words;
    };
    for (const Row& row :
         {Row{"a key", {"key", "rotate", "--alg", "ES256"}}, Row{"the seal", {"key", "rotate", "--seal"}}}) {
        CAPTURE(std::string(row.what));
        SampleInstallation& there = sample_installation();
        const Files whole = key_files(there);
        System& system = System::instance();
        for (int at = 1;; ++at) {
            CAPTURE(at);
            Host host(Host::Life::long_one);
            host.take(there.op);
            for (const char* program : {"token", "introspect"}) host.start(program, there.op);
            system.arm(at, EIO);
            const CommandResult result = there.op.postern(row.words);
            system.disarm();
            const bool struck = system.struck();
            CHECK_MESSAGE(result.exit_code == (struck ? 1 : 0), result.err << result.out);
            if (struck) CHECK(result.err != "");
            CHECK(is_active(there.op, there.held.access_token));
            const Operation& grant = operation("client credentials");
            const Answer fresh = grant.perform(there);
            REQUIRE_MESSAGE(grant.done(fresh), fresh.raw);
            CHECK(is_active(there.op, fresh.member("access_token")));
            {
                Host anew(Host::Life::one_request);
                anew.take(there.op);
                CHECK(is_active(there.op, fresh.member("access_token")));
                CHECK(grant.done(grant.perform(there)));
                CHECK(there.op.postern({"key", "list"}).exit_code == 0);
            }
            for (const auto& [name, bytes] : key_files(there))
                if (!whole.contains(name)) fs::remove(name);
            for (const auto& [name, bytes] : whole) write_file(name, bytes);
            if (!struck) break;
            REQUIRE(at < 200);
        }
    }
}

}  // namespace
