// The single claims that a client asks for, and the user whom it asks about (OpenID Connect Core §5.5)
#pragma once

#include <optional>
#include <string_view>

#include "model/authorization.h"
#include "model/claim_names.h"
#include "model/client.h"
#include "model/scope.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

struct ClaimsParameter {
    /// Claims that a scope releases for which the client is registered; whatever else was asked for is not here.
    /// `userinfo` has no claim that the requested scope releases anyway.
    model::RequestedClaims claims;
    std::optional<model::Subject> subject;  ///< `sub` with a value: this user or none (§3.1.2.2)
    model::RequestedAcr acr;                ///< `acr` of the ID token with values, those that are known here
};

/// Parses `{"userinfo":{...},"id_token":{...}}`, each member of them null or `{essential, value, values}`; what is
/// unknown is ignored at every level (§5.5, §5.5.1). A claim that cannot be given is not an error, essential or not
/// (§5.5.1), with two exceptions: `sub` is restricted to one user, so two different ones are invalid_request, and an
/// essential `acr` of the ID token that no login here can have is unmet_authentication_requirements (§5.5.1.1). The
/// edges are docs/decisions/0014-id-token-hint-and-claims.md.
Outcome<ClaimsParameter> parse_claims_parameter(const Settings& settings, const model::Client& client,
                                                const model::Scope& scope, std::string_view text);

/// Refuses claims whose scope the client has lost since it asked for them.
Outcome<void> check_claims(const Settings& settings, const model::Client& client, const model::RequestedClaims& claims);

}  // namespace postern::oauth
