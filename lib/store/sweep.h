// Deletes what no rule can ask for any more, a little at a time, so that the file stays flat without a cron job.
#pragma once

#include "store/database.h"
#include "util/clock.h"

namespace postern::store {

/// The server sweeps at one request in 64 on average, and a request makes at most one row in each table: with fewer
/// rows at a time than that, a busy server would make more than it deletes.
inline constexpr int kSweepBatch = 128;

/// At most `batch` rows of each table. Spent codes stay until their grant has ended or its last token has expired.
void sweep(Transaction& transaction, util::Time now, int batch = kSweepBatch);

}  // namespace postern::store
