// Decides which claims and names of groups a client is told under names of its own.
#include "store/client_claims.h"

#include "db/error.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::ClientClaim;
using model::ClientId;

/// Reads `claim, source, scope`.
db::Statement& operator>>(db::Statement& row, ClientClaim& claim) {
    std::string source;
    row >> claim.name >> source >> claim.scope;
    const auto known = model::parse_claim_source(source);
    if (!known) throw db::StoreError("client_claims.source holds a source that this program does not know");
    claim.source = *known;
    return row;
}

}  // namespace

std::vector<ClientClaim> find_client_claims(db::Database& database, const ClientId& client) {
    auto rows =
        database.query("SELECT claim, source, scope FROM client_claims WHERE client_id = $1 ORDER BY claim", client);
    std::vector<ClientClaim> claims;
    while (rows.step()) rows >> claims.emplace_back();
    return claims;
}

void put_client_claim(db::Transaction& transaction, const ClientId& client, const ClientClaim& claim) {
    transaction.run(
        "INSERT INTO client_claims (client_id, claim, source, scope) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (client_id, claim) DO UPDATE SET source = excluded.source, scope = excluded.scope",
        client, claim.name, model::to_string(claim.source), claim.scope);
    transaction.run("UPDATE clients SET own_claims = 1 WHERE id = $1", client);
}

bool remove_client_claim(db::Transaction& transaction, const ClientId& client, std::string_view name) {
    const bool removed =
        transaction.run("DELETE FROM client_claims WHERE client_id = $1 AND claim = $2", client, name) == 1;
    transaction.run(
        "UPDATE clients SET own_claims = 0 WHERE id = $1"
        " AND NOT EXISTS (SELECT 1 FROM client_claims c WHERE c.client_id = $1)",
        client);
    return removed;
}

std::vector<OwnClaim> find_claims_of(db::Database& database, const model::ClaimSource& source) {
    auto rows = database.query(
        "SELECT client_id, claim, source, scope FROM client_claims WHERE source = $1 ORDER BY client_id, claim",
        model::to_string(source));
    std::vector<OwnClaim> claims;
    while (rows.step()) {
        auto& each = claims.emplace_back();
        rows >> each.client >> each.claim;
    }
    return claims;
}

void remove_claims_of(db::Transaction& transaction, const model::ClaimSource& source) {
    for (const auto& [client, claim] : find_claims_of(transaction.database(), source))
        remove_client_claim(transaction, client, claim.name);
}

GroupNames find_group_names(db::Database& database, const ClientId& client) {
    auto rows = database.query("SELECT group_name, name FROM client_group_names WHERE client_id = $1", client);
    GroupNames names;
    while (rows.step()) {
        std::string group;
        rows >> group;
        rows >> names[group];
    }
    return names;
}

void put_group_name(db::Transaction& transaction, const ClientId& client, std::string_view group,
                    std::string_view name) {
    transaction.run(
        "INSERT INTO client_group_names (client_id, group_name, name) VALUES ($1, $2, $3)"
        " ON CONFLICT (client_id, group_name) DO UPDATE SET name = excluded.name",
        client, group, name);
}

bool remove_group_name(db::Transaction& transaction, const ClientId& client, std::string_view group) {
    return transaction.run("DELETE FROM client_group_names WHERE client_id = $1 AND group_name = $2", client, group) ==
           1;
}

std::vector<ClientId> clients_renaming(db::Database& database, std::string_view group) {
    return values_of<ClientId>(
        database.query("SELECT client_id FROM client_group_names WHERE group_name = $1 ORDER BY client_id", group));
}

}  // namespace postern::store
