// The claims of a user that introspection tells an API, such as the address that names a mailbox (RFC 7662 §2.2).
#pragma once

#include <optional>

#include "model/client.h"
#include "oauth/introspection.h"
#include "oidc/claims.h"

namespace postern::oidc {

/// Returns what introspection tells `caller` about the user of a token: of the claims that the operator lets it know
/// (`introspection_claims`), those that the scope of the token releases. Empty for a caller that may know none, for a
/// public one, whose name proves nothing, and without OpenID Connect. Borrows `context`.
oauth::UserClaimsOf claims_for_introspection(oauth::Context& context, const std::optional<model::Client>& caller,
                                             GetUserClaims get_user_claims);

}  // namespace postern::oidc
