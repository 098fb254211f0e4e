// Demands of a client's registration on its requests, and the refusal of requests that do not meet them.
#pragma once

#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns true if every response mode that the client may ask for is signed.
bool demands_signed_answers(const Settings& settings, const model::Client& client);

/// Returns true if a client of that type may push its requests (RFC 9126).
bool can_push(const Settings& settings, model::ClientType type);

/// Refuses a client whose registration demands what the configuration does not offer, or does not fit the client's
/// profile: it must not get less than it demands. unauthorized_client.
Outcome<void> check_demands(const Settings& settings, const model::Client& client);

/// Refuses a request that the browser brought itself, where requests must be pushed (RFC 9126 §5, §6). invalid_request,
/// or as check_demands.
Outcome<void> check_may_be_direct(const Settings& settings, const model::Client& client);

}  // namespace postern::oauth
