// Opens the file beside a database file that has the marks of what was used once: nobody may use that again while it is
// good (JTI-1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"

namespace postern::db {

/// Opens the file of marks at `path` for reading and writing; it grows to `most_bytes`. Makes its directory if there is
/// none. Makes the file anew if there is none or it is damaged: what it lost could be used once more (JTI-7,
/// docs/decisions/0141). Several processes may do so at once. Throws StoreUnusable, and StoreError for a disk that
/// fails.
Database open_replay_file(const std::string& path, std::int64_t most_bytes);

/// Opens the file of marks at `path` for a program that only counts them; nullopt: there is none, or it is damaged.
/// Throws StoreUnusable for a file that this user may not open.
std::optional<Database> find_replay_file(const std::string& path);

/// Makes a store of marks for tests: in memory, and `most_bytes` long.
Database replays_in_memory(std::int64_t most_bytes);

}  // namespace postern::db
