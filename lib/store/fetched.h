// Tables `fetched` and `fetch_limits`: the documents of others that were fetched over HTTPS, and how often (FETCH-9,
// FETCH-11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

struct Fetched {
    std::string content_type;  ///< as it came
    std::string body;          ///< UTF-8 without U+0000
    util::Time fetched_at{};
    util::Time fresh_until{};  ///< the epoch: what was fetched later was invalid, so it serves no more
    util::Time used_at{};      ///< rounded: written when it is an hour old
};

/// The largest number of rows, which strangers can cause. The least recently used ones beyond are deleted.
inline constexpr std::int64_t kMaxFetchedRows = 5000;
/// The time after which the sweep deletes a document that was not used.
inline constexpr util::Seconds kFetchedRetention{2592000};

/// Finds the document. `digest` is of the URL and its purpose.
std::optional<Fetched> find_fetched(db::Database& database, std::string_view digest);
/// Inserts or replaces the row of `digest`.
void save_fetched(db::Transaction& transaction, std::string_view digest, const Fetched& fetched);
void mark_used(db::Transaction& transaction, std::string_view digest, util::Time now);
/// Marks the row as stale from its beginning; find_fetched still finds it.
void withdraw_fetched(db::Transaction& transaction, std::string_view digest);

/// The count for a key; 0 where no window runs.
struct FetchCount {
    std::int64_t count = 0;
    util::Time ends_at{};
};

inline constexpr std::size_t kFetchKeys = 6;
/// Returns the count of each key, in the order of `keys`; 0 for the key "".
std::array<FetchCount, kFetchKeys> find_fetch_counts(db::Database& database,
                                                     const std::array<std::string, kFetchKeys>& keys, util::Time now);

/// Adds `amount` to the count of a key, whose window starts again when it has ended, and returns the new count. Deletes
/// rows whose window has ended; each fetch adds six rows at most.
std::int64_t count_fetch(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window,
                         std::int64_t amount = 1);

/// Inserts or replaces the count of `key`.
void remember_failure(db::Transaction& transaction, std::string_view key, const FetchCount& failures);
void forget_failure(db::Transaction& transaction, std::string_view key);

}  // namespace postern::store
