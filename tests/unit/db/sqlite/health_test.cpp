#include "db/maintenance.h"

#include <sqlite3.h>

#include "db/error.h"
#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;
using db::Database;

namespace {

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

TEST_CASE("check_pages: a database that is locked even for reading is not called damaged") {
    const TemporaryDirectory directory;
    const std::string path = directory / "postern.db";
    Database::create(path);
    {
        const Hog hog(path);
        CHECK_THROWS_AS(db::check_pages(path, std::chrono::seconds(5)), db::StoreBusy);
    }
    const auto check = db::check_pages(path, std::chrono::seconds(5));
    CHECK(check.damage == "");
    CHECK(check.finished);
}
