// Table `fetched`: documents of others that were fetched over HTTPS.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

struct Fetched {
    std::string content_type;  ///< as it came
    std::string body;          ///< UTF-8 without U+0000
    util::Time fetched_at{};
    util::Time fresh_until{};  ///< the epoch: what was fetched later was invalid, so it serves no more
    util::Time used_at{};      ///< rounded: written when it is an hour old
};

/// Rows, which strangers can cause. The least recently used ones beyond go.
inline constexpr std::int64_t kMaxFetchedRows = 5000;
/// A document that was not used for so long is deleted by the sweep.
inline constexpr util::Seconds kFetchedRetention{2592000};

/// `digest` is of the URL and its purpose.
std::optional<Fetched> find_fetched(db::Database& database, std::string_view digest);
/// In the place of the one that is there.
void save_fetched(db::Transaction& transaction, std::string_view digest, const Fetched& fetched);
void mark_used(db::Transaction& transaction, std::string_view digest, util::Time now);
/// It is found as before, but is not fresh and was so at no time.
void withdraw_fetched(db::Transaction& transaction, std::string_view digest);

}  // namespace postern::store
