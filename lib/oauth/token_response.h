// Answers a token request: the rules of its grant, then the tokens (RFC 6749 §4.1.3, §4.4.2, §5.1, §6).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "json/value.h"
#include "model/client.h"
#include "oauth/access_token.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/shown_keys.h"
#include "oauth/token_request.h"

namespace postern::oauth {

/// RFC 6749 §5.1; `id_token` is OpenID Connect Core §3.1.3.3.
struct TokenResponse {
    std::string access_token;
    util::Seconds expires_in{};
    model::Scope scope;
    std::optional<std::string> refresh_token = std::nullopt;
    std::optional<std::string> id_token = std::nullopt;
    bool is_proof_bound = false;  ///< to the key of proofs: its `token_type` is DPoP (RFC 9449 §5)

    /// {"access_token":..,"token_type":"Bearer","expires_in":..,"scope":..,"refresh_token":..,"id_token":..};
    /// no `scope` when it is empty.
    json::Object to_json() const;
};

/// Tokens of a user that are about to be issued, as an ID token is about them.
struct IssuedToUser {
    const model::Client& client;
    const model::Grant& grant;
    const model::Scope& scope;  ///< granted, or what of it a refresh asks for; the access token may have less
    const AccessTokenIssue& access;
    std::optional<std::string> nonce;  ///< of the authorization request; nullopt on refresh (OpenID Connect Core §12.2)
};

/// Makes the ID token that goes with an access token; nullopt when the grant asks for none.
using MakeIdToken = std::function<std::optional<std::string>(const IssuedToUser&)>;

/// `keys`: what the request shows; the tokens are bound to them, and the proof is used up once the grant is good.
/// Everything is signed before the code or refresh token is spent, and nothing is returned that was not committed.
Outcome<TokenResponse> redeem_grant(Context& context, const model::Client& client, const TokenGrant& grant,
                                    const MakeIdToken& make_id_token, const ShownKeys& keys = {});

}  // namespace postern::oauth
