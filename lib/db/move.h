// Moves a whole store to another engine: from a file to a server, or back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/table_rows.h"
#include "util/clock.h"

namespace postern::db {

struct Move {
    std::optional<util::Time> live_at;  ///< leave out what has expired by then, or has ended
    bool is_rehearsal = false;          ///< copy and compare, then undo it, and let others write meanwhile
};

/// Copies the store at `from` to `to`, each a file or a URI: a new file, or a database of a server that has no tables
/// yet or empty ones. Processes go on reading `from`; those that write wait, and answer 503. The copy is compared with
/// what was read before it is committed. Then `from` is marked, so that no process can use it any more: one that runs
/// on it answers 503, and one that starts on it refuses to.
/// All of it or nothing, also when this process is killed: `from` is in service as before, or `to` is complete. When it
/// is killed between the two commits, both are so.
/// Throws StoreUnusable for a `to` that is in use, StoreBusy, StoreError, and CommitUnknown with what to look at.
std::vector<TableRows> move_store(const std::string& from, const std::string& to, const Move& move);

}  // namespace postern::db
