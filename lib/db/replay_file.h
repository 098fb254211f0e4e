// Opens the replay store of a database file: a SQLite file beside it, with a mark for each JWT that was used (JTI-1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"

namespace postern::db {

/// Opens the replay store at `path` for reading and writing; it grows to `most_bytes`. Creates the directory and the
/// file where they are missing, and replaces a damaged file, whose JWTs a client could then use once more (JTI-7,
/// docs/decisions/0141). Several processes may do so at once. Throws StoreUnusable, and StoreError for a disk that
/// fails.
Database open_replay_file(const std::string& path, std::int64_t most_bytes);

/// Opens the file of marks at `path` for a program that only counts them; nullopt: there is none, or it is damaged.
/// Throws StoreUnusable for a file that this user may not open.
std::optional<Database> find_replay_file(const std::string& path);

/// Makes a store of marks for tests: in memory, and `most_bytes` long.
Database replays_in_memory(std::int64_t most_bytes);

}  // namespace postern::db
