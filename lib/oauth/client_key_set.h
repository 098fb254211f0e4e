// The keys of a client where they are: registered, or at its jwks_uri (RFC 7591 §2; KEY-9, FETCH-9, FETCH-10).
#pragma once

#include <optional>
#include <string>

#include "jose/client_keys.h"
#include "model/client_keys.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::oauth {

/// Returns the client's keys. Those of a jwks_uri are fetched where the endpoint fetches, and are as old as they are
/// where it does not. The error is for the client: invalid_client, or temporarily_unavailable while too much is
/// fetched.
Outcome<jose::ClientKeys> keys_of_client(Context& context, const model::ClientId& client,
                                         const model::ClientKeys& registered);

/// Returns keys that are newer than those of keys_of_client, for a JWT that none of these has signed; nullopt: there
/// are no newer ones, or they cannot be fetched now. Once in 30 s for each URL.
std::optional<jose::ClientKeys> refetched_keys(Context& context, const model::ClientId& client,
                                               const model::ClientKeys& registered);

/// Returns what is wrong with the set at a URL, which is fetched now unless it is fresh; nullopt: it can be used.
std::optional<std::string> jwks_uri_problem(const fetch::Source& source, const std::string& url,
                                            const fetch::Cause& cause);

}  // namespace postern::oauth
