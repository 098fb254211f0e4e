// The checks of a registration request, in their order (RFC 7591 §2, §3.1; OpenID Connect Registration §2). Pure: what
// is stored, and who may register, is the business of register_client.h.
#pragma once

#include "json/value.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/registrant.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns the client that the request describes, as far as `registration` in the configuration allows: without id,
/// secret and times. Members that are not known are ignored, and null is as good as absent. Grants, response types and
/// scopes beyond the policy are left out. What the operator decides (first party, groups, level, resources) cannot be
/// asked for.
/// The errors: invalid_redirect_uri for an address that cannot be registered, invalid_client_metadata for everything
/// else, among it a demand for protection that this server would not give.
Outcome<model::Client> read_registration(const json::Object& request, const Settings& settings, Registrant registrant);

}  // namespace postern::oauth
