// Decides when a program starts: also without a server, because it may come back.
#include <string>

#include "db/error.h"
#include "db/postgres/connection.h"
#include "db/uri.h"

namespace postern::db {

std::unique_ptr<Connection> open_postgres(const std::string& uri, std::string_view program, Access access,
                                          std::chrono::milliseconds wait) {
    auto connection = std::make_unique<PostgresConnection>(uri, program, access, wait, Versions::this_one);
    try {
        connection->connect_if_needed();
    } catch (const StoreBusy&) {
        return connection;  // each request tries again, and says why it failed
    }
    return connection;
}

UriSockets sockets_of_uri(const std::string& uri, std::string_view program) {
    return ConnectionOptions(uri, program).sockets();
}

std::vector<std::string> files_of_uri(const std::string& uri, std::string_view program) {
    return ConnectionOptions(uri, program).files();
}

}  // namespace postern::db
