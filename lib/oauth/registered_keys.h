// The members of a registration request about the keys of a client (RFC 7591 §2; REG-9, REG-10).
#pragma once

#include "model/client.h"
#include "oauth/registered_members.h"

namespace postern::oauth {

/// Reads `jwks`, `jwks_uri` and `token_endpoint_auth_signing_alg` of a client that authenticates by a JWT or by a
/// certificate, and the name of the certificates of one with tls_client_auth, which needs no keys but may register some
/// to sign its requests. For other methods keys are checked and not kept, because nothing would read them, and while
/// `clientAssertions` is off they are ignored.
Outcome<void> read_keys(const registering::Asked& asked, model::Client& client);

/// Reads `request_object_signing_alg` (OpenID Connect Registration §2). While `requestObjects` is off, and of a client
/// without keys, it is ignored.
Outcome<void> read_request_algorithm(const registering::Asked& asked, model::Client& client);

}  // namespace postern::oauth
