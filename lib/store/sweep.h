// Deletes expired rows in small batches, so that the file does not grow and no cron job is needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

/// The server sweeps at one request in 16 on average, and a request inserts at most one row into each table: a smaller
/// batch would delete less than a busy server inserts. A larger one would hold the write lock for too long, because
/// each row is on another page.
inline constexpr int kSweepBatch = 32;

/// The time for which expired rows are kept, so that an expired value can still be told from an unknown one.
inline constexpr util::Seconds kExpiredRetention{60};

/// The numbers of rows, by the name of their table; every table that is swept is there.
using RowCounts = std::map<std::string, std::int64_t>;

/// Returns whether this program deletes what has expired: on a server it may not have the right, and another program
/// sweeps.
bool may_sweep(db::Database& database);

/// Deletes at most `batch` rows of each table, but for tables of options that this program may not delete from. Codes
/// and tokens are deleted when their grant has ended or its last token has expired; most expired access tokens are
/// deleted earlier (delete_expired_access_tokens). Spent codes and rotated refresh tokens are kept that long because
/// their reuse is a sign of theft.
RowCounts sweep(db::Transaction& transaction, util::Time now, int batch = kSweepBatch);

/// Returns how many rows sweeps at `now` would delete altogether.
RowCounts count_sweepable(db::Database& database, util::Time now);

}  // namespace postern::store
