// The checks of the addresses in a registration request, in the order in which registration_request.cpp runs them. Each
// reads members into the client, or refuses the request.
#pragma once

#include "model/client.h"
#include "oauth/registered_members.h"

namespace postern::oauth::registering {

/// Reads redirect_uris (REG-5, REG-6).
Outcome<void> read_redirect_uris(const Asked& asked, model::Client& client);
/// Checks that a stranger's redirect URIs are few, short, and on the user's device or on a host that the operator has
/// named (REG-27).
Outcome<void> check_addresses_of_stranger(const Asked& asked, model::Client& client);
/// Reads application_type, which decides which redirect URIs the client may have. Without it the redirect URIs decide
/// (REG-8): OpenID Connect Registration §2 has `web` as the default, which clients of RFC 7591 do not know.
Outcome<void> read_application_type(const Asked& asked, model::Client& client);
/// Reads the members that are a single https URL which this server shows or hands out (REG-12).
Outcome<void> read_links(const Asked& asked, model::Client& client);
/// Reads the addresses at which the client is told that a session has ended (BCL-1, FCL-1).
Outcome<void> read_logout_uris(const Asked& asked, model::Client& client);
/// Reads post_logout_redirect_uris, by the rules of operators' clients (RP-Initiated Logout 1.0 §3.1).
Outcome<void> read_logout_addresses(const Asked& asked, model::Client& client);

}  // namespace postern::oauth::registering
