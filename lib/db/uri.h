// What a URI says about its connections, for a sandbox: files_of_uri (db/database.h), and this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace postern::db {

/// The TCP ports of the hosts, none for a Unix socket.
std::vector<std::uint16_t> ports_of_uri(const std::string& uri, std::string_view program);

}  // namespace postern::db
