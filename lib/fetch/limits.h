// Decides whether a URL may be asked now (FETCH-9, FETCH-11): strangers cause fetches, and these counters bound them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "fetch/source.h"
#include "store/fetched.h"

namespace postern::fetch {

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
