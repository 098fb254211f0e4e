// Table `login_attempts`: failed logins inside the window, counted exactly under parallel tries, the addresses from
// which each name has logged in, and the codes of second factors that failed in a row.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "db/database.h"
#include "model/ids.h"
#include "store/bounds.h"
#include "util/clock.h"

namespace postern::store {

/// The prefixes of keys, one for each kind of counter; the rest of a key is a digest.
inline constexpr std::string_view kPairCounter = "pair:";        ///< of a name at an address
inline constexpr std::string_view kUserCounter = "user:";        ///< of a name anywhere
inline constexpr std::string_view kAddressCounter = "address:";  ///< of an address whatever the name
inline constexpr std::string_view kCodeCounter = "code:";        ///< not of logins: store/login_attempts.h
inline constexpr std::string_view kCodeWait = "wait:";           ///< not a counter: when the next code may be tried
inline constexpr std::string_view kUseCounter = "mail-";         ///< not of logins: messages that were asked for
/// The prefix of no login: device codes that were asked for, or typed (RFC 8628).
inline constexpr std::string_view kDeviceUseCounter = "device-";
/// The prefix of no login: clients that registered without a token (RFC 7591).
inline constexpr std::string_view kRegistrationCounter = "register-";
inline constexpr std::string_view kNewName = "name:";  ///< not a counter: a user of this name is being made (hold_key)
inline constexpr std::string_view kKnownPlace = "known:";  ///< not a counter: this name has logged in from this address

/// The failures counted for a key (a digest, never a name) since its window began, and when the window ends. For a
/// known place, until when it is remembered.
struct Attempts {
    std::int64_t failures = 0;
    util::Time until{};
};
/// Returns the counters of `keys`, in the order of `keys`, of which the last ones may be "". A counter has no failures
/// where no window runs.
std::array<Attempts, 4> find_attempts(db::Database& database, const std::array<std::string_view, 4>& keys,
                                      util::Time now);
/// Adds one to each counter of a failure; callers name kinds of counters in one order. A window that has ended starts
/// again; nothing is counted for the key "". Returns the last counter. Rows are bounded: expired ones are deleted, and
/// of each kind that gets a counter the oldest beyond kMaxAttemptRows. A kind is what a key has up to its first colon;
/// no kind deletes rows of another kind.
Attempts count_failures(db::Transaction& transaction, std::initializer_list<std::string_view> keys, util::Time now,
                        util::Seconds window);
/// A counter besides those of failures: how often something was asked for.
struct Use {
    std::string_view key;  ///< of a counter that is no login's; or "", for which nothing is counted
    std::int64_t limit;    ///< inside the window
    util::Seconds window;
};
/// Adds one to the counter, with windows and bounds as count_failures has them. Returns the counter.
Attempts count_use(db::Transaction& transaction, const Use& use, util::Time now);
/// Adds one to each counter as count_use does, until one is over its limit: a use that this limit refuses does not
/// count for the counters behind it. Returns whether all are within their limits.
bool count_uses(db::Transaction& transaction, std::initializer_list<Use> uses, util::Time now);

/// The sums of the counters whose window runs.
struct LoginPressure {
    std::int64_t failures = 0;   ///< each is counted once
    std::int64_t throttled = 0;  ///< counters that have reached their limit: names, addresses, or names at addresses
};
LoginPressure measure_pressure(db::Database& database, util::Time now, std::int64_t pair_limit,
                               std::int64_t alone_limit);
void clear_failures(db::Transaction& transaction, std::string_view key);

/// Remembers the place until `until`, and longer when it is remembered again; nothing is remembered for "". `key` is
/// kKnownPlace, a digest of the name, a colon, and a digest of the place: beyond kMaxKnownPlaces of a name the least
/// recently remembered ones are deleted.
void remember_place(db::Transaction& transaction, std::string_view key, util::Time until);

/// Makes transactions that hold the same key wait for each other. The row that is left has no effect, and expires at
/// `until`.
void hold_key(db::Transaction& transaction, std::string_view key, util::Time until);

/// The kind of place where codes are typed. Codes from places in which the user has logged in of late count apart from
/// codes from all others.
enum class CodePlace { known, other };

struct CodeFailures {
    std::int64_t in_a_row = 0;  ///< since the last success
    util::Time wait_until{};    ///< later than now: no code is looked at before
};

/// The failures of one user, with a counter and a wait for each kind of place.
struct CodeState {
    CodePlace place = CodePlace::other;  ///< that of `place_key`
    CodeFailures known;
    CodeFailures other;

    const CodeFailures& here() const { return place == CodePlace::known ? known : other; }
};
/// Finds the counters and waits of the user. `place_key` begins with kKnownPlace, or is "": not a known place.
CodeState find_code_state(db::Database& database, const model::Subject& subject, std::string_view place_key,
                          util::Time now);

/// Adds one failure; returns how many there are in a row. The counter has no window: it lasts until
/// clear_code_failures.
std::int64_t count_code_failure(db::Transaction& transaction, const model::Subject& subject, CodePlace place);
void delay_codes(db::Transaction& transaction, const model::Subject& subject, CodePlace place, util::Time until);
/// Removes the counter and the wait of one kind of place, after a success there.
void clear_code_failures(db::Transaction& transaction, const model::Subject& subject, CodePlace place);
/// Removes both counters and both waits: after a new password, the operator's word, or the end of a lock.
void clear_code_failures(db::Transaction& transaction, const model::Subject& subject);

}  // namespace postern::store
