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

std::array<std::int64_t, 3> find_fetch_counts(db::Database& database, const std::array<std::string, 3>& keys,
                                              util::Time now) {
    auto rows =
        database.query("SELECT limit_key, fetches FROM fetch_limits WHERE limit_key IN ($2, $3, $4) AND ends_at > $1",
                       now, keys[0], keys[1], keys[2]);
    std::array<std::int64_t, 3> counts{};
    while (rows.step()) {
        std::string key;
        rows >> key;
        rows >> counts.at(static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin()));
    }
    return counts;
}

std::int64_t count_fetch(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window) {
    std::int64_t count = 0;
    {
        auto row = transaction.database().query(
            "INSERT INTO fetch_limits (limit_key, fetches, ends_at) VALUES ($1, 1, $3)"
            " ON CONFLICT (limit_key) DO UPDATE SET"
            " fetches = CASE WHEN fetch_limits.ends_at <= $2 THEN 1 ELSE fetch_limits.fetches + 1 END,"
            " ends_at = CASE WHEN fetch_limits.ends_at <= $2 THEN excluded.ends_at ELSE fetch_limits.ends_at END"
            " RETURNING fetches",
            key, now, now + window);
        if (!row.step()) throw db::StoreError("fetch_limits: a fetch was not counted");
        row >> count;
    }
    transaction.queue(kDeleteEnded, now, kRemoveEnded);
    return count;
}

void remember_failure(db::Transaction& transaction, std::string_view key, util::Time until) {
    transaction.queue(
        "INSERT INTO fetch_limits (limit_key, fetches, ends_at) VALUES ($1, 1, $2)"
        " ON CONFLICT (limit_key) DO UPDATE SET ends_at = excluded.ends_at",
        key, until);
}

}  // namespace postern::store
