// Refuses a URI in programs that were built without PostgreSQL.
#ifndef POSTERN_POSTGRESQL
#include "db/engine.h"
#include "db/maintenance.h"

namespace postern::db {
namespace {

constexpr const char* kNotBuilt = "the database is a URI, and this program was built without PostgreSQL: name a file";

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string&, std::string_view, Access, std::chrono::milliseconds) {
    throw StoreUnusable(kNotBuilt);
}
std::vector<std::string> files_of_uri(const std::string&, std::string_view) { throw StoreUnusable(kNotBuilt); }
UriSockets sockets_of_uri(const std::string&, std::string_view) { throw StoreUnusable(kNotBuilt); }
void create_schema(const std::string&) { throw StoreUnusable(kNotBuilt); }
Migration migrate_server(const std::string&) { throw StoreUnusable(kNotBuilt); }
std::unique_ptr<Connection> begin_with_tables(const std::string&) { throw StoreUnusable(kNotBuilt); }

}  // namespace postern::db
#endif
