// The refresh token grant: what a refresh token is good for, once (RFC 6749 §6, RFC 9700 §4.14).
#pragma once

#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/session_note.h"
#include "oauth/target.h"
#include "oauth/token_request.h"
#include "store/refresh_tokens.h"

namespace postern::oauth {

/// A refresh token of this client that was alive a moment ago, and what it is asked for.
struct CheckedRefreshToken {
    store::StoredRefreshToken stored;
    model::Scope asked_for;
    Target target;
    model::Scope scope;  ///< of the access token: what of it the target has
};

/// Checks every rule but single use, and changes nothing. `shown`: the keys that the request shows. The scope is what
/// `judge_repeated_scope` says, and the grant keeps its own (RFC 6749 §6).
Outcome<CheckedRefreshToken> check_refresh_token(Context& context, const model::Client& client,
                                                 const RefreshTokenGrant& grant, const model::Confirmation& shown = {});

/// Returns whether the use of the token leaves it as it is, so that the answer repeats it: that of a client with a
/// profile (Security Profile §5.3.2.1 item 9), unless it, or one before it, was rotated before the client got that.
bool is_kept(const Settings& settings, const model::Client& client, const store::StoredRefreshToken& stored);

enum class Refreshed {
    yes,
    session_ended,  ///< the session of `note` ended meanwhile, and nothing has changed: the ID token needs no `sid`
};
/// Rotates the token and records what it yields in one durable transaction. Of parallel requests one succeeds, and a
/// second within the grace (settings.refresh_reuse_grace) gets a sibling, since the first answer may have been lost. A
/// token that comes back later ends the grant: two parties hold it, and the server cannot tell which of them is the
/// client (RFC 9700 §4.14.2).
Outcome<Refreshed> redeem_refresh_token(Context& context, const CheckedRefreshToken& checked,
                                        const model::AccessToken& access, const model::RefreshToken& refresh,
                                        SessionNote note);
/// Records what a token yields that is_kept. Nothing ends by it, so that the transaction is lazy, unless it notes a
/// session.
Outcome<Refreshed> use_refresh_token(Context& context, const CheckedRefreshToken& checked,
                                     const model::AccessToken& access, SessionNote note);

}  // namespace postern::oauth
