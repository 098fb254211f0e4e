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

/// Returns true if every client must push its requests: also where every client must sign them.
bool pushes_all(const Settings& settings);

/// Returns true if every client must sign its requests.
bool signs_all(const Settings& settings);

/// Refuses a pushed request without a signed object around it, where there must be one (RFC 9101 §10.5; JAR-13).
/// invalid_request.
Outcome<void> check_is_signed(const Settings& settings, const model::Client& client, bool is_signed);

/// Refuses a pushed request that leaves its redirect_uri to the registration, of a client with a profile (FAPI 2.0
/// Security Profile §5.3.2.2 item 6; F2-19). invalid_request.
Outcome<void> check_redirect_is_sent(const Settings& settings, const model::Client& client, bool is_sent);

/// Refuses a request that the browser brought itself, where requests must be pushed (RFC 9126 §5, §6), or signed, which
/// they are only where they are pushed. invalid_request, or as check_demands.
Outcome<void> check_may_be_direct(const Settings& settings, const model::Client& client);

}  // namespace postern::oauth
