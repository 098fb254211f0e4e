#include "db/maintenance.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <csignal>
#include <limits>
#include <set>

#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;

namespace {

namespace fs = std::filesystem;

constexpr char kInsert[] = "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)";
constexpr char kCount[] = "SELECT count(*) FROM login_attempts";

/// With as many rows as fill a few hundred pages.
void fill(Database& database, int rows = 5000) {
    written(database, [&](auto& t) {
        for (int i = 0; i < rows; ++i) t.run(kInsert, std::to_string(i) + std::string(100, 'x'));
    });
}

std::set<std::string> names_in(const std::string& directory) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename());
    return names;
}

/// Another process that commits again and again, `most` times at most, until it is told to stop.
class Writer {
public:
    template <class Commit>
    Writer(const std::string& path, int most, Commit commit) {
        int stop[2]{};
        REQUIRE(::pipe(stop) == 0);
        child_ = start_child([&] {
            ::close(stop[1]);
            Database database(path, Access::read_write, std::chrono::seconds(20));
            const int ready = ::fcntl(stop[0], F_SETFL, O_NONBLOCK);
            char byte = 0;
            for (int i = 0; ready == 0 && i < most && ::read(stop[0], &byte, 1) != 0; ++i) commit(database, i);
            return 0;
        });
        ::close(stop[0]);
        stop_ = stop[1];
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        if (stop_ >= 0) static_cast<void>(stop());
    }
    int stop() {
        ::close(stop_);
        stop_ = -1;
        return exit_code_of(child_);
    }

private:
    pid_t child_ = 0;
    int stop_ = -1;
};

/// A database in a directory, and another directory for copies.
struct Place : DatabaseFile {
    Place() { fs::create_directory(copies); }
    std::string copies = directory / "copies";
    std::string copy = copies + "/copy.db";
};

}  // namespace

TEST_CASE("back_up: the copy is one file, closed to others, that a server can work with") {
    const Place place;
    const auto former = ::umask(0);
    for (const Access access : {Access::read_write, Access::query_only}) {
        {
            Database writer(place.path, Access::read_write);
            if (access == Access::read_write) fill(writer);  // they are in the log, not yet in the file
        }
        Database source(place.path, access);
        db::back_up(source, place.copy);
        CHECK(names_in(place.copies) == std::set<std::string>{"copy.db"});
        CHECK(mode_of(place.copy) == 0600);
        {
            Database copy(place.copy, Access::read_write);
            CHECK(count(copy, kCount) == 5000);
            CHECK(count(copy, "PRAGMA user_version") == db::kSchemaVersion);
            fill(copy, 0);
        }
        for (const auto& name : names_in(place.copies)) fs::remove(place.copies + "/" + name);
    }
    ::umask(former);
}

TEST_CASE("back_up: nothing that is there is replaced, and a failure leaves nothing behind") {
    const Place place;
    Database source(place.path, Access::read_write);
    write_file(place.copy, "precious");
    fs::create_symlink("nowhere", place.copies + "/link");
    struct Row {
        std::string target;
        const char* says;
    };
    const Row rows[] = {
        {place.copy, "exists already"},
        {place.copies + "/link", "exists already"},
        {place.copies, "exists already"},
        {place.path, "exists already"},
        {place.copies + "/no/such/copy.db", "cannot be made"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.target);
        const auto message = refusal<db::StoreUnusable>([&] { db::back_up(source, row.target); });
        CHECK(mentions(message, row.target));
        CHECK(mentions(message, row.says));
    }
    CHECK(read_file(place.copy) == "precious");
    CHECK(names_in(place.copies) == std::set<std::string>{"copy.db", "link"});
}

TEST_CASE("back_up: a signal that ends the program leaves nothing behind; one that is ignored ends nothing") {
    const Place place;
    {
        Database writer(place.path, Access::read_write);
        fill(writer);
    }
    // Called for each connection that is opened after it was registered: that of the copy.
    using Extension = int (*)(sqlite3*, const char**, const sqlite3_api_routines*);
    static int signal_now = 0;
    const Extension at_once = [](sqlite3*, const char**, const sqlite3_api_routines*) { return ::raise(signal_now); };
    const Extension at_check = [](sqlite3* connection, const char**, const sqlite3_api_routines*) {
        return sqlite3_trace_v2(
            connection, SQLITE_TRACE_STMT,
            [](unsigned, void*, void*, void* text) {
                return std::string_view(static_cast<const char*>(text)).find("quick_check") == std::string_view::npos
                           ? 0
                           : ::raise(signal_now);
            },
            nullptr);
    };
    // clang-format off
    struct Row {
        const char* when;
        int signal;
        bool ignored;
        Extension raise;
        bool leaves;  ///< files
    };
    const Row rows[] = {
        {"Ctrl-C, as the copy is opened",  SIGINT,  false, at_once,  false},
        {"Ctrl-C, as it is checked",       SIGINT,  false, at_check, false},
        {"Ctrl-\\, as it is checked",      SIGQUIT, false, at_check, false},
        {"kill, as the copy is opened",    SIGTERM, false, at_once,  false},
        {"kill, as it is checked",         SIGTERM, false, at_check, false},
        {"the terminal goes",              SIGHUP,  false, at_check, false},
        {"the terminal goes, under nohup", SIGHUP,  true,  at_check, true},
        {"kill -9, as it is opened",       SIGKILL, false, at_once,  true},
        {"kill -9, as it is checked",      SIGKILL, false, at_check, true},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const pid_t child = start_child([&] {
            ::signal(row.signal, row.ignored ? SIG_IGN : SIG_DFL);
            Database source(place.path, Access::query_only);
            signal_now = row.signal;
            sqlite3_auto_extension(reinterpret_cast<void (*)()>(row.raise));
            db::back_up(source, place.copy);
            return 0;
        });
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : 0) == (row.ignored ? 0 : row.signal));
        CHECK(names_in(place.copies).empty() == !row.leaves);
        CHECK(fs::exists(place.copy) == row.ignored);
        fs::remove(place.copy);
        Database source(place.path, Access::query_only);
        db::back_up(source, place.copy);
        CHECK(names_in(place.copies) == std::set<std::string>{"copy.db"});
        fs::remove(place.copy);
    }
}

