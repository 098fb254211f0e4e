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
/// Not of logins: device codes that were asked for, or typed (RFC 8628).
inline constexpr std::string_view kDeviceUseCounter = "device-";
inline constexpr std::string_view kNewName = "name:";  ///< not a counter: a user of this name is being made (hold_key)
inline constexpr std::string_view kKnownPlace = "known:";  ///< not a counter: this name has logged in from this address

/// Failures counted for a key (a digest, never a name) since its window began, and when the window ends. Of a known
/// place, until when it is remembered.
struct Attempts {
    std::int64_t failures = 0;
    util::Time until{};
};
/// In the order of `keys`, of which the last ones may be "". Without failures where no window runs.
std::array<Attempts, 4> find_attempts(db::Database& database, const std::array<std::string_view, 4>& keys,
                                      util::Time now);
/// One more for each counter of a failure; callers name kinds of counters in one order. A window that has ended starts
/// again; nothing is counted for the key "". Returns the last counter. Rows are bounded: expired ones are deleted, and
/// of each kind that gets a counter the oldest beyond kMaxAttemptRows. A kind is what a key has up to its first colon;
/// no kind deletes those of another.
Attempts count_failures(db::Transaction& transaction, std::initializer_list<std::string_view> keys, util::Time now,
                        util::Seconds window);
/// A counter besides those of failures: how often something was asked for.
struct Use {
    std::string_view key;  ///< begins with kUseCounter or kDeviceUseCounter; or "", for which nothing is counted
    std::int64_t limit;    ///< inside the window
    util::Seconds window;
};
/// One more, as above. Returns the counter.
Attempts count_use(db::Transaction& transaction, const Use& use, util::Time now);
/// One more for each of them, as above, until one is over its limit: what is refused by it does not count for the
/// others. Whether all are within their limits.
bool count_uses(db::Transaction& transaction, std::initializer_list<Use> uses, util::Time now);

/// The sums of the counters whose window runs.
struct LoginPressure {
    std::int64_t failures = 0;   ///< each is counted once
    std::int64_t throttled = 0;  ///< counters that have reached their limit: names, addresses, or names at addresses
};
LoginPressure measure_pressure(db::Database& database, util::Time now, std::int64_t pair_limit,
                               std::int64_t alone_limit);
void clear_failures(db::Transaction& transaction, std::string_view key);

/// Remembered until `until`, and longer when remembered again; nothing is remembered for "". `key` is kKnownPlace, a
/// digest of the name, a colon, and a digest of the place: beyond kMaxKnownPlaces of a name the least recently
/// remembered ones go.
void remember_place(db::Transaction& transaction, std::string_view key, util::Time until);

/// Transactions that hold the same key wait for each other. The row that is left has no effect, and expires at `until`.
void hold_key(db::Transaction& transaction, std::string_view key, util::Time until);

/// Where codes are typed. Those from places in which the user has logged in of late count apart from all others.
enum class CodePlace { known, other };

struct CodeFailures {
    std::int64_t in_a_row = 0;  ///< since the last success
    util::Time wait_until{};    ///< later than now: no code is looked at before
};

/// For one user. `places` has both counters.
struct CodeState {
    CodePlace place = CodePlace::other;  ///< that of `place_key`
    CodeFailures known;
    CodeFailures other;

    const CodeFailures& here() const { return place == CodePlace::known ? known : other; }
};
/// `place_key` begins with kKnownPlace, or is "": not a known place.
CodeState find_code_state(db::Database& database, const model::Subject& subject, std::string_view place_key,
                          util::Time now);

/// One more; returns how many there are in a row. The counter has no end but a success.
std::int64_t count_code_failure(db::Transaction& transaction, const model::Subject& subject, CodePlace place);
void delay_codes(db::Transaction& transaction, const model::Subject& subject, CodePlace place, util::Time until);
/// Counter and wait of one kind of place, after a success there.
void clear_code_failures(db::Transaction& transaction, const model::Subject& subject, CodePlace place);
/// Both counters and both waits: after a new password, the operator's word, or the end of a lock.
void clear_code_failures(db::Transaction& transaction, const model::Subject& subject);

}  // namespace postern::store
