// Table `client_keys`: the keys of clients that authenticate by a JWT.
#pragma once

#include <optional>

#include "db/database.h"
#include "model/client_keys.h"
#include "model/ids.h"

namespace postern::store {

/// Finds the keys of a client; nullopt: it has none, as each client whose method is not private_key_jwt.
std::optional<model::ClientKeys> find_client_keys(db::Database& database, const model::ClientId& id);

/// Inserts the keys of a client that is there and has none.
void insert_client_keys(db::Transaction& transaction, const model::ClientId& id, const model::ClientKeys& keys);

void remove_client_keys(db::Transaction& transaction, const model::ClientId& id);

}  // namespace postern::store
