// Answers a token request: the grant's rules, then the ID token when OpenID Connect asks for one.
#pragma once

#include <optional>
#include <string>

#include "json/value.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/token_request.h"
#include "oidc/claims.h"

namespace postern::oidc {

/// RFC 6749 §5.1, OpenID Connect Core §3.1.3.3.
struct TokenResponse {
    std::string access_token;
    util::Seconds expires_in{};
    model::Scope scope;
    std::optional<std::string> refresh_token;
    std::optional<std::string> id_token;

    /// {"access_token":..,"token_type":"Bearer","expires_in":..,"scope":..,"refresh_token":..,"id_token":..};
    /// no `scope` when it is empty.
    json::Object to_json() const;
};

/// Everything is signed before the code or refresh token is spent, and nothing is returned that was not committed.
oauth::Outcome<TokenResponse> redeem_grant(oauth::Context& context, const model::Client& client,
                                           const oauth::TokenGrant& grant, const GetUserClaims& get_user_claims);

}  // namespace postern::oidc
