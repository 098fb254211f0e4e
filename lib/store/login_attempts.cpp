// Decides how failed logins are counted, and how many counters there may be (RFC 6749 §10.10).
#include "store/login_attempts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "store/deletion.h"

namespace postern::store {
namespace {

// Removed at each count, so that more go than come.
constexpr std::int64_t kRemoveExpired = 20;
constexpr std::int64_t kRemoveSurplus = 2;

constexpr db::Text kDeleteExpired = POSTERN_DELETION(
    "DELETE FROM login_attempts WHERE attempt_key IN"
    " (SELECT attempt_key FROM login_attempts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2");
// The kind is the expression of the index login_attempts_by_kind.
#define POSTERN_SURPLUS(position)                                                     \
    "DELETE FROM login_attempts WHERE attempt_key IN"                                 \
    " (SELECT attempt_key FROM login_attempts WHERE substr(attempt_key, 1, " position \
    "(attempt_key, ':')) = $3"                                                        \
    " ORDER BY ends_at DESC, attempt_key LIMIT $1 OFFSET $2"
constexpr db::Text kDeleteSurplus = {POSTERN_SURPLUS("instr") ")",
                                     POSTERN_SURPLUS("strpos") " FOR UPDATE SKIP LOCKED)"};

constexpr const char* kPutRow =
    "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 0, $2)"
    " ON CONFLICT (attempt_key) DO UPDATE SET ends_at = excluded.ends_at";

std::string_view kind_of(std::string_view key) { return key.substr(0, key.find(':') + 1); }

/// `made` are keys of new counters: each kind has the room of its own rows alone.
void bound_rows(db::Transaction& transaction, util::Time now, const std::vector<std::string_view>& made) {
    transaction.queue(kDeleteExpired, now, kRemoveExpired);
    for (const std::string_view key : made)
        transaction.queue(kDeleteSurplus, kRemoveSurplus, kMaxAttemptRows, kind_of(key));
}

Attempts count(db::Transaction& transaction, std::string_view key, util::Time now, util::Seconds window) {
    Attempts attempts;
    auto row = transaction.database().query(
        "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, $3)"
        " ON CONFLICT (attempt_key) DO UPDATE SET"
        " failures = CASE WHEN login_attempts.ends_at <= $2 THEN 1 ELSE login_attempts.failures + 1 END,"
        " ends_at = CASE WHEN login_attempts.ends_at <= $2 THEN excluded.ends_at ELSE login_attempts.ends_at END"
        " RETURNING failures, ends_at",
        key, now, now + window);
    if (!row.step()) throw db::StoreError("login_attempts: a failure was not counted");
    row >> attempts.failures >> attempts.until;
    return attempts;
}

using model::Subject;

/// A subject is random, so that it says no more than a digest would.
std::string key_of(std::string_view kind, CodePlace place, const Subject& subject) {
    return std::string(kind) + (place == CodePlace::known ? "known:" : "other:") + subject.str();
}

/// Counters stay until they are cleared: a guesser must not have ten more tries for each week of patience.
constexpr util::Time kNever = util::from_epoch(util::kMaxEpoch);

}  // namespace

std::array<Attempts, 4> find_attempts(db::Database& database, const std::array<std::string_view, 4>& keys,
                                      util::Time now) {
    auto rows = database.query(
        "SELECT attempt_key, failures, ends_at FROM login_attempts"
        " WHERE attempt_key IN ($2, $3, $4, $5) AND ends_at > $1",
        now, keys[0], keys[1], keys[2], keys[3]);
    std::array<Attempts, 4> found;
    while (rows.step()) {
        std::string key;
        rows >> key;
        Attempts& attempts = found.at(static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin()));
        rows >> attempts.failures >> attempts.until;
    }
    return found;
}

Attempts count_failures(db::Transaction& transaction, std::initializer_list<std::string_view> keys, util::Time now,
                        util::Seconds window) {
    Attempts last;
    std::vector<std::string_view> made;
    for (const std::string_view key : keys) {
        if (key.empty()) continue;
        last = count(transaction, key, now, window);
        if (last.failures == 1) made.push_back(key);
    }
    // Behind the counts: a transaction that has deleted counters waits for no other one.
    bound_rows(transaction, now, made);
    return last;
}

Attempts count_use(db::Transaction& transaction, const Use& use, util::Time now) {
    return count_failures(transaction, {use.key}, now, use.window);
}

bool count_uses(db::Transaction& transaction, std::initializer_list<Use> uses, util::Time now) {
    bool within = true;
    std::vector<std::string_view> made;
    for (const Use& use : uses) {
        if (use.key.empty()) continue;
        const Attempts attempts = count(transaction, use.key, now, use.window);
        if (attempts.failures == 1) made.push_back(use.key);
        within = attempts.failures <= use.limit;
        if (!within) break;
    }
    bound_rows(transaction, now, made);
    return within;
}

