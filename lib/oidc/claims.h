// Which of a user's attributes does a scope release? (OpenID Connect Core §5.1, §5.4)
#pragma once

#include <functional>
#include <vector>

#include "json/value.h"
#include "model/ids.h"
#include "model/scope.h"

namespace postern::oidc {

/// The callback of the interface specification: every attribute of a subject. What comes back is filtered, so it may be
/// generous.
using GetUserClaims = std::function<json::Object(const model::Subject&)>;

/// The claims among `all` that `scope` permits, with `sub` written last and taken from the token, never from the
/// callback.
json::Object userinfo_claims(const json::Object& all, const model::Scope& scope, const model::Subject& subject);

/// Every claim name that some scope can release, for discovery.
std::vector<std::string> supported_claims();

}  // namespace postern::oidc
