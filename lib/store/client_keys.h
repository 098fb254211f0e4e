// Table `client_keys`: the keys of clients that authenticate by a JWT.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "model/client_keys.h"
#include "model/ids.h"

namespace postern::store {

/// Finds the keys of a client; nullopt: it has none, as each client that has a secret.
std::optional<model::ClientKeys> find_client_keys(db::Database& database, const model::ClientId& id);

/// Inserts the keys of a client that is there and has none.
void insert_client_keys(db::Transaction& transaction, const model::ClientId& id, const model::ClientKeys& keys);

void remove_client_keys(db::Transaction& transaction, const model::ClientId& id);

/// The address at which a client publishes its keys.
struct KeyAddress {
    model::ClientId client;
    std::string jwks_uri;
};

/// Lists the addresses of enabled clients; `upkept` lists those alone whose grants bring them to no endpoint that
/// fetches, unless client_credentials does: an API that only introspects is registered so. In another order each time,
/// so that where a limit ends one run the next one begins elsewhere.
enum class KeyAddresses { all, upkept };
std::vector<KeyAddress> list_key_addresses(db::Database& database, KeyAddresses which);

}  // namespace postern::store
