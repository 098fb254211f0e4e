// The members of a registration that say where a client is told of the end of a session (OpenID Connect Back-Channel
// Logout 1.0 §2.2, Front-Channel Logout 1.0 §2).
#pragma once

#include "json/value.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Reads the members into client.logout; the client has its redirect URIs already. Refuses an address of a kind that
/// is switched off, since the client would wait for what is never sent, and those that an operator could not register.
Outcome<void> read_registered_logout(const json::Object& request, const Settings& settings, model::Client& client);

/// Writes the members that the client has.
void write_registered_logout(const model::LogoutUris& uris, json::Object& document);

}  // namespace postern::oauth
