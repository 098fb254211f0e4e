// How many rows one user, or all strangers together, can have stored. docs/OPERATIONS.md ("Bounds") and
// docs/decisions/0099 list them with those of other headers.
#pragma once

#include <cstdint>

namespace postern::store {

/// The largest number of sessions of one user. A login beyond ends the least recently used ones. Their grants
/// live on, as if they had expired; their clients are told (BCL-3).
inline constexpr std::int64_t kMaxSessions = 100;
/// The number of sessions that the account's page lists; it says how many others there are.
inline constexpr std::int64_t kShownSessions = 50;
/// The largest number of remembered devices of one user. The least recently used ones beyond are forgotten.
inline constexpr std::int64_t kMaxRememberedDevices = 50;
/// The largest number of places in which one user is known (login_attempts.h). The least recently used ones beyond are
/// forgotten.
inline constexpr std::int64_t kMaxKnownPlaces = 200;
/// The largest number of grants of one user to one client that have not ended. The oldest ones beyond end.
inline constexpr std::int64_t kMaxGrantsToClient = 200;
/// The number of new grants of which one looks for grants beyond the bound, and ends that many more.
inline constexpr std::int64_t kGrantsAtOnce = 16;
/// The number of rows beyond a bound of one user that one transaction ends: an earlier release stored any number.
inline constexpr std::int64_t kSurplusBatch = 1000;

/// The largest number of counters of each purpose in `login_attempts`, whatever strangers send. The oldest ones of that
/// purpose beyond are deleted.
inline constexpr std::int64_t kMaxAttemptRows = 100000;

}  // namespace postern::store
