// Deletes what no rule can ask for any more, a little at a time, so that the file stays flat without a cron job.
#pragma once

#include "store/database.h"
#include "util/clock.h"

namespace postern::store {

/// At most `batch` rows of each table. Spent codes stay until their grant has ended or its last token has expired.
void sweep(Transaction& transaction, util::Time now, int batch = 20);

}  // namespace postern::store
