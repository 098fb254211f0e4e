// Table `sessions`.
#pragma once

#include <optional>

#include "model/session.h"
#include "store/database.h"

namespace postern::store {

/// Only a session that is neither past its absolute expiry nor idle since before `idle_since`, of a user who is enabled.
std::optional<model::Session> find_session(Database& database, const model::ValueHash& cookie_hash, util::Time now,
                                           util::Time idle_since);
void insert_session(Transaction& transaction, const model::Session& session);
void remove_session(Transaction& transaction, const model::ValueHash& cookie_hash);
void touch_session(Transaction& transaction, const model::ValueHash& cookie_hash, util::Time now);

}  // namespace postern::store
