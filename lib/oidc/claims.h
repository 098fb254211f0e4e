// Which of a user's attributes is a client told? (OpenID Connect Core §5.1, §5.4, §5.5)
#pragma once

#include <functional>
#include <string>

#include "json/value.h"
#include "model/claim_names.h"
#include "model/ids.h"
#include "model/released_claims.h"
#include "model/scope.h"

namespace postern::oidc {

/// The callback of the interface specification: every attribute of a subject. What comes back is filtered, so it may be
/// generous.
using GetUserClaims = std::function<json::Object(const model::Subject&)>;

/// The claims among `all` that `scope` permits or that are in `asked_for`, with `sub` written last and taken from the
/// token, never from the callback. Values that say nothing are left out, as everywhere below: null, blank text, empty
/// lists and objects (§5.3.2), also inside an address.
json::Object userinfo_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                             const model::Scope& scope, const model::ClaimNames& asked_for,
                             const model::Subject& subject);

/// The claims among `all` that are in `asked_for`, for an ID token: none that no scope releases, so that none of them
/// can take the place of a protocol claim.
json::Object asked_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                          const model::ClaimNames& asked_for);

}  // namespace postern::oidc
