#include "store/fetch_limits.h"

#include <algorithm>

#include "store/deletion.h"

namespace postern::store {
namespace {

constexpr std::int64_t kRemoveEnded = 20;  // so that more go than come

constexpr db::Text kDeleteEnded = POSTERN_DELETION(
    "DELETE FROM fetch_limits WHERE limit_key IN"
    " (SELECT limit_key FROM fetch_limits WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2");

}  // namespace

std::array<FetchCount, kFetchKeys> find_fetch_counts(db::Database& database,
                                                     const std::array<std::string, kFetchKeys>& keys, util::Time now) {
    auto rows = database.query(
        "SELECT limit_key, fetches, ends_at FROM fetch_limits WHERE limit_key IN ($2, $3, $4, $5, $6, $7)"
        " AND ends_at > $1",
        now, keys[0], keys[1], keys[2], keys[3], keys[4], keys[5]);
    std::array<FetchCount, kFetchKeys> counts{};
    while (rows.step()) {
        std::string key;
        rows >> key;
        FetchCount& found = counts.at(static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin()));
        rows >> found.count >> found.ends_at;
    }
    return counts;
}

std::int64_t count_fetch(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window,
                         std::int64_t amount) {
    std::int64_t count = 0;
    {
        auto row = transaction.database().query(
            "INSERT INTO fetch_limits (limit_key, fetches, ends_at) VALUES ($1, $4, $3)"
            " ON CONFLICT (limit_key) DO UPDATE SET fetches = excluded.fetches +"
            " CASE WHEN fetch_limits.ends_at <= $2 THEN 0 ELSE fetch_limits.fetches END,"
            " ends_at = CASE WHEN fetch_limits.ends_at <= $2 THEN excluded.ends_at ELSE fetch_limits.ends_at END"
            " RETURNING fetches",
            key, now, now + window, amount);
        if (!row.step()) throw db::StoreError("fetch_limits: a fetch was not counted");
        row >> count;
    }
    transaction.queue(kDeleteEnded, now, kRemoveEnded);
    return count;
}

void remember_failure(db::Transaction& transaction, std::string_view key, const FetchCount& failures) {
    transaction.queue(
        "INSERT INTO fetch_limits (limit_key, fetches, ends_at) VALUES ($1, $2, $3)"
        " ON CONFLICT (limit_key) DO UPDATE SET fetches = excluded.fetches, ends_at = excluded.ends_at",
        key, failures.count, failures.ends_at);
}

void forget_failure(db::Transaction& transaction, std::string_view key) {
    transaction.queue("DELETE FROM fetch_limits WHERE limit_key = $1", key);
}

}  // namespace postern::store
