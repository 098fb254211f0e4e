// Decides whether a URL may be asked now (FETCH-9, FETCH-11): strangers cause fetches, and these counters bound them.
#pragma once

#include <optional>
#include <string>

#include "fetch/document.h"

namespace postern::fetch {

inline constexpr int kFetchesOfHost = 6;  ///< in a minute, on each occasion
inline constexpr int kFetches = 60;       ///< in a minute, of all hosts, on each occasion

/// The limits of one URL; borrows the database.
class Limits {
public:
    Limits(db::Database& store, util::Time now, const std::string& url, std::string digest, Occasion occasion);

    /// nullopt: it is counted and may be asked.
    std::optional<Failure> claim() const;
    /// For 30 s it is not asked again.
    void remember_failure(db::Transaction& transaction) const;

private:
    std::optional<Failure> refusal() const;

    db::Database& store_;
    util::Time now_;
    std::string failed_;
    std::string host_;
    std::string all_;
};

}  // namespace postern::fetch
