#include "db/sqlite/wal_writes.h"

#include <cstring>
#include <random>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;
using db::Durability;
using db::JoinedWrites;
using db::Transaction;

namespace {

constexpr int kHeader = 24;
constexpr int kPage = 4096;
constexpr char kInsert[] = "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)";
constexpr char kRows[] =
    "SELECT group_concat(attempt_key, ' ') FROM (SELECT * FROM login_attempts ORDER BY attempt_key)";
constexpr char kCheck[] = "PRAGMA integrity_check";

std::string rows_of(Database& database) {
    auto row = database.prepare(kRows);
    return row.step() ? row.text(0) : "";
}

/// What somebody finds who has nothing but database and log.
std::string rows_of_files(const std::string& path) {
    const std::string copy = path + ".copy";
    for (const char* suffix : {"", "-wal"}) write_file(copy + suffix, read_file(path + suffix));
    std::string rows;
    {
        Database database(copy, Access::read_write);
        auto check = database.prepare(kCheck);
        REQUIRE(check.step());
        CHECK(check.text(0) == "ok");
        rows = rows_of(database);
    }
    for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"}) std::filesystem::remove(copy + suffix);
    return rows;
}

/// A frame that ends a transaction, or another; its header and its page are of one letter.
std::string header(char letter, bool ends) {
    std::string bytes(kHeader, letter);
    bytes.replace(4, 4, ends ? std::string("\0\0\0\1", 4) : std::string(4, '\0'));
    return bytes;
}
std::string page(char letter) { return std::string(kPage, letter); }

/// The log as SQLite has it, and as it is in the file.
class Wal {
public:
    Wal() : path_(directory_ / "postern.db") {
        Database::create(path_);
        database_.emplace(path_, Access::read_write);
        written(*database_,
                [](Transaction& transaction) { transaction.database().prepare(kInsert).bind(1, "a").execute(); });
        REQUIRE(sqlite3_open_v2(path_.c_str(), &connection_, SQLITE_OPEN_READWRITE, db::joining_vfs()) == SQLITE_OK);
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        REQUIRE(sqlite3_exec(connection_, "SELECT * FROM users", nullptr, nullptr, nullptr) == SQLITE_OK);
        file_ = db::wal_of(connection_);
        REQUIRE(file_);
    }
    Wal(const Wal&) = delete;
    Wal& operator=(const Wal&) = delete;
    ~Wal() { sqlite3_close(connection_); }

    sqlite3* connection() const { return connection_; }
    sqlite3_file* file() const { return file_; }
    void write(const std::string& bytes, std::size_t offset) const {
        CHECK(file_->pMethods->xWrite(file_, bytes.data(), static_cast<int>(bytes.size()),
                                      static_cast<sqlite3_int64>(offset)) == SQLITE_OK);
    }
    /// What the file has behind the frames of SQLite's own.
    std::string written_since(std::size_t begin) const {
        const std::string all = read_file(path_ + "-wal");
        return all.size() > begin ? all.substr(begin) : "";
    }
    std::size_t size() const { return read_file(path_ + "-wal").size(); }

private:
    const TemporaryDirectory directory_;
    std::string path_;
    std::optional<Database> database_;
    sqlite3* connection_ = nullptr;
    sqlite3_file* file_ = nullptr;
};

}  // namespace

TEST_CASE(
    "JoinedWrites: frames wait for the one that ends the transaction, and are in the file when its page is taken") {
    const Wal wal;
    const std::size_t begin = wal.size();
    const JoinedWrites joined(wal.connection());
    std::string all;
    for (const char letter : {'a', 'b', 'c'}) {
        for (const std::string& bytes : {header(letter, letter == 'c'), page(letter)}) {
            CHECK(wal.written_since(begin) == "");
            wal.write(bytes, begin + all.size());
            all += bytes;
        }
    }
    const bool is_there = wal.written_since(begin) == all;
    CHECK(is_there);
}

