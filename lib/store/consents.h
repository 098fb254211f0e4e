// Table `consents`: what a user has approved for a client.
#pragma once

#include <optional>

#include "model/authorization.h"
#include "store/database.h"

namespace postern::store {

std::optional<model::Consent> find_consent(Database& database, const model::ClientId& client, const model::Subject& subject);
/// Adds to what was approved before.
void save_consent(Transaction& transaction, const model::Consent& consent);
/// False when there was none. What was granted meanwhile is not touched: end_grants_of does that.
bool remove_consent(Transaction& transaction, const model::ClientId& client, const model::Subject& subject);

}  // namespace postern::store
