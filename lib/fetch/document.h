// Reads documents of others by their URL: from the cache while they are fresh, else over HTTPS.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "db/database.h"
#include "fetch/fetcher.h"
#include "fetch/limits.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::fetch {

/// An answer with status 200.
struct Document {
    std::string content_type;  ///< as it came; "" when there was none
    std::string body;          ///< at most most_bytes(purpose)
};

/// Returns the fault of a document, which is then not cached; nullopt: it is good. It may put what is to be kept in the
/// place of the body, if it takes that as well.
using Check = std::function<std::optional<std::string>(Document&)>;

/// Returns a document that has passed `check`. A fresh one is read from the cache. Otherwise it is fetched; when that
/// fails, the cached one serves for `outbound.stale_if_error` beyond its freshness, but not when the new one was
/// fetched and does not pass. A URL that failed is not asked again for 30 s, a host that did not answer for longer. No
/// more than `outbound.slots` processes of this machine wait for hosts at a time: a further one is refused at once.
/// On the occasion `refetch` one that is fresh is fetched again, unless that was done in the last 30 s.
/// Writes to table `fetched` and `fetch_limits`. A failure for which the fetcher was asked takes at least a second,
/// whatever it is (FETCH-12). Throws StoreError.
util::Result<Document, Failure> read_document(const Source& source, Purpose purpose, const std::string& url,
                                              const Cause& cause, const Check& check);

/// Returns the cached document, however stale, for an endpoint that fetches nothing; nullopt: there is none, or the
/// latest one that was fetched did not pass.
std::optional<Document> find_document(db::Database& store, Purpose purpose, const std::string& url);

/// Returns until when the cached document is fresh; the epoch: the latest one that was fetched did not pass; nullopt:
/// none is cached.
std::optional<util::Time> cached_until(db::Database& store, Purpose purpose, const std::string& url);

inline constexpr util::Seconds kShortestFreshness{300};
inline constexpr util::Seconds kUsualFreshness{3600};  ///< of an answer that does not say
inline constexpr util::Seconds kLongestFreshness{86400};

/// Returns `max-age` without `Age`, else `Expires` behind `Date`, within the bounds above. An answer that must not be
/// kept (no-store, no-cache) is fresh for the shortest time: each use would be a fetch otherwise.
util::Seconds freshness(const Answer& answer, util::Time now);

}  // namespace postern::fetch
