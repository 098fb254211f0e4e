// The checks of a registration request, in their order (RFC 7591 §2, §3.1; OpenID Connect Registration §2). Pure: what
// is stored, and who may register, is the business of register_client.h.
#pragma once

#include <cstddef>

#include "json/value.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxRegisteredUris = 20;  ///< in each list of a request
inline constexpr std::size_t kMaxRegisteredUriBytes = 2048;
/// Each request of a page of another site reads through all addresses (cors.h), and strangers' rows are many.
inline constexpr std::size_t kMaxUrisOfStranger = 8;
inline constexpr std::size_t kMaxUriBytesOfStranger = 512;

/// The party that sends a registration request.
enum class Registrant {
    token_holder,  ///< it has an initial access token, which the operator gave it
    stranger,      ///< anybody, in mode `open`: a public client with addresses that nobody else has, and with no links
};

/// Returns the client that the request describes, as far as `registration` in the configuration allows: without id,
/// secret and times. Members that are not known are ignored, and null is as good as absent. Grants, response types and
/// scopes beyond the policy are left out. What the operator decides (first party, groups, level, resources) cannot be
/// asked for.
/// The errors: invalid_redirect_uri for an address that cannot be registered, invalid_client_metadata for everything
/// else, among it a demand for protection that this server would not give.
Outcome<model::Client> read_registration(const json::Object& request, const Settings& settings, Registrant registrant);

}  // namespace postern::oauth
