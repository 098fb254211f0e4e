// Table `fetch_limits`: what was fetched in this minute, and which URLs and hosts have just failed (FETCH-9, FETCH-11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

/// The count for a key; 0 where no window runs.
struct FetchCount {
    std::int64_t count = 0;
    util::Time ends_at{};
};

/// The counts of each key, in the order of `keys`. "" is the key of nothing.
inline constexpr std::size_t kFetchKeys = 6;
std::array<FetchCount, kFetchKeys> find_fetch_counts(db::Database& database,
                                                     const std::array<std::string, kFetchKeys>& keys, util::Time now);

/// So much more for a key, whose window starts again when it has ended; returns the new count. Deletes rows that have
/// ended, so that there are few: each fetch makes six at most.
std::int64_t count_fetch(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window,
                         std::int64_t amount = 1);

/// In the place of what is there.
void remember_failure(db::Transaction& transaction, std::string_view key, const FetchCount& failures);
void forget_failure(db::Transaction& transaction, std::string_view key);

}  // namespace postern::store
