// An empty database for a test, on the engine that the run is for.
#pragma once

#include "db/database.h"

namespace postern::test {

/// POSTERN_TEST_DATABASE is the URI of a PostgreSQL database, where each call makes a schema of its own, which stays
/// until the server is thrown away. Without it: SQLite in memory.
db::Database empty_database();

/// The URI of a schema that has just been made, with tables. On PostgreSQL alone.
std::string empty_schema();

/// The URI of a new database, without tables or with what the database of the URI `model` has. On PostgreSQL alone.
std::string new_database(const std::string& model = "");

/// Whether the run is on PostgreSQL.
bool is_on_postgresql();

}  // namespace postern::test
