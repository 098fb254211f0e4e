// The registration that a client reads and deletes (RFC 7592 §2)
#pragma once

#include <string_view>

#include "http/message.h"
#include "json/value.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns all metadata of the client (RFC 7591 §3.2.1), as it is stored or as its profile implies it, with the address
/// and the token at which it manages its registration, and without its secret.
json::Object registration_of(const model::Client& client, const Settings& settings,
                             std::string_view registration_token);

/// Returns the registration of the client whose id is in the query and whose registration access token is sent.
/// invalid_token, all alike, for an id that is missing, given twice or not known, and for a token that is missing or of
/// another client; access_denied for a client that the operator has disabled.
Outcome<json::Object> read_registration_of_caller(Context& context, const http::Request& request);

/// Deletes the caller's client with its grants and tokens. Durable. The errors as above.
Outcome<void> delete_client_of_caller(Context& context, const http::Request& request);

}  // namespace postern::oauth
