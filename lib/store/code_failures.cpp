// Decides under which keys failures of second factors are counted.
#include "store/code_failures.h"

#include <string>

#include "store/login_attempts.h"

namespace postern::store {
namespace {

using model::Subject;

/// A subject is random, so that it says no more than a digest would.
std::string key_of(std::string_view kind, CodePlace place, const Subject& subject) {
    return std::string(kind) + (place == CodePlace::known ? "known:" : "other:") + subject.str();
}

/// Counters stay until they are cleared: a guesser must not have ten more tries for each week of patience.
constexpr util::Time kNever = util::from_epoch(util::kMaxEpoch);

}  // namespace

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
