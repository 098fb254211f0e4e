// The way in which the answer of an authorization request reaches the client (OAuth 2.0 Multiple Response Types §2.1,
// Form Post §2)
#pragma once

#include "http/params.h"
#include "model/authorization.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// invalid_request for a mode that does not exist, is off (`jarm`), or is not among those that the client is registered
/// for; and for a query with a response type that yields a token: tokens in a query end up in logs and `Referer`
/// (Multiple Response Types §3, JARM §2.3.1).
Outcome<model::ResponseMode> parse_response_mode(const Settings& settings, const model::Client& client,
                                                 const http::Params& params);

/// Checks the mode of a request that has travelled: `jarm` may be off since, or the client registered for others.
Outcome<void> check_response_mode(const Settings& settings, const model::Client& client,
                                  const model::AuthorizationRequest& request);

/// The mode of errors: what was asked for where that is possible, else the response type's own. A request object is
/// refused, and may hold the only `response_mode` (OpenID Connect Core §6.1): that member alone is read from it,
/// unsigned or not, since it says nothing that the caller could not say outside.
model::ResponseMode response_mode_of_errors(const Settings& settings, const model::Client& client,
                                            const http::Params& params);

}  // namespace postern::oauth
