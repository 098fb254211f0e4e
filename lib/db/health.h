// Checks of a database beyond opening it, for `postern doctor`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"
#include "util/clock.h"

namespace postern::db {

struct PageCheck {
    std::string damage;    ///< what SQLite found first; "" when nothing
    bool finished = true;  ///< false: the time was over before every page had been checked
};
/// Runs SQLite's quick_check over the whole file, for at most `limit`. Blocks no writer, but keeps the WAL from being
/// checkpointed meanwhile. Throws StoreBusy when it is locked even for reading.
PageCheck check_pages(const std::string& path, std::chrono::milliseconds limit);

/// The latest change of grants, sessions and users; nullopt when there are none.
std::optional<util::Time> newest_record(Database& database);

/// Whether the last sync of the WAL failed: then it is not checkpointed (docs/decisions/0033).
bool is_wal_suspect(const std::string& database);

/// Takes the write lock, begins a write transaction and rolls it back. Throws StoreBusy, or StoreError.
void try_writing(const std::string& path, std::chrono::milliseconds wait);

/// Makes the lock file if it is missing and may be made. A connection that only reads does not open it, so it may be
/// missing after a backup was restored. The first writer makes it otherwise, and reports why it cannot.
void make_write_lock(const std::string& database) noexcept;

/// Free space for users other than root.
struct Room {
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> files;  ///< nullopt: the file system does not count them
};
/// nullopt when it cannot be asked.
std::optional<Room> room_beside(const std::string& path);

}  // namespace postern::db
