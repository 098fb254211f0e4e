// Deletes what no rule can ask for any more, a little at a time, so that the file stays flat without a cron job.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

/// The server sweeps at one request in 16 on average, and a request makes at most one row in each table: with fewer
/// rows at a time than that, a busy server would make more than it deletes. Each row stands on pages of its own, so
/// with more of them a sweep would keep others from writing for longer than they wait for anything else.
inline constexpr int kSweepBatch = 32;

/// What has ended stays for so long, so that it can still be told from what never was.
inline constexpr util::Seconds kExpiredRetention{60};

/// Rows by the name of their table; every table that is swept is there.
using RowCounts = std::map<std::string, std::int64_t>;

/// Deletes at most `batch` rows of each table. What hangs on a grant goes when nothing of it can be used any more; by
/// then most expired access tokens are gone (delete_expired_access_tokens). Spent codes and
/// rotated refresh tokens stay until their grant has ended or its last token has expired: one of them that comes back
/// is the sign of a theft.
RowCounts sweep(db::Transaction& transaction, util::Time now, int batch = kSweepBatch);

/// How many rows sweeps at `now` would delete altogether.
RowCounts count_sweepable(db::Database& database, util::Time now);

}  // namespace postern::store
