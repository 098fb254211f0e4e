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

/// By name. Without `own_claims` of the client there are none, and nothing need be asked.
std::vector<model::ClientClaim> find_client_claims(db::Database& database, const model::ClientId& client);
/// Takes the place of the client's claim of that name. The client exists, and a group that the source names.
void put_client_claim(db::Transaction& transaction, const model::ClientId& client, const model::ClientClaim& claim);
/// False when the client has none of that name.
bool remove_client_claim(db::Transaction& transaction, const model::ClientId& client, std::string_view name);

/// A claim of a client, and of which.
struct OwnClaim {
    model::ClientId client;
    model::ClientClaim claim;
};
/// Returns the claims of all clients with that source, by client and name.
std::vector<OwnClaim> find_claims_of(db::Database& database, const model::ClaimSource& source);
/// Removes the claims of all clients with that source.
void remove_claims_of(db::Transaction& transaction, const model::ClaimSource& source);

/// Names of groups, and what the client is told instead.
using GroupNames = std::map<std::string, std::string, std::less<>>;
GroupNames find_group_names(db::Database& database, const model::ClientId& client);
/// Takes the place of what the client was told for the group. Both exist.
void put_group_name(db::Transaction& transaction, const model::ClientId& client, std::string_view group,
                    std::string_view name);
/// False when the client is told the group's own name.
bool remove_group_name(db::Transaction& transaction, const model::ClientId& client, std::string_view group);
/// The clients that are told another name for the group, by id.
std::vector<model::ClientId> clients_renaming(db::Database& database, std::string_view group);

}  // namespace postern::store
