#include <string>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;

TEST_CASE("Statement: parameters are bound by their number, in whatever order the text mentions them") {
    auto database = db::Database::in_memory();
    auto row = database.prepare("SELECT $2, $1, $3, $1");
    row.bind(1, "one").bind(3, std::int64_t{3}).bind(2, std::string("two"));
    REQUIRE(row.step());
    CHECK(row.text(0) == "two");
    CHECK(row.text(1) == "one");
    CHECK(row.integer(2) == 3);
    CHECK(row.text(3) == "one");
    CHECK_FALSE(row.step());
}

TEST_CASE("Statement: text comes back byte by byte, and is never SQL [S01]") {
    auto database = db::Database::in_memory();
    const std::string texts[] = {
        "", "'; DROP TABLE clients; --", "\"", "%_", "caf\xc3\xa9", std::string("a\0b", 3), std::string(100000, 'x')};
    for (const auto& text : texts) {
        auto row = database.prepare("SELECT $1");
        REQUIRE(row.bind(1, text).step());
        CHECK(row.text(0) == text);
        CHECK(row.optional_text(0) == text);  // '' is not NULL
    }
    CHECK(count(database, "SELECT count(*) FROM clients") == 0);
}

TEST_CASE("Statement: NULL and value are told apart") {
    auto database = db::Database::in_memory();
    auto row = database.prepare("SELECT $1, $2, $3, $4");
    row.bind(1, std::optional<std::string>()).bind(2, std::optional<std::int64_t>());
    row.bind(3, std::optional<std::string>("")).bind(4, std::optional<std::int64_t>(-1));
    REQUIRE(row.step());
    CHECK(row.optional_text(0) == std::nullopt);
    CHECK(row.text(0) == "");
    CHECK(row.optional_integer(1) == std::nullopt);
    CHECK(row.integer(1) == 0);
    CHECK(row.optional_text(2) == "");
    CHECK(row.optional_integer(3) == -1);
}

TEST_CASE("Statement: what was bound is forgotten after use") {
    auto database = db::Database::in_memory();
    constexpr char kSql[] = "SELECT $1";
    { REQUIRE(database.prepare(kSql).bind(1, "secret").step()); }
    auto row = database.prepare(kSql);
    REQUIRE(row.step());
    CHECK(row.optional_text(0) == std::nullopt);
}

TEST_CASE("Statement: mistakes of ours are errors, not guesses") {
    auto database = db::Database::in_memory();
    CHECK_THROWS_AS(database.prepare("SELECT FROM"), db::StoreError);
    CHECK_THROWS_AS(database.prepare("SELECT \"no such column\""), db::StoreError);
    CHECK_THROWS_AS(database.prepare("SELECT $1").bind(2, "x"), db::StoreError);
    CHECK_THROWS_AS(database.prepare("SELECT 1").execute(), db::StoreError);
    constexpr char kSql[] = "SELECT 1 UNION SELECT 2";
    auto row = database.prepare(kSql);
    REQUIRE(row.step());
    CHECK_THROWS_AS(database.prepare(kSql), db::StoreError);
}

TEST_CASE("Statement::execute: the number of rows changed") {
    auto database = db::Database::in_memory();
    const auto insert = [&](const char* key) {
        return database
            .prepare(
                "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1) ON CONFLICT "
                "(attempt_key) DO NOTHING")
            .bind(1, key)
            .execute();
    };
    CHECK(insert("a") == 1);
    CHECK(insert("a") == 0);
    CHECK(insert("b") == 1);
    CHECK(database.prepare("UPDATE login_attempts SET failures = 2").execute() == 2);
    CHECK(database.prepare("DELETE FROM login_attempts WHERE failures = 3").execute() == 0);
}
