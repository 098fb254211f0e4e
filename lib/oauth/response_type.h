// Decides whether a client may ask for a response type (RFC 6749 §3.1.1, OAuth 2.0 Multiple Response Types).
#pragma once

#include <string_view>

#include "http/params.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Checks that this server offers the response type, and that this client is registered for it (RFC 6749 §10.16).
Outcome<void> check_response_type(const Settings& settings, const model::Client& client, model::ResponseType type);

/// Returns the response type of a request, if it passes `check_response_type`.
Outcome<model::ResponseType> parse_response_type(const Settings& settings, const model::Client& client,
                                                 const http::Params& params);

/// Checks the demands of an ID token in the answer (OpenID Connect Core §3.2.2.1, §3.3.2.1): the scope openid, and a
/// nonce, which binds it to the browser's session at the client; "": there is no nonce. Refuses with server_error when
/// an ID token comes of the request, and the algorithm of the client is not offered any more: before the user signs in.
Outcome<void> check_id_token_request(const Settings& settings, const model::Client& client, model::ResponseType type,
                                     const model::Scope& scope, std::string_view nonce);

}  // namespace postern::oauth
