// The way to read several things of one moment: under a snapshot, which a database engine may have taken again.
#pragma once

#include <optional>
#include <utility>

#include "db/database.h"
#include "db/error.h"
#include "db/write.h"

namespace postern::db {

/// Runs `find()`, which only reads, in one snapshot, and returns its result. Where the server has ended the snapshot or
/// closed the idle connection, this runs `find` again in a new snapshot. So `find` assigns anew each time whatever it
/// sets outside of itself. Inside a transaction or another snapshot, this runs `find` once, in that one. Throws what
/// `find` throws, and StoreBusy after too many conflicts.
template <class Find>
auto read(Database& database, Find&& find) {
    for (Retries retries(database.wait());;) {
        std::optional<Snapshot> snapshot(std::in_place, database);
        try {
            return find();
        } catch (const StoreConflict& conflict) {
            if (!snapshot->is_own()) throw;
            snapshot.reset();
            retries.pause_after(conflict);
        }
    }
}

}  // namespace postern::db
