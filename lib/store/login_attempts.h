// Table `login_attempts`: failed logins inside the window, counted exactly under parallel tries.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/database.h"
#include "util/clock.h"

namespace postern::store {

/// Failures counted for `key` (a digest, never a name) since its window began, and when the window ends.
struct Attempts {
    std::int64_t failures = 0;
    util::Time until{};
};
Attempts find_attempts(Database& database, std::string_view key, util::Time now);
/// No more rows than this, whatever callers send.
inline constexpr std::int64_t kMaxAttemptRows = 100000;
/// One more. A window that has ended starts anew. Rows are bounded: expired ones are deleted, the oldest beyond kMaxAttemptRows too.
Attempts count_failure(Transaction& transaction, std::string_view key, util::Time now, util::Seconds window);
void clear_failures(Transaction& transaction, std::string_view key);

}  // namespace postern::store
