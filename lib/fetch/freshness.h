// Decides how long a document is fresh (FETCH-9, RFC 9111 §4.2.1).
#pragma once

#include "fetch/fetcher.h"
#include "util/clock.h"

namespace postern::fetch {

inline constexpr util::Seconds kShortestFreshness{300};
inline constexpr util::Seconds kUsualFreshness{3600};  ///< of an answer that does not say
inline constexpr util::Seconds kLongestFreshness{86400};

/// Returns `max-age` without `Age`, else `Expires` behind `Date`, within the bounds above. An answer that must not be
/// kept (no-store, no-cache) is fresh for the shortest time: each use would be a fetch otherwise.
util::Seconds freshness(const Answer& answer, util::Time now);

}  // namespace postern::fetch
