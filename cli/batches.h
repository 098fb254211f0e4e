// How much is written at a time when a command changes many rows.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

#include "cli/command.h"

namespace postern::cli {

/// So many that a commit each is no burden, so few that the serving processes hardly notice the wait.
inline constexpr std::size_t kBatch = 500;

/// Calls `write(transaction, item)` for all of them, a batch to a transaction, each durable before the next begins, and
/// `committed()` when one is.
/// What stops it half-way says how many are done: Refused, or StoreUnsynced for those of the last batch, too.
template <class Items, class Write, class Committed>
void write_in_batches(db::Database& database, const Items& items, Write write, Committed committed) {
    std::size_t done = 0;
    do {  // also for none: that there is nothing to do may rest on a commit that no sync has covered yet
        const std::size_t end = std::min(items.size(), done + kBatch);
        try {
            db::Transaction transaction(database, db::Durability::full);
            for (std::size_t i = done; i < end; ++i) write(transaction, items[i]);
            commit(transaction);
            committed();
        } catch (const db::StoreUnsynced& error) {
            throw db::StoreUnsynced(std::to_string(end) + " of " + std::to_string(items.size()) +
                                    " are done; run the same command again: " + error.what());
        } catch (const db::StoreError& error) {
            if (done == 0) throw;
            throw Refused(std::to_string(done) + " of " + std::to_string(items.size()) +
                          " are done; run the same command again for the rest: " + error.what());
        }
        done = end;
    } while (done < items.size());
}

}  // namespace postern::cli
