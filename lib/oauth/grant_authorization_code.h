// The authorization code grant: what a code is good for, once (RFC 6749 §4.1.3, RFC 7636 §4.6).
#pragma once

#include <optional>
#include <string_view>

#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/session_note.h"
#include "oauth/target.h"
#include "oauth/token_request.h"
#include "store/grants.h"

namespace postern::oauth {

/// The effect of a refused attempt on the code and to what the code yielded.
enum class CodeConsequence {
    none,
    audit_foreign,  ///< another client's code: it keeps working for its own client
    audit_replay,   ///< spent before, and the request does not prove that its sender started the flow
    burn,           ///< a wrong redirect_uri, verifier or key: the code is spent
    revoke_yield,   ///< spent before, with every proof: the grant ends (RFC 6749 §4.1.2)
};

struct CodeRefusal {
    OAuthError error;
    CodeConsequence consequence = CodeConsequence::none;
    std::optional<store::StoredCode> stored = std::nullopt;  ///< there unless the consequence is `none`
};

/// A code that kept every rule but single use, and what the token is for.
struct UsableCode {
    store::StoredCode stored;
    Target target;
    model::Scope granted;  ///< what of the grant's scope the client is still registered for
    model::Scope scope;    ///< of the access token
};

/// Reads only: the caller passes a refusal on to `settle`. `jkt`: thumbprint of the key that the request shows; "":
/// none.
util::Result<UsableCode, CodeRefusal> find_usable_code(Context& context, const model::Client& client,
                                                       const AuthorizationCodeGrant& grant, std::string_view jkt = {});

/// Carries out the consequence of a refusal, durably and before the answer, and returns the error to answer with.
OAuthError settle(Context& context, const model::Client& client, const CodeRefusal& refusal);

/// Spends the code and records the tokens in one durable transaction: exactly one of any number of parallel requests
/// succeeds, the others revoke what it yielded, as any replay does. With `note`, a code of an ended session is refused
/// (docs/decisions/0130).
Outcome<void> redeem_code(Context& context, const store::StoredCode& stored, const model::AccessToken& access,
                          const std::optional<model::RefreshToken>& refresh, SessionNote note);

/// Spends the code of a site, of which no token is made, and notes in the audit log that the user has signed in there.
/// False: it was spent at the same time, or its grant has ended.
bool spend_code(Context& context, const store::StoredCode& stored);

}  // namespace postern::oauth
