// The authorization code grant: what a code is good for, once (RFC 6749 §4.1.3, RFC 7636 §4.6).
#pragma once

#include "model/client.h"
#include "model/user.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/token_request.h"
#include "store/grants.h"

namespace postern::oauth {

/// A code that kept every rule for this client and is about to be redeemed.
struct CheckedCode {
    store::StoredCode stored;
    model::User user;
};

/// Every rule but single use. A wrong redirect_uri or verifier burns the code; another client's attempt, a bad audience
/// and an expired code leave it as it is. A code that was redeemed before and is shown again with everything right is a
/// replay: what it yielded is revoked, durably, before the answer (RFC 6749 §4.1.2).
Outcome<CheckedCode> check_code(Context& context, const model::Client& client, const AuthorizationCodeGrant& grant);

/// Spends the code and records the tokens in one durable transaction: exactly one of any number of parallel requests
/// succeeds, the others revoke what it yielded, as any replay does.
Outcome<void> redeem_code(Context& context, const CheckedCode& checked, const model::AccessToken& access,
                          const std::optional<model::RefreshToken>& refresh);

}  // namespace postern::oauth