LoginPressure measure_pressure(db::Database& database, util::Time now, std::int64_t pair_limit,
                               std::int64_t alone_limit) {
    // Every failure counts in three counters; those of an address alone know each exactly once.
    auto row = database.query(
        "SELECT COALESCE(SUM(CASE WHEN attempt_key LIKE 'address:%' THEN failures ELSE 0 END), 0),"
        " COALESCE(SUM(CASE WHEN failures >= CASE WHEN attempt_key LIKE 'pair:%' THEN $2 ELSE $3 END THEN 1 ELSE 0 "
        "END), 0)"
        " FROM login_attempts WHERE ends_at > $1"
        " AND (attempt_key LIKE 'pair:%' OR attempt_key LIKE 'user:%' OR attempt_key LIKE 'address:%')",
        now, pair_limit, alone_limit);
    LoginPressure pressure;
    if (row.step()) row >> pressure.failures >> pressure.throttled;
    return pressure;
}

void clear_failures(db::Transaction& transaction, std::string_view key) {
    transaction.queue("DELETE FROM login_attempts WHERE attempt_key = $1", key);
}

void remember_place(db::Transaction& transaction, std::string_view key, util::Time until) {
    if (key.empty()) return;
    transaction.queue(kPutRow, key, until);
    // Of this name: its keys stand together, and are found so (+ 0), not by their ends. ';' is what follows ':'.
    const std::string first(key.substr(0, key.rfind(':') + 1));
    const std::string beyond = first.substr(0, first.size() - 1) + ';';
    transaction.queue(
        "DELETE FROM login_attempts WHERE attempt_key IN (SELECT attempt_key FROM login_attempts"
        " WHERE attempt_key > $1 AND attempt_key < $2 AND attempt_key <> $3 ORDER BY ends_at + 0 DESC LIMIT $4 OFFSET $5)",
        first, beyond, key, kSurplusBatch, kMaxKnownPlaces - 1);
}

void hold_key(db::Transaction& transaction, std::string_view key, util::Time until) {
    if (transaction.database().has_row_locks()) transaction.queue(kPutRow, key, until);
}

CodeState find_code_state(db::Database& database, const Subject& subject, std::string_view place_key, util::Time now) {
    const std::string known = key_of(kCodeCounter, CodePlace::known, subject);
    const std::string known_wait = key_of(kCodeWait, CodePlace::known, subject);
    const std::string other = key_of(kCodeCounter, CodePlace::other, subject);
    const std::string other_wait = key_of(kCodeWait, CodePlace::other, subject);
    auto rows = database.query(
        "SELECT attempt_key, failures, ends_at FROM login_attempts"
        " WHERE attempt_key IN ($2, $3, $4, $5, $6) AND ends_at > $1",
        now, known, known_wait, other, other_wait, place_key);
    CodeState state;
    while (rows.step()) {
        std::string key;
        std::int64_t failures = 0;
        util::Time until{};
        rows >> key >> failures >> until;
        if (key == known) state.known.in_a_row = failures;
        if (key == known_wait) state.known.wait_until = until;
        if (key == other) state.other.in_a_row = failures;
        if (key == other_wait) state.other.wait_until = until;
        if (key == place_key) state.place = CodePlace::known;
    }
    return state;
}

std::int64_t count_code_failure(db::Transaction& transaction, const Subject& subject, CodePlace place) {
    auto row = transaction.database().query(
        "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, $2)"
        " ON CONFLICT (attempt_key) DO UPDATE SET failures = login_attempts.failures + 1 RETURNING failures",
        key_of(kCodeCounter, place, subject), kNever);
    if (!row.step()) throw db::StoreError("login_attempts: a failure was not counted");
    return row.integer(0);
}

void delay_codes(db::Transaction& transaction, const Subject& subject, CodePlace place, util::Time until) {
    transaction.run(
        "INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 0, $2)"
        " ON CONFLICT (attempt_key) DO UPDATE SET ends_at = excluded.ends_at",
        key_of(kCodeWait, place, subject), until);
}

void clear_code_failures(db::Transaction& transaction, const Subject& subject, CodePlace place) {
    transaction.run("DELETE FROM login_attempts WHERE attempt_key IN ($1, $2)", key_of(kCodeCounter, place, subject),
                    key_of(kCodeWait, place, subject));
}

void clear_code_failures(db::Transaction& transaction, const Subject& subject) {
    clear_code_failures(transaction, subject, CodePlace::known);
    clear_code_failures(transaction, subject, CodePlace::other);
}

}  // namespace postern::store
