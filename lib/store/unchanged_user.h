// A user whose login is under way: still the one whose credential was checked?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/database.h"
#include "model/ids.h"

namespace postern::store {

/// Whether the user exists, is enabled and still has that stamp.
bool is_user_unchanged(db::Database& database, const model::Subject& subject, std::int64_t stamp);

/// Returns the name of the user, who exists, is enabled and still has that stamp, and holds the row until the
/// transaction ends. nullopt otherwise. One statement behind the lock, because each is a round trip to a server.
std::optional<std::string> find_unchanged_user(db::Transaction& transaction, const model::Subject& subject,
                                               std::int64_t stamp);

}  // namespace postern::store
