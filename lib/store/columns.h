// How the model's values are read from columns. Private to this module.
#pragma once

#include <vector>

#include "db/database.h"
#include "model/authentication.h"
#include "model/client.h"
#include "model/grant.h"
#include "util/clock.h"

namespace postern::store {

db::Statement& operator>>(db::Statement& row, model::Level& level);
db::Statement& operator>>(db::Statement& row, model::Scope& scope);
db::Statement& operator>>(db::Statement& row, model::ClaimNames& names);
db::Statement& operator>>(db::Statement& row, model::ResourceUris& uris);
db::Statement& operator>>(db::Statement& row, model::ResourceScopes& scopes);

/// Returns the one column of all rows.
template <class Value>
std::vector<Value> values_of(db::Statement rows) {
    std::vector<Value> values;
    while (rows.step()) rows >> values.emplace_back();
    return values;
}

/// Returns the one number of the first row; 0 when there is none.
std::int64_t number_of(db::Statement row);

/// The columns of `grants g`, in the order in which a model::Grant is read.
#define POSTERN_GRANT_COLUMNS                                                                                 \
    "g.id, g.client_id, g.subject, g.scope, g.auth_time, g.sid, g.created_at, g.ended_at, g.userinfo_claims," \
    " g.id_token_claims, g.resources, g.acr, g.amr, g.ignored_scope, g.dpop_jkt, g.x5t"
db::Statement& operator>>(db::Statement& row, model::Grant& grant);

/// The columns of `clients c`, in the order in which a model::ClientState is read.
#define POSTERN_CLIENT_STATE_COLUMNS "c.enabled, c.origin, c.registered_by = ''"
db::Statement& operator>>(db::Statement& row, model::ClientState& state);

/// Lets transactions of this grant wait for each other: those that use up, insert or revoke what belongs to it.
void lock_grant(db::Transaction& transaction, const model::GrantId& id);

/// Keeps the grant, and with it everything under it, at least until then.
void keep_grant(db::Transaction& transaction, const model::GrantId& id, util::Time until);

}  // namespace postern::store
