// The request of a client: every parameter of the authorization endpoint but the two that `verify_redirect` took.
#pragma once

#include "http/params.h"
#include "model/authorization.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/redirect_uri.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns a request whose every value obeys its grammar and the client's registration, with a new id and its expiry.
/// Errors go to the verified redirect_uri (RFC 6749 §4.1.2.1). Checked in this order: duplicates and encoding, sizes,
/// request objects, response_mode, response_type, scope, nonce, prompt, max_age, PKCE, resources, claims,
/// id_token_hint. Needs Keys opened for verify.
Outcome<model::AuthorizationRequest> parse_authorization_request(Context& context, const VerifiedRedirect& target,
                                                                 const http::Params& params);

/// Refuses `request`, `request_uri` and `registration`: parameters that would change the meaning of the others must not
/// be ignored (OpenID Connect Core §6, §7.2.1).
Outcome<void> check_request_objects(const http::Params& params);

/// Checks a request that has travelled: the client's registration may have changed since, and changes take effect at
/// once. Refuses a response type, scope, claim or resource that the client has lost, a missing challenge that it now
/// needs, and a request that was not pushed and now must be.
Outcome<void> check_registration(const Settings& settings, const model::Client& client,
                                 const model::AuthorizationRequest& request);

}  // namespace postern::oauth
