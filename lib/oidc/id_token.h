// The claims of an ID token (OpenID Connect Core §2, §3.1.3.6): protocol claims, and those requested by name (§5.5).
#pragma once

#include <optional>
#include <string>

#include "json/value.h"
#include "model/grant.h"
#include "oauth/context.h"
#include "oauth/issue_front.h"
#include "oauth/token_response.h"
#include "oidc/claims.h"

namespace postern::oidc {

/// Returns true if tokens with that scope come with an ID token.
bool has_id_token(const oauth::Settings& settings, const model::Scope& scope);

struct IdTokenAbout {
    const model::Grant& grant;                      ///< sub, aud (the client), auth_time, sid
    std::optional<std::string> nonce;               ///< exactly as it was sent
    std::string at_hash;                            ///< of the access token that goes with it; "": none does
    json::Object claims = {};                       ///< of the user: what told_claims let through
    std::string c_hash = {};                        ///< of the code that goes with it; "": none does
    std::size_t max_bytes = oauth::kMaxClaimBytes;  ///< of all claims together
    bool with_sid = true;                           ///< oauth::is_told_sid
};

/// Returns the claims of the ID token, unsigned. Claims of the user with which it would have more than `max_bytes` are
/// left out, the longest first, and the log says which.
json::Object id_token_claims(oauth::Context& context, const IdTokenAbout& about);
/// Signs the ID token with a key of `algorithm`.
std::string make_id_token(oauth::Context& context, crypto::Algorithm algorithm, const IdTokenAbout& about);

/// The place of the claims that a scope releases: in the ID token, or elsewhere.
enum class ScopeClaims { told, elsewhere };

/// Returns the user's claims in an ID token for that scope: what the grant asks for by name (OpenID Connect Core §5.5),
/// as far as the client is still registered for it, and with ScopeClaims::told what the scope releases.
json::Object user_claims_for(oauth::Context& context, const model::Client& client, const model::Grant& grant,
                             const model::Scope& scope, ScopeClaims scope_claims, const GetUserClaims& get_user_claims);

/// Returns the place of the claims of scopes for the client's ID tokens of the token endpoint.
ScopeClaims scope_claims_of(const model::Client& client);
/// Returns the place of the claims of scopes for an ID token of the authorization endpoint: they are told where the
/// client gets no access token with which it could ask for them (OpenID Connect Core §5.4), and otherwise never,
/// whatever the client's registration says of those of the token endpoint.
ScopeClaims scope_claims_of(model::ResponseType type);

/// Makes the ID tokens of the token endpoint: for grants with the scope `openid`, while OpenID Connect is on.
/// `get_user_claims` is called only when the grant asks for claims by name (§5.5), or when the client has the claims of
/// its scopes in the ID token. Borrows `context`.
oauth::MakeIdToken id_tokens_with(oauth::Context& context, GetUserClaims get_user_claims);

/// Makes the ID tokens of the authorization endpoint (OpenID Connect Core §3.2.2.10, §3.3.2.11). Borrows `context`.
oauth::MakeFrontIdToken front_id_tokens_with(oauth::Context& context, GetUserClaims get_user_claims);

/// Returns the left half of the digest that belongs to the ID token's algorithm, as base64url (§3.1.3.6): SHA-256 for
/// RS256 and ES256, SHA-512 for EdDSA, whose own hash that is.
std::string at_hash(crypto::Algorithm algorithm, const oauth::AccessTokenIssue& access);
/// Returns the same of a code (§3.3.2.11).
std::string c_hash(crypto::Algorithm algorithm, const std::string& code);

}  // namespace postern::oidc
