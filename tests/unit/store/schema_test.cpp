// What the tables take, when rows are there.
#include <doctest/doctest.h>

#include "db/error.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;

TEST_CASE("schema.sql: types are enforced, and truth values are 0 and 1") {
    auto database = sample_database();
    CHECK_THROWS_AS(database.prepare("UPDATE users SET created_at = 'soon'").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE users SET enabled = 2").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE clients SET type = 'secret'").execute(), db::StoreError);
    CHECK_THROWS_AS(database.prepare("UPDATE users SET username = NULL").execute(), db::StoreError);
}
