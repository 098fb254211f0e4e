// The file of marks beside a database file: what was used once, and must not be used again while it is good (JTI-1).
#pragma once

#include <cstdint>
#include <string>

#include "db/database.h"

namespace postern::db {

/// Opens the file of marks at `path` for reading and writing; it grows to `most_bytes`. Makes its directory where that
/// is missing, and the file anew where it is missing or damaged: what it lost could be used once more (JTI-7,
/// docs/decisions/0141). Several processes may do so at once. Throws StoreUnusable, and StoreError for a disk that
/// fails.
Database open_replay_file(const std::string& path, std::int64_t most_bytes);

/// Makes a store of marks for tests: in memory, and `most_bytes` long.
Database replays_in_memory(std::int64_t most_bytes);

}  // namespace postern::db
