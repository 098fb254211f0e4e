// Table `login_attempts` for second factors: codes that failed in a row, and until when no other one is tried.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/database.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::store {

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
