// Decides which fetched documents are kept, and how fetches are counted.
#include "store/fetched.h"

#include <algorithm>

#include "store/deletion.h"

namespace postern::store {
namespace {

constexpr std::int64_t kRemoveSurplus = 2;  // so that more go than come

constexpr db::Text kDeleteSurplus = POSTERN_DELETION(
    "DELETE FROM fetched WHERE url_digest IN"
    " (SELECT url_digest FROM fetched WHERE used_at <= $3"
    " ORDER BY used_at DESC LIMIT $1 OFFSET $2");

constexpr std::int64_t kRemoveEnded = 20;  // so that more go than come

constexpr db::Text kDeleteEnded = POSTERN_DELETION(
    "DELETE FROM fetch_limits WHERE limit_key IN"
    " (SELECT limit_key FROM fetch_limits WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2");

}  // namespace

std::optional<Fetched> find_fetched(db::Database& database, std::string_view digest) {
    auto row = database.query(
        "SELECT content_type, body, fetched_at, fresh_until, used_at FROM fetched WHERE url_digest = $1", digest);
    if (!row.step()) return std::nullopt;
    Fetched fetched;
    row >> fetched.content_type >> fetched.body >> fetched.fetched_at >> fetched.fresh_until >> fetched.used_at;
    return fetched;
}

void save_fetched(db::Transaction& transaction, std::string_view digest, const Fetched& fetched) {
    transaction.run(
        "INSERT INTO fetched (url_digest, content_type, body, fetched_at, fresh_until, used_at)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (url_digest) DO UPDATE SET content_type = excluded.content_type,"
        " body = excluded.body, fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until,"
        " used_at = excluded.used_at",
        digest, fetched.content_type, fetched.body, fetched.fetched_at, fetched.fresh_until, fetched.used_at);
    transaction.queue(kDeleteSurplus, kRemoveSurplus, kMaxFetchedRows, fetched.used_at);
}

void mark_used(db::Transaction& transaction, std::string_view digest, util::Time now) {
    transaction.queue("UPDATE fetched SET used_at = $2 WHERE url_digest = $1", digest, now);
}

void withdraw_fetched(db::Transaction& transaction, std::string_view digest) {
    transaction.queue("UPDATE fetched SET fresh_until = 0 WHERE url_digest = $1", digest);
}

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
