// Decides how the keys of a client are kept.
#include "store/client_keys.h"

namespace postern::store {

std::optional<model::ClientKeys> find_client_keys(db::Database& database, const model::ClientId& id) {
    auto row = database.query("SELECT jwks, jwks_uri, alg FROM client_keys WHERE client_id = $1", id);
    if (!row.step()) return std::nullopt;
    model::ClientKeys keys;
    row >> keys.jwks >> keys.jwks_uri >> keys.alg;
    return keys;
}

void insert_client_keys(db::Transaction& transaction, const model::ClientId& id, const model::ClientKeys& keys) {
    transaction.queue("INSERT INTO client_keys (client_id, jwks, jwks_uri, alg) VALUES ($1, $2, $3, $4)", id, keys.jwks,
                      keys.jwks_uri, keys.alg);
}

void remove_client_keys(db::Transaction& transaction, const model::ClientId& id) {
    transaction.queue("DELETE FROM client_keys WHERE client_id = $1", id);
}

}  // namespace postern::store
