// The attributes of a user that a client is told (OpenID Connect Core §5.1, §5.4, §5.5)
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "json/value.h"
#include "model/claim_names.h"
#include "model/ids.h"
#include "model/scope.h"
#include "model/standard_claims.h"
#include "oauth/context.h"

namespace postern::oidc {

/// The callback of the interface specification: every attribute of a subject. What comes back is filtered, so it may be
/// generous.
using GetUserClaims = std::function<json::Object(const model::Subject&)>;

/// Returns true if a client is told the claim: `scope` releases it, or the grant names it in `asked_for` and some scope
/// releases it.
bool is_told(const model::ReleasedClaims& released_claims, std::string_view claim, const model::Scope& scope,
             const model::ClaimNames& asked_for);

/// Returns the claims among `all` that the client is told; no such claim can take the place of a protocol claim. Empty
/// values are left out: null, blank text, empty lists and objects (§5.3.2), also inside an address.
json::Object told_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                         const model::Scope& scope, const model::ClaimNames& asked_for);

/// The client that claims are told to, and its right to them.
struct Recipient {
    const model::ClientId& client;
    bool own_claims = false;  ///< model::Client's
    const model::Subject& subject;
    const model::Scope& granted;       ///< without its scope, a claim of the client's own is not told
    bool by_scope = true;              ///< what the scopes release; false: only what was asked for by name
    model::ClaimNames asked_for = {};  ///< by name, as far as the client is still registered for it
};

/// Returns the claims that the client is told, of those that `get_user_claims` returns, which is called once. A claim
/// of the client's own (store/client_claims) takes the place of the user's claim of that name. One whose source the
/// user does not have is left out.
json::Object release_claims(oauth::Context& context, const Recipient& recipient, const GetUserClaims& get_user_claims);

/// Adds the claim `groups` with those of the user's groups that the client is told, unless there is one: what a
/// callback says about groups is what its directory knows.
void add_groups(db::Database& database, json::Object& claims, const model::Subject& subject,
                const model::ClientId& client);

}  // namespace postern::oidc
