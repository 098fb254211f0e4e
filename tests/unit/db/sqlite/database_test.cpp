#include "db/database.h"
#include "db/maintenance.h"

#include <sqlite3.h>

#include <functional>

#include "db/sqlite/write_lock.h"
#include "unit/db/fixture.h"
#include "unit/db/refused_lock.h"

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;
using db::Durability;
using db::StoreUnusable;
using db::Transaction;

namespace {

constexpr std::chrono::milliseconds kShort{30};
constexpr char kInsert[] = "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)";
constexpr char kCount[] = "SELECT count(*) FROM login_attempts";

void insert(Transaction& transaction, const std::string& key) { transaction.run(kInsert, key); }

/// As an operator with a sqlite3 shell would do it.
void with_shell(const std::string& path, const char* sql) {
    sqlite3* shell = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &shell) == SQLITE_OK);
    REQUIRE(sqlite3_exec(shell, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(shell);
}

std::string refused(const std::string& path, Access access = Access::read_write) {
    return refusal<StoreUnusable>([&] { Database(path, access, kShort); });
}

std::uintmax_t size_of(const std::string& path) { return std::filesystem::file_size(path); }

}  // namespace

TEST_CASE(
    "Database::create: the file, its side files and the lock file are there afterwards, mode 0660 under any umask [S12]") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    const auto former = ::umask(0077);
    Database::create(path);
    ::umask(former);
    for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"}) {
        CAPTURE(suffix);
        CHECK(mode_of(path + suffix) == 0660);
    }
    Database database(path, Access::read_write);
    CHECK(count(database, "SELECT count(*) FROM clients") == 0);
    CHECK(count(database, "PRAGMA user_version") == db::kSchemaVersion);
}

TEST_CASE("Database::create: nothing that is there is touched") {
    const TemporaryDirectory directory;
    write_file(directory / "precious", "data");
    const auto message = refusal<StoreUnusable>([&] { Database::create(directory / "precious"); });
    CHECK(mentions(message, directory / "precious"));
    CHECK(mentions(message, "exists already"));
    CHECK(read_file(directory / "precious") == "data");
    CHECK_FALSE(std::filesystem::exists(directory / "precious.gate"));
    CHECK_THROWS_AS(Database::create(directory / "no/such/postern.db"), StoreUnusable);
}

TEST_CASE("Database::create: a failure leaves nothing behind") {
    const TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "postern.db.gate");  // the write lock cannot be made
    CHECK_THROWS_AS(Database::create(directory / "postern.db"), StoreUnusable);
    CHECK_FALSE(std::filesystem::exists(directory / "postern.db"));
}

TEST_CASE("Database: a foreign file is refused with its name and a fix, and stays as it was") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    struct Row {
        const char* when;
        std::function<void()> prepare;
        const char* says;
    };
    const Row rows[] = {
        {"nothing there", [] {}, "postern init"},
        {"a text file", [&] { write_file(path, std::string(4096, 'x')); }, "not an SQLite database"},
        {"a short text file", [&] { write_file(path, "hello"); }, "not an SQLite database"},
        {"an empty file", [&] { write_file(path, ""); }, "not a database of Postern"},
        {"a directory", [&] { std::filesystem::create_directory(path); }, "not a regular file"},
        {"another program's database", [&] { with_shell(path, "CREATE TABLE t (x)"); }, "not a database of Postern"},
        {"an older schema",
         [&] {
             Database::create(path);
             with_shell(path, "PRAGMA user_version = 0");
         },
         "schema version 0"},
        {"a newer schema",
         [&] {
             Database::create(path);
             with_shell(path, "PRAGMA user_version = 5");
         },
         "schema version 5"},
        {"another application id",
         [&] {
             Database::create(path);
             with_shell(path, "PRAGMA application_id = 1349743727");
         },
         "not a database of Postern"},
        {"not in WAL mode",
         [&] {
             Database::create(path);
             with_shell(path, "PRAGMA journal_mode = DELETE");
         },
         "journal_mode = WAL"},
    };
    for (const auto& row : rows) {
        for (const Access access : {Access::read_write, Access::query_only}) {
            CAPTURE(row.when);
            for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"})
                std::filesystem::remove_all(path + suffix);
            row.prepare();
            const bool regular = std::filesystem::is_regular_file(path);
            const auto before = regular ? read_file(path) : "";
            const auto message = refused(path, access);
            CHECK(mentions(message, path));
            CHECK(mentions(message, row.says));
            if (regular) CHECK(read_file(path) == before);
        }
    }
}

TEST_CASE("Database: a damaged file is refused, and never created again [S10]") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    auto bytes = read_file(path);
    bytes.replace(100, 200, std::string(200, '\xff'));  // the root page of the schema
    write_file(path, bytes);
    const auto message = refusal<db::StoreError>([&] {
        Database database(path, Access::read_write);
        count(database, "SELECT count(*) FROM clients");
    });
    CHECK(message != "");
    CHECK(read_file(path) == bytes);
}

