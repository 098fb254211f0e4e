// Whether a database is as sound as it looks: what `postern doctor` asks beyond opening it.
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
    bool finished = true;  ///< false: the time was over before every page had been looked at
};
/// Looks through the whole file, which is a database of ours. Holds back no writer, but the log as long as it takes: so
/// `limit`. Throws StoreBusy when it is locked even for reading.
PageCheck check_pages(const std::string& path, std::chrono::milliseconds limit);

/// When the latest of grants, sessions and users came about; nullopt when there are none.
std::optional<util::Time> newest_record(Database& database);

/// Whether the disk has refused to keep what the log holds, and nothing was kept since: then nothing is copied back from
/// it (docs/decisions/0033).
bool is_wal_suspect(const std::string& database);

/// Makes sure that somebody could write at this moment, and writes nothing. Throws StoreBusy, or StoreError.
void try_writing(const std::string& path, std::chrono::milliseconds wait);

/// A connection that only reads needs no write lock, and where a copy was put back there may be none yet. This makes it, if
/// it may: whoever writes first does so otherwise, or says why it cannot be made.
void make_write_lock(const std::string& database) noexcept;

/// What is left for those who are not root.
struct Room {
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> files;  ///< nullopt: the file system does not count them
};
/// nullopt when it cannot be asked.
std::optional<Room> room_beside(const std::string& path);

}  // namespace postern::db
