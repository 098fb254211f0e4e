// Is this token active, and what was granted with it? (RFC 7662)
#pragma once

#include <functional>
#include <optional>

#include "json/value.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/presented_token.h"

namespace postern::oauth {

/// Checks that the caller may ask, and returns it: a client that authenticates, confidential unless
/// `introspectionRequiresConfidentialClient` is false; any caller when `authenticateIntrospect` is false, and then
/// credentials are ignored and nullopt is returned. Else invalid_client.
Outcome<std::optional<model::Client>> check_introspection_caller(Context& context, const PresentedTokenRequest& asked,
                                                                 const http::Request& request);

/// Returns the claims of a token's user that the caller is told. Empty: it is told none, and nothing is asked for them.
using UserClaimsOf = std::function<json::Object(const store::StoredAccessToken&)>;

/// Returns the answer about an active access token, from storage and the token's own claims, which were verified.
/// `user_claims` is asked about a token of a user, and takes the place of none of these.
json::Object describe_active(const store::StoredAccessToken& stored, const json::Object& claims,
                             const UserClaimsOf& user_claims = {});

/// Answers about any client's token (interface specification, introspection rule 4): `{"active":false}` and no more for
/// everything that is not an active access or refresh token, authorization codes included (RFC 7662 §2.2, §4).
/// `active`, `scope`, `client_id`, `token_type`, `cnf` and `auth_time` are what storage says, `acr` is how users log in
/// here (RFC 9470 §6.2), the rest are verified claims. Writes nothing.
///
/// A token of a client with a profile is active for fewer callers (FAPI 2.0 Message Signing §6.2): an access token for
/// the API that is its `aud`, or for any API if it has none; a refresh token for the client itself. `caller`: nullptr
/// for one that is not known.
json::Object introspect(Context& context, const PresentedToken& token, const UserClaimsOf& user_claims = {},
                        const model::Client* caller = nullptr);

}  // namespace postern::oauth
