// Makes the tables in an empty schema of a server, and says which role may do what with them.
#include "db/database.h"
#include "db/error.h"
#include "db/maintenance.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

constexpr std::chrono::minutes kPatience{1};
constexpr std::chrono::minutes kPatienceOfCopy{10};

bool has_tables(PostgresConnection& connection) {
    return libpq().PQgetisnull(connection.run("SELECT to_regclass('schema_version')").get(), 0, 0) == 0;
}

/// Roles belong to all databases of a server, and so perhaps to another installation. Tables of another owner than
/// roles.sql names are not theirs: the URI names one role for all programs.
bool has_roles(PostgresConnection& connection) {
    const auto found =
        connection.run("SELECT 1 FROM pg_roles WHERE rolname = 'postern_token' AND current_user = 'postern_owner'");
    return libpq().PQntuples(found.get()) == 1;
}

void make_tables(PostgresConnection& connection) {
    connection.run(kPostgresSchemaSql, "create the tables");
    if (has_roles(connection)) connection.run(kPostgresGrantsSql, "grant the roles their rights");
}

}  // namespace

void create_schema(const std::string& uri) {
    PostgresConnection connection(uri, kCommand, Access::read_write, kPatience, Versions::any);
    connection.connect_if_needed();
    if (has_tables(connection))
        throw StoreUnusable(uri +
                            ": has tables of Postern already; if its keys are lost, `postern key repair` creates new "
                            "ones; otherwise name another database, or drop the tables to start over");
    connection.begin(Durability::full, kPatience);
    make_tables(connection);
    connection.commit(Durability::full);
}

std::unique_ptr<Connection> begin_with_tables(const std::string& uri) {
    auto connection =
        std::make_unique<PostgresConnection>(uri, kCommand, Access::read_write, kPatienceOfCopy, Versions::any);
    connection->begin(Durability::full, kPatienceOfCopy);
    if (has_tables(*connection))
        connection->check_version();
    else
        make_tables(*connection);
    return connection;
}

}  // namespace postern::db
