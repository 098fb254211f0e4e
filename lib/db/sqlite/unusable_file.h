// The reasons why a database file is unusable, in words for the operator. Private to this module.
#pragma once

#include <string>

namespace postern::db {

/// Throws StoreUnusable: "PATH: MEANING: FIX".
[[noreturn]] void throw_unusable(const std::string& path, const std::string& meaning, const std::string& fix);

/// Throws StoreUnusable when `place`, the file at `path` or its directory, is where locks cannot be trusted.
void throw_on_network_file_system(const std::string& path, const std::string& place);

}  // namespace postern::db
