#include "store/fetched.h"

#include "store/deletion.h"

namespace postern::store {
namespace {

constexpr std::int64_t kRemoveSurplus = 2;  // so that more go than come

constexpr db::Text kDeleteSurplus = POSTERN_DELETION(
    "DELETE FROM fetched WHERE url_digest IN"
    " (SELECT url_digest FROM fetched WHERE used_at <= $3"
    " ORDER BY used_at DESC LIMIT $1 OFFSET $2");

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

}  // namespace postern::store
