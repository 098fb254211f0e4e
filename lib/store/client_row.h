// The row of a client in `clients`: its columns, and what they are of a model::Client. Private to this module.
#pragma once

#include "db/database.h"
#include "model/client.h"

namespace postern::store {

/// The columns of `clients c`, in the order in which read_client reads them.
#define POSTERN_CLIENT_COLUMNS                                                                              \
    "c.id, c.name, c.type, c.native, c.first_party, c.enabled, c.grants, c.scope, c.auth_method, c.pkce,"   \
    " c.created_at, c.restricted, c.groups, c.id_token_claims, c.access_token_profile,"                     \
    " c.groups_in_access_token, c.default_resource, c.resources, c.own_claims, c.origin, c.last_used_at,"   \
    " c.removable_at, c.brought_by, c.level, c.names, c.introspection_claims, c.response_types, c.details," \
    " c.registered_by, c.registration_token_hash"
/// Reads those columns. The client lacks what stands in other tables: its URIs and its secrets.
model::Client read_client(db::Statement& row);

/// Inserts the row; false when the id is taken.
bool insert_client_row(db::Transaction& transaction, const model::Client& client);

/// Replaces everything but id, created_at, own_claims, origin, last_used_at, brought_by, registered_by and
/// registration_token_hash. False when there is no such client.
bool update_client_row(db::Transaction& transaction, const model::Client& client);

}  // namespace postern::store
