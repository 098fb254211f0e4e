// The client credentials grant: a token for the client itself, no user involved (RFC 6749 §4.4).
#pragma once

#include "model/client.h"
#include "model/grant.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/target.h"
#include "oauth/token_request.h"

namespace postern::oauth {

/// The grant that such a request makes, not stored yet, and what its token is for.
struct ClientGrant {
    model::Grant grant;  ///< without subject, with the scope that the token gets
    Target target;
};

/// Returns the grant of a request, only for confidential clients (§4.4). It never has an OpenID scope, because the
/// token has no user.
Outcome<ClientGrant> make_client_grant(Context& context, const model::Client& client,
                                       const ClientCredentialsGrant& grant);

/// Writes the grant of `client` and its access token in one transaction.
void store_client_grant(Context& context, const model::Client& client, const model::Grant& grant,
                        const model::AccessToken& access);

}  // namespace postern::oauth
