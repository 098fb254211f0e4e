// Writes many rows in batches.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command.h"
#include "db/write.h"

namespace postern::cli {

/// Large enough to amortise a commit, small enough that the serving processes wait only briefly for the write lock.
inline constexpr std::size_t kBatch = 500;

/// Calls `write(transaction, item)` for all items, one transaction per batch, each durable before the next begins, and
/// after each `committed(results)` with what the calls of its batch returned. An error after the first batch says how
/// many items are done: Refused, or StoreUnsynced if the last batch is committed but not synced.
template <class Items, class Write, class Committed>
void write_in_batches(db::Database& database, const Items& items, Write write, Committed committed) {
    std::size_t done = 0;
    do {  // once even for no items: what made them unnecessary may be a commit that is not synced yet
        const std::size_t end = std::min(items.size(), done + kBatch);
        try {
            committed(db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
                std::vector<decltype(write(transaction, items[0]))> results;
                for (std::size_t i = done; i < end; ++i) results.push_back(write(transaction, items[i]));
                commit(transaction);
                return results;
            }));
        } catch (const db::CommitUnknown&) {
            throw;
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
