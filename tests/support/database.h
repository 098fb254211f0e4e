// An empty database for a test, on the engine that the run is for.
#pragma once

#include "db/database.h"

namespace postern::test {

/// POSTERN_TEST_DATABASE is the URI of a PostgreSQL database, where each call makes a schema of its own, which stays
/// until the server is thrown away. Without it: SQLite in memory.
db::Database empty_database();

/// The URI that empty_database() would have opened, of a schema that has just been made; "" on SQLite.
std::string empty_schema();

/// Whether the run is on PostgreSQL.
bool is_on_postgresql();

}  // namespace postern::test
