// Decides which databases of a server this program works with.
#include <string>

#include "db/error.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

void check_version(PostgresConnection& connection) {
    const int version = connection.schema_version();
    if (version == kSchemaVersion) return;
    throw StoreUnusable(connection.path + ": has schema version " + std::to_string(version) + ", this program needs " +
                        std::to_string(kSchemaVersion) +
                        (version < kSchemaVersion ? ": stop the serving processes and run `postern migrate`"
                                                  : ": run the release of Postern that it belongs to"));
}

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string& uri, Access access, std::chrono::milliseconds wait) {
    auto connection = std::make_unique<PostgresConnection>(uri, access, wait);
    check_version(*connection);
    return connection;
}

}  // namespace postern::db
