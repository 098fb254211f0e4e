// Decides how the keys of a client are kept.
#include "store/client_keys.h"

#include <cstdint>

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

std::vector<KeyAddress> list_key_addresses(db::Database& database, KeyAddresses which) {
    auto rows = database.query(
        "SELECT k.client_id, k.jwks_uri FROM client_keys k JOIN clients c ON c.id = k.client_id"
        " WHERE k.jwks_uri <> '' AND c.enabled = 1 AND (CAST($1 AS bigint) = 0"
        " OR (' ' || c.grants || ' ' NOT LIKE '% authorization_code %'"
        " AND ' ' || c.grants || ' ' NOT LIKE '% urn:ietf:params:oauth:grant-type:device_code %')) ORDER BY random()",
        std::int64_t{which == KeyAddresses::upkept});
    std::vector<KeyAddress> found;
    while (rows.step()) {
        KeyAddress& address = found.emplace_back();
        rows >> address.client >> address.jwks_uri;
    }
    return found;
}

}  // namespace postern::store
