#include "db/database.h"
#include "db/maintenance.h"

#include <sqlite3.h>

#include <functional>

#include "db/error.h"
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

void insert(Transaction& t, const std::string& key) { t.run(kInsert, key); }

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

/// Keeps everybody else out, readers too, as long as it lives.
class Hog {
public:
    explicit Hog(const std::string& path) {
        REQUIRE(sqlite3_open_v2(path.c_str(), &connection_, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
        run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM login_attempts; COMMIT");
    }
    Hog(const Hog&) = delete;
    Hog& operator=(const Hog&) = delete;
    ~Hog() { sqlite3_close(connection_); }

private:
    void run(const char* sql) { REQUIRE(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }
    sqlite3* connection_ = nullptr;
};

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
             with_shell(path, "PRAGMA user_version = 6");
         },
         "schema version 6"},
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
    const DatabaseFile file;
    auto bytes = read_file(file.path);
    bytes.replace(100, 200, std::string(200, '\xff'));  // the root page of the schema
    write_file(file.path, bytes);
    const auto message = refusal<db::StoreError>([&] {
        Database database(file.path, Access::read_write);
        count(database, "SELECT count(*) FROM clients");
    });
    CHECK(message != "");
    CHECK(read_file(file.path) == bytes);
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
    const DatabaseFile file;
    {
        Database database(file.path, Access::read_write);
        written(database, [](auto& t) { insert(t, "a"); });
    }
    CHECK(size_of(file.path + "-wal") > 0);
    CHECK(std::filesystem::exists(file.path + "-shm"));
    Database database(file.path, Access::query_only);
    CHECK(count(database, kCount) == 1);
}

TEST_CASE("Database: a query-only connection reads and refuses every write [S09]") {
    const DatabaseFile file;
    Database database(file.path, Access::query_only);
    CHECK(count(database, kCount) == 0);
    CHECK_THROWS_AS(Transaction(database, Durability::lazy), db::StoreError);
    CHECK_THROWS_AS(database.query(kInsert, "a").execute(), db::StoreError);
    CHECK(count(database, kCount) == 0);
    db::checkpoint_if_due(database);
}

TEST_CASE("Database: file permissions decide who writes; a reader sees new commits and survives checkpoints" *
          doctest::skip(::geteuid() != 0)) {
    constexpr uid_t kNobody = 65534;
    const DatabaseFile file;
    REQUIRE(::chmod(file.directory.path().c_str(), 0755) == 0);
    for (const char* suffix : {"", "-wal", "-shm"}) REQUIRE(::chmod((file.path + suffix).c_str(), 0644) == 0);

    const auto reader = start_child([&] {
        if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 10;
        if (!mentions(refused(file.path, Access::read_write), "cannot be written")) return 11;
        Database database(file.path, Access::query_only);
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
        Database database(file.path, Access::read_write);
        for (const int end = i + 10; i < end; ++i) {
            written(database, [&](auto& t) { insert(t, std::to_string(i)); });
            db::checkpoint_if_due(database);
        }
    }
    CHECK(exit_code_of(reader) == 0);
}

TEST_CASE("Database: missing side files are named to a reader that may not make them" *
          doctest::skip(::geteuid() != 0)) {
    const DatabaseFile file;
    REQUIRE(::chmod(file.directory.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(file.path.c_str(), 0644) == 0);
    std::filesystem::remove(file.path + "-shm");
    const auto reader = start_child([&] {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 10;
        return mentions(refused(file.path, Access::query_only), "-shm") ? 0 : 11;
    });
    CHECK(exit_code_of(reader) == 0);
}

TEST_CASE("Database::in_memory: the schema is there, and two are two") {
    auto first = Database::in_memory();
    auto second = Database::in_memory();
    written(first, [](auto& t) { insert(t, "a"); });
    CHECK(count(first, kCount) == 1);
    CHECK(count(second, kCount) == 0);
}

TEST_CASE(
    "checkpoint_if_due: only a WAL of more than 1000 frames is copied back, and only while no process writes [S04]") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write, kShort);
    const auto empty = size_of(file.path);
    const auto write_some = [&](int from, int to) {
        for (int i = from; i < to; ++i) {
            written(database, [&](auto& t) { insert(t, std::string(2000, 'x') + std::to_string(i)); });
        }
    };
    write_some(0, 60);
    db::checkpoint_if_due(database);
    CHECK(size_of(file.path) == empty);  // not due

    write_some(60, 700);
    {
        Database other(file.path, Access::read_write, kShort);
        const Transaction busy(other, Durability::lazy);
        db::checkpoint_if_due(database);
        CHECK(size_of(file.path) == empty);  // the write lock is taken: it does not wait
    }
    {
        const Transaction own(database, Durability::lazy);
        db::checkpoint_if_due(database);
        CHECK(size_of(file.path) == empty);
    }
    db::checkpoint_if_due(database);
    const auto copied = size_of(file.path);
    CHECK(copied > empty);

    constexpr std::uintmax_t kLimit = std::uintmax_t{4608} * 1024;
    CHECK(size_of(file.path + "-wal") > kLimit);
    write_some(700, 720);
    CHECK(size_of(file.path + "-wal") == kLimit);  // begun anew, and cut
    db::checkpoint_if_due(database);
    CHECK(size_of(file.path) == copied);
}

