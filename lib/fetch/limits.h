// The cause of a fetch, and whether a URL may be asked now (FETCH-9, FETCH-11): strangers cause fetches, and these
// counters bound them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "db/database.h"
#include "fetch/fetcher.h"
#include "fetch/outbound.h"
#include "refusal/reason.h"
#include "store/fetched.h"
#include "util/clock.h"

namespace postern::fetch {

/// The source of documents. Borrows everything.
struct Source {
    db::Database& store;
    util::Time now;
    Fetcher* fetcher;  ///< nullptr: the configuration does not allow fetching, or this endpoint does not fetch
    const Outbound& outbound;
};

struct Failure {
    refusal::Reason why;  ///< of client_document_busy another try later may succeed
    std::string reason;   ///< for the log and `postern why`; a client must not see it (FETCH-12)
};

/// The occasion of a fetch. Each one has counters of its own, so that strangers with new URLs cannot keep a
/// document that is in use from being renewed (FETCH-11).
enum class Occasion {
    first,    ///< anyone may have named the URL
    renewal,  ///< of a document that this server has kept since a user approved it, or of a client's keys
    refetch,  ///< of keys that are fresh, because none of them fits a JWT (FETCH-10)
    upkeep    ///< of keys that only endpoints read which fetch nothing, by the command (FETCH-15)
};

/// The cause of a fetch. One cause has a share of the fetches of its occasion, and no more.
struct Cause {
    Occasion occasion;
    std::string of = {};  ///< first: the caller's IP address; renewal: the user who approved the client first; "": none
};

inline constexpr int kFetchesOfHost = 6;  ///< in a minute, on each occasion
inline constexpr int kFetches = 60;       ///< in a minute, of all hosts, on each occasion
/// The share of a minute that the fetches of one cause may take; each counts as a second at least.
inline constexpr std::chrono::milliseconds kShareOfCause{20'000};
/// The share of a minute that all fetches of an occasion may take of each slot. So each occasion finds a free one half
/// of the time, whatever the other does.
inline constexpr std::chrono::milliseconds kShareOfOccasion{30'000};

/// The limits of one URL; borrows the database.
class Limits {
public:
    Limits(const Source& source, const std::string& url, std::string digest, const Cause& cause);

    /// Returns why the URL may not be asked. Writes nothing: a caller over a limit keeps the write lock free for
    /// others.
    std::optional<Failure> refusal();
    /// Counts the fetch; returns why it may not be made after all, or nullopt.
    std::optional<Failure> claim() const;

    /// Counts the time that the fetch took.
    void charge(db::Transaction& transaction, std::chrono::nanoseconds took) const;
    /// Keeps the URL from being asked again for 30 s.
    void remember_failure(db::Transaction& transaction) const;
    /// Keeps a host that gave no answer from being asked again on this occasion: for 30 s, and twice as long each time,
    /// up to eight minutes.
    void remember_silence(db::Transaction& transaction) const;
    void forget_silence(db::Transaction& transaction) const;

private:
    const Source& source_;
    Occasion occasion_;
    std::string failed_;
    std::string silent_;
    std::string host_;
    std::string all_;
    std::string share_;  ///< "": the cause is not known
    std::string waited_;
    std::int64_t silences_ = 0;  ///< that are remembered of the host
};

}  // namespace postern::fetch
