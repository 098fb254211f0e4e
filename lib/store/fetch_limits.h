// Table `fetch_limits`: how often was fetched in this minute, and which URLs have just failed (FETCH-9, FETCH-11).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

/// Fetches counted for each key, in the order of `keys`; 0 where no window runs. A failure that is remembered is 1.
std::array<std::int64_t, 3> find_fetch_counts(db::Database& database, const std::array<std::string, 3>& keys,
                                              util::Time now);

/// One more for a key, whose window starts again when it has ended; returns the new count. Deletes rows that have
/// ended, so that there are few: each fetch makes two at most.
std::int64_t count_fetch(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window);

void remember_failure(db::Transaction& transaction, std::string_view key, util::Time until);

}  // namespace postern::store
