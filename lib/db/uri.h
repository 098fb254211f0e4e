// The sockets of a URI's connections, for a sandbox; its files are files_of_uri (db/database.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace postern::db {

/// The sockets by which a server is reached.
struct UriSockets {
    std::vector<std::uint16_t> ports;   ///< of TCP; none for a Unix socket
    bool has_unix_sockets = false;      ///< a host is a Unix socket
    bool has_abstract_sockets = false;  ///< one of them has no path
};
UriSockets sockets_of_uri(const std::string& uri, std::string_view program);

}  // namespace postern::db
