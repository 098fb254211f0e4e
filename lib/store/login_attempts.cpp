// Decides how failed logins are counted, and how many counters there may be (RFC 6749 §10.10).
#include "store/login_attempts.h"

#include <algorithm>

#include "store/columns.h"

namespace postern::store {
namespace {

// Removed at each count, so that more go than come.
constexpr std::int64_t kRemoveExpired = 20;
constexpr std::int64_t kRemoveSurplus = 2;

/// No counter ends later than `latest`, so that known places need not be looked through.
void bound_rows(db::Database& database, util::Time now, util::Time latest) {
    database
        .prepare(
            "DELETE FROM login_attempts WHERE attempt_key IN"
            " (SELECT attempt_key FROM login_attempts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)")
        .bind(1, util::to_epoch(now))
        .bind(2, kRemoveExpired)
        .execute();
    database
        .prepare(
            "DELETE FROM login_attempts WHERE attempt_key IN"
            " (SELECT attempt_key FROM login_attempts WHERE ends_at <= $3 AND attempt_key NOT LIKE 'known:%'"
            " ORDER BY ends_at DESC, attempt_key LIMIT $1 OFFSET $2)")
        .bind(1, kRemoveSurplus)
        .bind(2, kMaxAttemptRows)
        .bind(3, util::to_epoch(latest))
        .execute();
}

}  // namespace

Attempts find_attempts(db::Database& database, std::string_view key, util::Time now) {
    auto row = database.prepare("SELECT failures, ends_at FROM login_attempts WHERE attempt_key = $1 AND ends_at > $2");
    if (!row.bind(1, key).bind(2, util::to_epoch(now)).step()) return {};
    return {row.integer(0), time_at(row, 1)};
}

Attempts count_failure(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window) {
    auto& database = transaction.database();
    Attempts attempts;
    {
        auto row = database.prepare(
            "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, $3)"
            " ON CONFLICT (attempt_key) DO UPDATE SET"
            " failures = CASE WHEN login_attempts.ends_at <= $2 THEN 1 ELSE login_attempts.failures + 1 END,"
            " ends_at = CASE WHEN login_attempts.ends_at <= $2 THEN excluded.ends_at ELSE login_attempts.ends_at END"
            " RETURNING failures, ends_at");
        row.bind(1, key).bind(2, util::to_epoch(now)).bind(3, util::to_epoch(now + window));
        if (!row.step()) throw db::StoreError("login_attempts: a failure was not counted");
        attempts = {row.integer(0), time_at(row, 1)};
    }
    bound_rows(database, now, std::max(attempts.until, now + window));
    return attempts;
}

LoginPressure measure_pressure(db::Database& database, util::Time now, std::int64_t pair_limit, std::int64_t alone_limit) {
    // Every failure counts in three counters; those of an address alone know each exactly once.
    auto row = database.prepare(
        "SELECT COALESCE(SUM(CASE WHEN attempt_key LIKE 'address:%' THEN failures ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN failures >= CASE WHEN attempt_key LIKE 'pair:%' THEN $2 ELSE $3 END THEN 1 ELSE 0 "
        "END), 0)"
        " FROM login_attempts WHERE ends_at > $1");
    row.bind(1, util::to_epoch(now)).bind(2, pair_limit).bind(3, alone_limit);
    if (!row.step()) return {};
    return {row.integer(0), row.integer(1)};
}

void clear_failures(db::Transaction& transaction, std::string_view key) {
    transaction.database().prepare("DELETE FROM login_attempts WHERE attempt_key = $1").bind(1, key).execute();
}

void remember_place(db::Transaction& transaction, std::string_view key, util::Time until) {
    transaction.database()
        .prepare(
            "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 0, $2)"
            " ON CONFLICT (attempt_key) DO UPDATE SET ends_at = excluded.ends_at")
        .bind(1, key)
        .bind(2, util::to_epoch(until))
        .execute();
}

bool is_known_place(db::Database& database, std::string_view key, util::Time now) {
    return find_attempts(database, key, now).until > now;
}

}  // namespace postern::store
