// Makes the tables in an empty schema of a server.
#include "db/error.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

constexpr std::chrono::minutes kPatience{1};

bool has_tables(PostgresConnection& connection) {
    return libpq().PQgetisnull(connection.run("SELECT to_regclass('schema_version')").get(), 0, 0) == 0;
}

}  // namespace

void create_schema(const std::string& uri) {
    PostgresConnection connection(uri, kCommand, Access::read_write, kPatience, Versions::any);
    connection.connect_if_needed();
    if (has_tables(connection))
        throw StoreUnusable(uri + ": has tables of Postern already: name another database, or drop them to start over");
    connection.begin(Durability::full, kPatience);
    connection.run(kPostgresSchemaSql, "create the tables");
    connection.commit(Durability::full);
}

}  // namespace postern::db