TEST_CASE("Database: the connection is set up as the measurements ask for [S04]") {
    const TemporaryDirectory directory;
    Database::create(directory / "postern.db");
    Database database(directory / "postern.db", Access::read_write, std::chrono::milliseconds(1234));
    CHECK(count(database, "PRAGMA wal_autocheckpoint") == 0);
    CHECK(count(database, "PRAGMA mmap_size") == 0);
    CHECK(count(database, "PRAGMA trusted_schema") == 0);
    CHECK(count(database, "PRAGMA cell_size_check") == 1);
    CHECK(count(database, "PRAGMA foreign_keys") == 1);
    CHECK(count(database, "PRAGMA temp_store") == 2);
    CHECK(count(database, "PRAGMA journal_size_limit") == 4608 * 1024);
    CHECK(count(database, "PRAGMA busy_timeout") == 1234);
    CHECK(count(database, "PRAGMA query_only") == 0);
    // Defensive: the schema cannot be written even by who asks for it.
    database.prepare("PRAGMA writable_schema = ON").step();
    CHECK_THROWS_AS(database.prepare("UPDATE sqlite_master SET sql = ''").execute(), db::StoreError);
}

TEST_CASE("Database: -wal and -shm outlive the last connection, for readers who may not make them") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    {
        Database database(path, Access::read_write);
        written(database, [](Transaction& transaction) { insert(transaction, "a"); });
    }
    CHECK(size_of(path + "-wal") > 0);
    CHECK(std::filesystem::exists(path + "-shm"));
    Database database(path, Access::query_only);
    CHECK(count(database, kCount) == 1);
}

TEST_CASE("Database: a query-only connection reads and refuses every write [S09]") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::query_only);
    CHECK(count(database, kCount) == 0);
    CHECK_THROWS_AS(Transaction(database, Durability::lazy), db::StoreError);
    CHECK_THROWS_AS(database.query(kInsert, "a").execute(), db::StoreError);
    CHECK(count(database, kCount) == 0);
    db::checkpoint_if_due(database);
}

TEST_CASE("Database: file permissions decide who writes; a reader sees new commits and survives checkpoints" *
          doctest::skip(::geteuid() != 0)) {
    constexpr uid_t kNobody = 65534;
    const TemporaryDirectory directory;
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    const auto path = directory / "postern.db";
    Database::create(path);
    for (const char* suffix : {"", "-wal", "-shm"}) REQUIRE(::chmod((path + suffix).c_str(), 0644) == 0);

    const auto reader = start_child([&] {
        if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 10;
        if (!mentions(refused(path, Access::read_write), "cannot be written")) return 11;
        Database database(path, Access::query_only);
        std::int64_t seen = 0;
        while (seen < 3000) {  // until the writer is done
            const auto now = count(database, kCount);
            if (now < seen) return 12;
            seen = now;
        }
        return 0;
    });
    // Writers come and go, too: the moment in which the first one connects is a difficult one for a reader.
    for (int i = 0; i < 3000;) {
        Database database(path, Access::read_write);
        for (const int end = i + 10; i < end; ++i) {
            written(database, [&](Transaction& transaction) { insert(transaction, std::to_string(i)); });
            db::checkpoint_if_due(database);
        }
    }
    CHECK(exit_code_of(reader) == 0);
}

TEST_CASE("Database: missing side files are named to a reader that may not make them" *
          doctest::skip(::geteuid() != 0)) {
    const TemporaryDirectory directory;
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    const auto path = directory / "postern.db";
    Database::create(path);
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    std::filesystem::remove(path + "-shm");
    const auto reader = start_child([&] {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 10;
        return mentions(refused(path, Access::query_only), "-shm") ? 0 : 11;
    });
    CHECK(exit_code_of(reader) == 0);
}

TEST_CASE("Database::in_memory: the schema is there, and two are two") {
    auto first = Database::in_memory();
    auto second = Database::in_memory();
    written(first, [](Transaction& transaction) { insert(transaction, "a"); });
    CHECK(count(first, kCount) == 1);
    CHECK(count(second, kCount) == 0);
}

