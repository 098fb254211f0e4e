// Tables `client_claims` and `client_group_names`: what one client is told under names of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "model/client_claim.h"
#include "model/ids.h"

namespace postern::store {

/// Returns the claims of the client, by name. The list is empty unless `own_claims` of the client is set; callers can
/// skip the query for a client without it.
std::vector<model::ClientClaim> find_client_claims(db::Database& database, const model::ClientId& client);
/// Replaces the client's claim of that name, or adds it. The client exists, and a group that the source names.
void put_client_claim(db::Transaction& transaction, const model::ClientId& client, const model::ClientClaim& claim);
/// Removes the client's claim of that name; false when the client has none.
bool remove_client_claim(db::Transaction& transaction, const model::ClientId& client, std::string_view name);

/// A claim, and the client that it belongs to.
struct OwnClaim {
    model::ClientId client;
    model::ClientClaim claim;
};
/// Returns the claims of all clients with that source, by client and name.
std::vector<OwnClaim> find_claims_of(db::Database& database, const model::ClaimSource& source);
/// Removes the claims of all clients with that source.
void remove_claims_of(db::Transaction& transaction, const model::ClaimSource& source);

/// The names of groups, and what the client is told instead.
using GroupNames = std::map<std::string, std::string, std::less<>>;
GroupNames find_group_names(db::Database& database, const model::ClientId& client);
/// Replaces or sets the name that the client is told for the group. The client and the group exist.
void put_group_name(db::Transaction& transaction, const model::ClientId& client, std::string_view group,
                    std::string_view name);
/// Removes the client's own name for the group; false when the client is told the group's name.
bool remove_group_name(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
/// Returns the clients that are told another name for the group, by id.
std::vector<model::ClientId> clients_renaming(db::Database& database, std::string_view group);

}  // namespace postern::store