TEST_CASE("back_up: what is not committed is not in the copy, and does not hold it up") {
    const Place place;
    Database writer(place.path, Access::read_write);
    db::Transaction t(writer, db::Durability::lazy);
    writer.query(kInsert, "a").execute();
    Database source(place.path, Access::read_write);
    db::back_up(source, place.copy);
    t.commit();
    Database copy(place.copy, Access::query_only);
    CHECK(count(copy, kCount) == 0);
}

TEST_CASE("back_up: a copy taken while another process writes is of one moment") {
    const Place place;
    {
        Database database(place.path, Access::read_write);
        fill(database);
    }
    Writer writer(place.path, std::numeric_limits<int>::max(), [](Database& database, int i) {
        db::Transaction t(database, db::Durability::lazy);
        for (const char* half : {"first ", "second "})  // two rows each time
            database.query(kInsert, half + std::to_string(i)).execute();
        t.commit();
        db::checkpoint_if_due(database);
    });
    std::int64_t last = 0;
    {
        Database source(place.path, Access::query_only);
        while (count(source, kCount) == 5000) ::usleep(1000);  // it has begun
        for (int i = 0; i < 20; ++i) {
            const auto target = place.copies + "/" + std::to_string(i);
            db::back_up(source, target);
            Database copy(target, Access::query_only);
            last = count(copy, kCount);
            CHECK(last % 2 == 0);
        }
    }
    CHECK(writer.stop() == 0);
    CHECK(last > 5000);
}

TEST_CASE("back_up: a large copy is of one moment, and ends although others go on writing") {
    constexpr int kRows = 300;
    constexpr int kBytes = 100000;
    constexpr int kCommits = 5000;  // a millisecond or more each: of this end the copy does not wait
    const Place place;
    Database source(place.path, Access::read_write);
    written(source, [&](auto& t) {
        for (int i = 0; i < kRows; ++i) t.run(kInsert, std::to_string(i) + std::string(kBytes, 'x'));
    });
    Writer writer(place.path, kCommits, [](Database& database, int i) {
        db::Transaction t(database, db::Durability::lazy);
        database.query(kInsert, "more " + std::to_string(i)).execute();
        t.commit();
        ::usleep(1000);
    });
    while (count(source, kCount) == kRows) ::usleep(1000);  // it has begun
    db::back_up(source, place.copy);
    const std::int64_t then = count(source, kCount);
    CHECK(writer.stop() == 0);

    CHECK(then < kRows + kCommits);
    Database copy(place.copy, Access::query_only);
    const std::int64_t copied = count(copy, kCount);
    CHECK(copied >= kRows);
    CHECK(copied < then);
    constexpr char kMore[] = "SELECT count(*) FROM login_attempts WHERE attempt_key LIKE 'more %'";
    constexpr char kLast[] =
        "SELECT max(CAST(substr(attempt_key, 6) AS INTEGER)) FROM login_attempts WHERE attempt_key LIKE 'more %'";
    CHECK(count(copy, kMore) == copied - kRows);
    CHECK(count(copy, kLast) == copied - kRows - 1);  // none is missing before the last
    constexpr char kSum[] = "SELECT sum(length(attempt_key)) FROM login_attempts WHERE attempt_key NOT LIKE 'more %'";
    CHECK(count(copy, kSum) == count(source, kSum));
}

TEST_CASE("back_up: a copy that fails the check does not count as a backup") {
    const Place place;
    {
        Database database(place.path, Access::read_write);
        fill(database);
        db::checkpoint(database);
    }
    auto bytes = read_file(place.path);
    const std::string filler(100, 'x');
    const auto leaf = bytes.rfind(filler) / 4096 * 4096;
    bytes.replace(leaf + 3, 2, "\xff\xff");  // the page's number of cells
    write_file(place.path, bytes);
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(place.path + suffix);
    Database source(place.path, Access::read_write);
    const auto message = refusal<db::StoreError>([&] { db::back_up(source, place.copy); });
    CHECK(mentions(message, "damaged"));
    CHECK(names_in(place.copies).empty());
}