TEST_CASE("JoinedWrites: what is no frame behind a frame is written at once, after what has waited") {
    struct Row {
        const char* what;
        std::string bytes;
        int distance;  ///< from the end of what waits
    };
    const Row rows[] = {
        {"a header somewhere else that ends a transaction", header('x', true), 50},
        {"the header before, renewed", header('x', true), -kHeader - kPage},
        {"a page without a header", page('x'), 0},
        {"a page somewhere else", page('x'), 100},
        {"half a page", page('x').substr(0, kPage / 2), 0},
        {"a frame in one piece", header('x', true) + page('x'), 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Wal wal;
        const std::size_t begin = wal.size();
        const JoinedWrites joined(wal.connection());
        std::string all = header('a', false) + page('a');
        wal.write(header('a', false), begin);
        wal.write(page('a'), begin + kHeader);
        CHECK(wal.written_since(begin) == "");
        const std::size_t at = all.size() + static_cast<std::size_t>(row.distance);
        wal.write(row.bytes, begin + at);
        if (all.size() < at + row.bytes.size()) all.resize(at + row.bytes.size(), '\0');
        all.replace(at, row.bytes.size(), row.bytes);
        const bool is_there = wal.written_since(begin) == all;
        CHECK(is_there);
    }
}

TEST_CASE("JoinedWrites: a first header with the mark of the end does not wait, since it may have no page to come") {
    const Wal wal;
    const std::size_t begin = wal.size();
    const JoinedWrites joined(wal.connection());
    wal.write(header('a', true), begin);
    CHECK(wal.written_since(begin) == header('a', true));
}

TEST_CASE("JoinedWrites: pages of another size are written as they come") {
    const Wal wal;
    const std::size_t begin = wal.size();
    const JoinedWrites joined(wal.connection());
    wal.write(header('a', false), begin);
    wal.write(std::string(1024, 'a'), begin + kHeader);
    CHECK(wal.written_since(begin) == header('a', false) + std::string(1024, 'a'));
}

TEST_CASE("JoinedWrites: no more waits than sixteen frames") {
    const Wal wal;
    const std::size_t begin = wal.size();
    const JoinedWrites joined(wal.connection());
    for (std::size_t frame = 0; frame < 16; ++frame) {
        CHECK(wal.written_since(begin) == "");
        const std::size_t at = begin + frame * (kHeader + kPage);
        wal.write(header('a', false), at);
        wal.write(page('a'), at + kHeader);
    }
    CHECK(wal.size() == begin + std::size_t{16} * (kHeader + kPage));
}

TEST_CASE("JoinedWrites: whatever else is asked of the log finds in the file what has waited") {
    struct Row {
        const char* what;
        int (*ask)(sqlite3_file*);
    };
    const Row rows[] = {
        {"reading",
         [](sqlite3_file* file) {
             char byte = 0;
             return file->pMethods->xRead(file, &byte, 1, 0);
         }},
        {"its size",
         [](sqlite3_file* file) {
             sqlite3_int64 size = 0;
             return file->pMethods->xFileSize(file, &size);
         }},
        {"a sync", [](sqlite3_file* file) { return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL); }},
        {"a truncation to more", [](sqlite3_file* file) { return file->pMethods->xTruncate(file, 1 << 20); }},
        {"a control",
         [](sqlite3_file* file) {
             int fd = 0;
             return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &fd);
         }},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Wal wal;
        const std::size_t begin = wal.size();
        const JoinedWrites joined(wal.connection());
        wal.write(header('a', false), begin);
        wal.write(page('a'), begin + kHeader);
        CHECK(wal.written_since(begin) == "");
        CHECK(row.ask(wal.file()) == SQLITE_OK);
        const bool is_there = wal.written_since(begin).starts_with(header('a', false) + page('a'));
        CHECK(is_there);
    }
}

TEST_CASE("JoinedWrites: what still waits at its end is dropped, and without it nothing waits") {
    const Wal wal;
    const std::size_t begin = wal.size();
    {
        const JoinedWrites joined(wal.connection());
        wal.write(header('a', false), begin);
        wal.write(page('a'), begin + kHeader);
    }
    CHECK(wal.file()->pMethods->xSync(wal.file(), SQLITE_SYNC_NORMAL) == SQLITE_OK);
    CHECK(wal.written_since(begin) == "");
    wal.write(header('b', false), begin);
    CHECK(wal.written_since(begin) == header('b', false));
}

TEST_CASE("JoinedWrites: a connection that SQLite opened by itself, and one in memory, stay as they are") {
    const TemporaryDirectory directory;
    Database::create(directory / "postern.db");
    for (const std::string& name : {directory / "postern.db", std::string(":memory:")}) {
        sqlite3* plain = nullptr;
        REQUIRE(sqlite3_open(name.c_str(), &plain) == SQLITE_OK);
        {
            const JoinedWrites joined(plain);
            CHECK(sqlite3_exec(plain, "CREATE TABLE t (x); INSERT INTO t VALUES (1)", nullptr, nullptr, nullptr) ==
                  SQLITE_OK);
        }
        sqlite3_close(plain);
    }
}

// With a cache of ten pages SQLite writes frames before the transaction ends, takes some back with a savepoint, writes
// others twice, and gives their headers new checksums at the end.
TEST_CASE("JoinedWrites: after each commit the log says what the connection says, whatever SQLite wrote before it") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    Database::create(path);
    Database first(path, Access::read_write);
    Database second(path, Access::read_write);
    for (Database* database : {&first, &second}) database->prepare("PRAGMA cache_size = 10").step();
    std::mt19937 random(20261121);
    const auto chance = [&](std::mt19937::result_type of) { return random() % of == 0; };
    for (int round = 0; round < 120; ++round) {
        CAPTURE(round);
        Database& database = chance(2) ? first : second;
        const std::string before = rows_of(database);
        bool commits = true;
        {
            Transaction transaction(database, Durability::lazy);
            const auto changes = chance(3) ? 1 : random() % 40;
            for (auto i = changes; i > 0; --i) {
                if (chance(8)) database.prepare("SAVEPOINT here").execute();
                const auto key = std::to_string(random() % 300) + std::string(random() % 1500, 'x');
                database
                    .prepare(
                        "INSERT OR REPLACE INTO login_attempts (attempt_key, failures, ends_at) "
                        "VALUES ($1, 1, 1)")
                    .bind(1, key)
                    .execute();
                if (chance(8)) {
                    database.prepare("SAVEPOINT there").execute();
                    database.prepare("DELETE FROM login_attempts WHERE attempt_key < $1")
                        .bind(1, std::to_string(random() % 300))
                        .execute();
                    if (chance(2)) database.prepare("ROLLBACK TO there").execute();
                }
            }
            commits = !chance(5);
            if (commits) transaction.commit();
        }
        const std::string now = rows_of(database);
        if (!commits) CHECK(now == before);
        CHECK(rows_of(&database == &first ? second : first) == now);
        CHECK(rows_of_files(path) == now);
        if (chance(10)) database.checkpoint();
    }
}