TEST_CASE("Database: a WAL that waits a little for its checkpoint is not truncated when it restarts") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write);
    const auto write_one = [&] {
        written(database,
                [](auto& t) { insert(t, std::string(2000, 'x') + std::to_string(count(t.database(), kCount))); });
    };
    constexpr std::uintmax_t kFrame = 24 + 4096;
    while (size_of(file.path + "-wal") < 1100 * kFrame) write_one();
    db::checkpoint_if_due(database);
    const auto before = size_of(file.path + "-wal");
    write_one();
    CHECK(size_of(file.path + "-wal") == before);
}

TEST_CASE("checkpoint_if_due: after an incomplete one the next comes 1000 frames later") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write);
    Database reader(file.path, Access::query_only);
    const auto grow = [&](const std::string& name) {  // about 500 frames, most of them pages of the file's end
        written(database, [&](auto& t) {
            for (int i = 0; i < 1000; ++i) insert(t, std::string(2000, 'x') + name + std::to_string(i));
        });
    };
    grow("a");
    auto row = reader.prepare("SELECT attempt_key FROM login_attempts");
    REQUIRE(row.step());  // a reader of this moment: what comes later cannot be copied back
    for (const char* name : {"b", "c"}) grow(name);
    db::checkpoint_if_due(database);
    const auto partly = size_of(file.path);
    { const auto done = std::move(row); }
    db::checkpoint_if_due(database);
    CHECK(size_of(file.path) == partly);  // not again yet, though it could be completed
    for (const char* name : {"d", "e", "f"}) grow(name);
    db::checkpoint_if_due(database);
    CHECK(size_of(file.path) > partly);
}

TEST_CASE("checkpoint_if_due: an incomplete one is forgotten when the WAL has restarted") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write);
    const auto grow = [&](Database& writer, const std::string& name, int times) {
        for (int n = 0; n < times; ++n) {
            written(writer, [&](auto& t) {
                for (int i = 0; i < 1000; ++i) {
                    insert(t, std::string(2000, 'x') + name + std::to_string(n) + "-" + std::to_string(i));
                }
            });
        }
    };
    {
        Database reader(file.path, Access::query_only);
        auto row = reader.prepare("SELECT name FROM sqlite_master");
        REQUIRE(row.step());
        grow(database, "a", 4);
        db::checkpoint_if_due(database);  // cannot be completed
    }
    Database other(file.path, Access::read_write);
    grow(other, "b", 4);
    db::checkpoint_if_due(other);
    const auto complete = size_of(file.path);
    grow(database, "c", 3);
    db::checkpoint_if_due(database);
    CHECK(size_of(file.path) > complete);
}

TEST_CASE("checkpoint_if_due: a write lock that the kernel refuses leaves the WAL as it is [S14]") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write);
    const auto before = read_file(file.path);
    while (size_of(file.path + "-wal") < 1100 * std::uintmax_t{4120}) {
        written(database, [&](auto& t) {
            for (int i = 0; i < 1000; ++i)
                insert(t, std::string(2000, 'x') + std::to_string(size_of(file.path + "-wal")) + std::to_string(i));
        });
    }
    refuse_locks(file.path + ".gate");
    db::checkpoint_if_due(database);
    CHECK(read_file(file.path) == before);
}

TEST_CASE("checkpoint: copies the WAL back at any length, and waits for the write lock") {
    const DatabaseFile file;
    Database database(file.path, Access::read_write, kShort);
    const auto before = read_file(file.path);
    written(database, [](auto& t) { insert(t, "a"); });
    CHECK(read_file(file.path) == before);
    {
        db::WriteLock gate(file.path + ".gate");
        REQUIRE(gate.try_lock());
        CHECK_THROWS_AS(db::checkpoint(database), db::StoreBusy);
        CHECK(read_file(file.path) == before);
    }
    db::checkpoint(database);
    CHECK(read_file(file.path) != before);
    Database reader(file.path, Access::query_only);
    CHECK_NOTHROW(db::checkpoint(reader));
    Database memory = Database::in_memory();
    CHECK_NOTHROW(db::checkpoint(memory));
}

TEST_CASE("check_pages: a database that is locked even for reading is not called damaged") {
    const DatabaseFile file;
    {
        const Hog hog(file.path);
        CHECK_THROWS_AS(db::check_pages(file.path, std::chrono::seconds(5)), db::StoreBusy);
    }
    const auto check = db::check_pages(file.path, std::chrono::seconds(5));
    CHECK(check.damage == "");
    CHECK(check.finished);
}