TEST_CASE(
    "checkpoint_if_due: only a WAL of more than 1000 frames is copied back, and only while no process writes [S04]") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write, kShort);
    const auto empty = size_of(path);
    const auto write_some = [&](int from, int to) {
        for (int i = from; i < to; ++i) {
            written(database,
                    [&](Transaction& transaction) { insert(transaction, std::string(2000, 'x') + std::to_string(i)); });
        }
    };
    write_some(0, 60);
    db::checkpoint_if_due(database);
    CHECK(size_of(path) == empty);  // not due

    write_some(60, 700);
    {
        Database other(path, Access::read_write, kShort);
        const Transaction busy(other, Durability::lazy);
        db::checkpoint_if_due(database);
        CHECK(size_of(path) == empty);  // the write lock is taken: it does not wait
    }
    {
        const Transaction own(database, Durability::lazy);
        db::checkpoint_if_due(database);
        CHECK(size_of(path) == empty);
    }
    db::checkpoint_if_due(database);
    const auto copied = size_of(path);
    CHECK(copied > empty);

    constexpr std::uintmax_t kLimit = std::uintmax_t{4608} * 1024;
    CHECK(size_of(path + "-wal") > kLimit);
    write_some(700, 720);
    CHECK(size_of(path + "-wal") == kLimit);  // begun anew, and cut
    db::checkpoint_if_due(database);
    CHECK(size_of(path) == copied);
}

TEST_CASE("Database: a WAL that waits a little for its checkpoint is not truncated when it restarts") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write);
    const auto write_one = [&] {
        written(database, [](Transaction& transaction) {
            insert(transaction, std::string(2000, 'x') + std::to_string(count(transaction.database(), kCount)));
        });
    };
    constexpr std::uintmax_t kFrame = 24 + 4096;
    while (size_of(path + "-wal") < 1100 * kFrame) write_one();
    db::checkpoint_if_due(database);
    const auto before = size_of(path + "-wal");
    write_one();
    CHECK(size_of(path + "-wal") == before);
}

TEST_CASE("checkpoint_if_due: after an incomplete one the next comes 1000 frames later") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write);
    Database reader(path, Access::query_only);
    const auto grow = [&](const std::string& name) {  // about 500 frames, most of them pages of the file's end
        written(database, [&](Transaction& transaction) {
            for (int i = 0; i < 1000; ++i) insert(transaction, std::string(2000, 'x') + name + std::to_string(i));
        });
    };
    grow("a");
    auto row = reader.prepare("SELECT attempt_key FROM login_attempts");
    REQUIRE(row.step());  // a reader of this moment: what comes later cannot be copied back
    for (const char* name : {"b", "c"}) grow(name);
    db::checkpoint_if_due(database);
    const auto partly = size_of(path);
    { const auto done = std::move(row); }
    db::checkpoint_if_due(database);
    CHECK(size_of(path) == partly);  // not again yet, though it could be completed
    for (const char* name : {"d", "e", "f"}) grow(name);
    db::checkpoint_if_due(database);
    CHECK(size_of(path) > partly);
}

TEST_CASE("checkpoint_if_due: an incomplete one is forgotten when the WAL has restarted") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write);
    const auto grow = [&](Database& writer, const std::string& name, int times) {
        for (int n = 0; n < times; ++n) {
            written(writer, [&](Transaction& transaction) {
                for (int i = 0; i < 1000; ++i) {
                    insert(transaction, std::string(2000, 'x') + name + std::to_string(n) + "-" + std::to_string(i));
                }
            });
        }
    };
    {
        Database reader(path, Access::query_only);
        auto row = reader.prepare("SELECT name FROM sqlite_master");
        REQUIRE(row.step());
        grow(database, "a", 4);
        db::checkpoint_if_due(database);  // cannot be completed
    }
    Database other(path, Access::read_write);
    grow(other, "b", 4);
    db::checkpoint_if_due(other);
    const auto complete = size_of(path);
    grow(database, "c", 3);
    db::checkpoint_if_due(database);
    CHECK(size_of(path) > complete);
}

TEST_CASE("checkpoint_if_due: a write lock that the kernel refuses leaves the WAL as it is [S14]") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write);
    const auto before = read_file(path);
    while (size_of(path + "-wal") < 1100 * std::uintmax_t{4120}) {
        written(database, [&](Transaction& transaction) {
            for (int i = 0; i < 1000; ++i)
                insert(transaction,
                       std::string(2000, 'x') + std::to_string(size_of(path + "-wal")) + std::to_string(i));
        });
    }
    refuse_locks(path + ".gate");
    db::checkpoint_if_due(database);
    CHECK(read_file(path) == before);
}

TEST_CASE("checkpoint: copies the WAL back at any length, and waits for the write lock") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database database(path, Access::read_write, kShort);
    const auto before = read_file(path);
    written(database, [](Transaction& transaction) { insert(transaction, "a"); });
    CHECK(read_file(path) == before);
    {
        db::WriteLock gate(path + ".gate");
        REQUIRE(gate.try_lock());
        CHECK_THROWS_AS(db::checkpoint(database), db::StoreBusy);
        CHECK(read_file(path) == before);
    }
    db::checkpoint(database);
    CHECK(read_file(path) != before);
    Database reader(path, Access::query_only);
    CHECK_NOTHROW(db::checkpoint(reader));
    Database memory = Database::in_memory();
    CHECK_NOTHROW(db::checkpoint(memory));
}
