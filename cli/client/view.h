// Shows a client: everything but its secrets.
#pragma once

#include <vector>

#include "cli/output.h"
#include "model/client.h"
#include "store/client_access.h"
#include "store/client_claims.h"

namespace postern::cli {

/// The rows of other tables about a client.
struct ClientDetails {
    store::ClientAccess access;
    std::vector<model::ClientClaim> claims;
    store::GroupNames group_names;
};
ClientDetails read_details(db::Database& database, const model::Client& client);

/// Returns the fields of a client. Members have their names in RFC 7591 §2 where it has one.
Listing listing_of(const model::Client& client, const ClientDetails& details);
void print_clients(const std::vector<model::Client>& clients);

}  // namespace postern::cli
