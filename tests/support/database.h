// An empty database for a test, on the engine that the run is for.
#pragma once

#include "db/database.h"
#include "json/value.h"

namespace postern::test {

/// Returns an empty database. POSTERN_TEST_DATABASE is the URI of a PostgreSQL database, where each call makes a schema
/// of its own, which stays until the server is thrown away. Without it: SQLite in memory.
db::Database empty_database();

/// Makes a schema with tables and returns its URI. On PostgreSQL alone.
std::string empty_schema();

/// Makes a database without tables and returns its URI. On PostgreSQL alone. With POSTERN_TEST_ROLES, the name of a
/// database where roles.sql has been run, the new database is a copy of it, and the URI names no role: each program has
/// its own.
std::string new_database();

/// A copy of the tables and rows that the database of the URI `model` has at the first call; later copies do not read
/// the model again. The next copy may be in the same database, because making one takes longer than a test case. On
/// PostgreSQL alone.
class DatabaseCopy {
public:
    explicit DatabaseCopy(const std::string& model);
    DatabaseCopy(const DatabaseCopy&) = delete;
    DatabaseCopy& operator=(const DatabaseCopy&) = delete;
    ~DatabaseCopy();
    const std::string& uri() const { return uri_; }

private:
    std::string model_;  ///< the name of the database that it is a copy of
    std::string uri_;
};

/// Gives each role the rights that an operator adds for the options of `config`, and takes those for others, because
/// another test may have had the database before. Does so only where each program has a role.
void set_optional_rights(const std::string& uri, const json::Object& config);

/// Returns whether the run is on PostgreSQL.
bool is_on_postgresql();

}  // namespace postern::test
