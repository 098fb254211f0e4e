// Makes the tables in an empty schema of a server, or this release's of an earlier one's, and says which role may do
// what with them.
#include <iterator>
#include <span>

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

void grant_rights(PostgresConnection& connection) {
    if (has_roles(connection)) connection.run(kPostgresGrantsSql, "grant the roles their rights");
}

void make_tables(PostgresConnection& connection) {
    connection.run(kPostgresSchemaSql, "create the tables");
    grant_rights(connection);
}

/// The steps from each version to the next, the oldest first: version 4 was the first on a server.
constexpr int kOldest = 4;
constexpr const char* kSteps[] = {
    "ALTER TABLE clients ADD COLUMN introspection_claims text NOT NULL DEFAULT '';"
    "ALTER TABLE clients ADD COLUMN response_types text NOT NULL DEFAULT '';"
    "ALTER TABLE clients ADD COLUMN details text NOT NULL DEFAULT '';"
    "CREATE TABLE device_codes ("
    " device_hash text COLLATE \"C\" NOT NULL PRIMARY KEY,"
    " user_code_hash text COLLATE \"C\" NOT NULL UNIQUE,"
    " client_id text COLLATE \"C\" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,"
    " scope text NOT NULL,"
    " ignored_scope text NOT NULL,"
    " resources text NOT NULL,"
    " state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied', 'used')),"
    " subject text COLLATE \"C\" REFERENCES users (subject) ON DELETE CASCADE,"
    " grant_id text COLLATE \"C\" NOT NULL DEFAULT '',"
    " address text NOT NULL,"
    " network text COLLATE \"C\" NOT NULL,"
    " created_at bigint NOT NULL,"
    " expires_at bigint NOT NULL,"
    " last_poll_at bigint,"
    " poll_interval bigint NOT NULL,"
    " slowed bigint NOT NULL DEFAULT 0 CHECK (slowed IN (0, 1))"
    ");"
    "CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);"
    "CREATE INDEX device_codes_by_client ON device_codes (client_id);"
    "CREATE INDEX device_codes_by_subject ON device_codes (subject) WHERE subject IS NOT NULL;"
    "CREATE TABLE session_clients ("
    " sid text COLLATE \"C\" NOT NULL,"
    " client_id text COLLATE \"C\" NOT NULL,"
    " last_token_at bigint NOT NULL,"
    " expires_at bigint NOT NULL,"
    " PRIMARY KEY (sid, client_id)"
    ");"
    "CREATE INDEX session_clients_by_expiry ON session_clients (expires_at);"
    "CREATE TABLE logout_outbox ("
    " id text COLLATE \"C\" NOT NULL PRIMARY KEY,"
    " client_id text COLLATE \"C\" NOT NULL,"
    " subject text COLLATE \"C\" NOT NULL,"
    " sid text COLLATE \"C\" NOT NULL,"
    " jti text NOT NULL,"
    " tries bigint NOT NULL DEFAULT 0,"
    " not_before bigint NOT NULL,"
    " expires_at bigint NOT NULL"
    ");"
    "CREATE INDEX logout_outbox_by_time ON logout_outbox (not_before);"
    "CREATE INDEX logout_outbox_by_expiry ON logout_outbox (expires_at);"
    "ALTER TABLE clients ADD COLUMN registered_by text NOT NULL DEFAULT '';"
    "ALTER TABLE clients ADD COLUMN registration_token_hash text NOT NULL DEFAULT '';"
    "ALTER TABLE clients DROP CONSTRAINT clients_origin_check;"
    "ALTER TABLE clients ADD CONSTRAINT clients_origin_check CHECK (origin IN ('operator', 'document', 'dynamic'));"
    "CREATE INDEX clients_by_open_registration ON clients (created_at)"
    " WHERE origin = 'dynamic' AND registered_by = '' AND removable_at IS NOT NULL;"
    "CREATE TABLE registration_tokens ("
    " id text COLLATE \"C\" NOT NULL PRIMARY KEY,"
    " token_hash text COLLATE \"C\" NOT NULL UNIQUE,"
    " name text NOT NULL,"
    " uses_left bigint NOT NULL CHECK (uses_left >= 0),"
    " created_at bigint NOT NULL,"
    " expires_at bigint NOT NULL"
    ");"
    "CREATE INDEX registration_tokens_by_expiry ON registration_tokens (expires_at);"
    "ALTER TABLE grants ADD COLUMN dpop_jkt text NOT NULL DEFAULT '';"
    "ALTER TABLE grants ADD COLUMN x5t text NOT NULL DEFAULT '';"
    "ALTER TABLE authorization_codes ADD COLUMN dpop_jkt text NOT NULL DEFAULT '';"
    "ALTER TABLE access_tokens ADD COLUMN cnf text NOT NULL DEFAULT '';"
    "CREATE TABLE sites ("
    " url text COLLATE \"C\" NOT NULL PRIMARY KEY,"
    " client_id text COLLATE \"C\" NOT NULL UNIQUE REFERENCES clients (id) ON DELETE CASCADE"
    ");"
    "CREATE TABLE client_keys ("
    " client_id text COLLATE \"C\" NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,"
    " jwks text NOT NULL,"
    " jwks_uri text NOT NULL,"
    " alg text NOT NULL,"
    " CHECK ((jwks = '') <> (jwks_uri = ''))"
    ");"
    "CREATE UNLOGGED TABLE replays ("
    " kind bigint NOT NULL,"
    " context text COLLATE \"C\" NOT NULL,"
    " key text COLLATE \"C\" NOT NULL,"
    " expires_at bigint NOT NULL,"
    " PRIMARY KEY (kind, context, key)"
    ");"
    "CREATE INDEX replays_by_expiry ON replays (expires_at);"
    "UPDATE schema_version SET version = 5",
};
static_assert(kOldest + static_cast<int>(std::size(kSteps)) == kSchemaVersion, "a step from each version to the next");

/// Another `postern migrate` waits for the row.
int lock_version(PostgresConnection& connection) {
    const auto found = connection.run("SELECT version FROM schema_version FOR UPDATE");
    const int version = libpq().PQntuples(found.get()) == 1 ? std::atoi(libpq().PQgetvalue(found.get(), 0, 0)) : 0;
    if (version < kOldest || version > kSchemaVersion)
        throw StoreUnusable("the database changed its schema version meanwhile: run `postern migrate` again");
    return version;
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

Migration migrate_server(const std::string& uri) {
    PostgresConnection connection(uri, kCommand, Access::read_write, kPatience, Versions::any);
    connection.connect_if_needed();
    if (!has_tables(connection) || connection.schema_version() < kOldest ||
        connection.schema_version() >= kSchemaVersion) {
        connection.check_version();  // throws for another version, and names the next step
        return {kSchemaVersion, kSchemaVersion, ""};
    }
    connection.begin(Durability::full, kPatience);
    const Migration migration{lock_version(connection), kSchemaVersion, ""};
    for (const char* sql : std::span(kSteps).subspan(static_cast<std::size_t>(migration.from - kOldest)))
        connection.run(sql, "change the tables");
    grant_rights(connection);
    connection.commit(Durability::full);
    return migration;
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
