#include <optional>
#include <string>

#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;

TEST_CASE("Database::query: values belong to parameters by number, in any order in the text") {
    auto database = db::Database::in_memory();
    auto row = database.query("SELECT $2, $1, $3, $1", "one", std::string("two"), 3);
    REQUIRE(row.step());
    CHECK(row.text(0) == "two");
    CHECK(row.text(1) == "one");
    CHECK(row.integer(2) == 3);
    CHECK(row.text(3) == "one");
    CHECK_FALSE(row.step());
}

TEST_CASE("Database::query: more than nine parameters") {
    auto database = db::Database::in_memory();
    auto row = database.query("SELECT $11, $10, $1, $2, $3, $4, $5, $6, $7, $8, $9", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    REQUIRE(row.step());
    CHECK(row.integer(0) == 11);
    CHECK(row.integer(1) == 10);
    CHECK(row.integer(2) == 1);
}

TEST_CASE("Statement: text comes back byte by byte, and is never SQL [S01]") {
    auto database = db::Database::in_memory();
    const std::string texts[] = {
        "", "'; DROP TABLE clients; --", "\"", "%_", "caf\xc3\xa9", std::string("a\0b", 3), std::string(100000, 'x')};
    for (const auto& text : texts) {
        auto row = database.query("SELECT $1", text);
        REQUIRE(row.step());
        CHECK(row.text(0) == text);
        std::optional<std::string> read;
        row >> read;
        CHECK(read == text);  // '' is not NULL
    }
    CHECK(count(database, "SELECT count(*) FROM clients") == 0);
}

TEST_CASE("Statement: values of each type come back as they went in") {
    using Id = util::Tagged<struct IdTag>;
    struct Words {
        std::string to_string() const { return "openid email"; }
    };
    auto database = db::Database::in_memory();
    const auto time = util::from_epoch(1700000000);
    const Id id("g1");
    auto row = database.query("SELECT $1, $2, $3, $4, $5, $6, $7, $8", id, time, util::Seconds(90), true, false,
                              Words(), std::string_view("text"), std::size_t{7});
    REQUIRE(row.step());
    Id read_id;
    util::Time read_time;
    util::Seconds seconds{};
    bool yes = false;
    bool no = true;
    std::string words, text;
    std::int64_t number = 0;
    row >> read_id >> read_time >> seconds >> yes >> no >> words >> text >> number;
    CHECK(read_id == id);
    CHECK(read_time == time);
    CHECK(seconds == util::Seconds(90));
    CHECK(yes);
    CHECK_FALSE(no);
    CHECK(words == "openid email");
    CHECK(text == "text");
    CHECK(number == 7);
}

TEST_CASE("Statement: NULL is distinguished from a value") {
    auto database = db::Database::in_memory();
    const std::optional<std::string> none;
    auto row = database.query("SELECT $1, $2, $3, $4, $1, $2", none, std::optional<std::int64_t>(),
                              std::optional<std::string>(""), std::optional<util::Time>(util::from_epoch(-1)));
    REQUIRE(row.step());
    std::optional<std::string> text = "before", empty;
    std::optional<std::int64_t> number = 1;
    std::optional<util::Time> time;
    row >> text >> number >> empty >> time;
    CHECK(text == std::nullopt);
    CHECK(number == std::nullopt);
    CHECK(empty == "");
    CHECK(time == util::from_epoch(-1));
    std::string null_text = "before";
    bool null_flag = true;
    row >> null_text >> null_flag;
    CHECK(null_text == "");
    CHECK_FALSE(null_flag);
}

TEST_CASE("Statement: each row is read from its first column, and none beyond its last") {
    auto database = db::Database::in_memory();
    auto rows = database.prepare("SELECT 1, 2 UNION SELECT 3, 4");
    std::int64_t first = 0, second = 0, third = 0;
    REQUIRE(rows.step());
    rows >> first;
    REQUIRE(rows.step());
    rows >> first >> second;
    CHECK(first == 3);
    CHECK(second == 4);
    CHECK_THROWS_AS(rows >> third, db::StoreError);
    std::optional<std::int64_t> perhaps;
    CHECK_THROWS_AS(rows >> perhaps, db::StoreError);
}

TEST_CASE("Statement: what was bound is forgotten after use") {
    auto database = db::Database::in_memory();
    constexpr char kSql[] = "SELECT $1";
    { REQUIRE(database.query(kSql, "secret").step()); }
    auto row = database.prepare(kSql);
    REQUIRE(row.step());
    std::optional<std::string> text;
    row >> text;
    CHECK(text == std::nullopt);
}

TEST_CASE("Statement: a wrong call is an error, not a guess") {
    auto database = db::Database::in_memory();
    CHECK_THROWS_AS(database.prepare("SELECT FROM"), db::StoreError);
    CHECK_THROWS_AS(database.prepare("SELECT \"no such column\""), db::StoreError);
    CHECK_THROWS_AS(database.query("SELECT $2", "x"), db::StoreError);
    CHECK_THROWS_AS(database.query("SELECT $1", "x", "y"), db::StoreError);
    CHECK_THROWS_AS(database.query("SELECT $1, $2", "x"), db::StoreError);
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
            .query(
                "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1) ON CONFLICT "
                "(attempt_key) DO NOTHING",
                key)
            .execute();
    };
    CHECK(insert("a") == 1);
    CHECK(insert("a") == 0);
    CHECK(insert("b") == 1);
    CHECK(database.prepare("UPDATE login_attempts SET failures = 2").execute() == 2);
    CHECK(database.prepare("DELETE FROM login_attempts WHERE failures = 3").execute() == 0);
}
