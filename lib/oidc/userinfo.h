// The UserInfo endpoint's rules: the claims that a token releases (OpenID Connect Core §5.3, RFC 6750)
#pragma once

#include <string>

#include "http/message.h"
#include "jose/jws.h"
#include "json/value.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oidc/claims.h"
#include "store/access_tokens.h"

namespace postern::oidc {

/// The text for a caller without a token. It knows what it sent, so that it may be told; the operator learns more.
inline constexpr const char* kNoToken =
    "no access token arrived; if one was sent, the web server removes the Authorization header (Apache passes it with "
    "CGIPassAuth On)";

/// The way in which an access token is presented.
enum class Scheme { bearer, dpop };
struct PresentedAccess {
    std::string_view token;  ///< in the request
    Scheme scheme = Scheme::bearer;
};

/// Returns the access token: the Authorization header, else `access_token` of a form body; never the query (RFC 6750
/// §2.1, §2.2). A header of another scheme decides, and is invalid_token; so is a token of more than `max_bytes`,
/// before anything is computed. A view into the request, of whatever bytes: `find_active_token` refuses what is not a
/// token.
/// The scheme `DPoP` (RFC 9449 §7.1) counts with `takes_proofs`.
oauth::Outcome<PresentedAccess> parse_access_token(const http::Request& request, std::size_t max_bytes,
                                                   bool takes_proofs = false);

/// The way in which a request shows the keys of its token.
struct Shown {
    Scheme scheme = Scheme::bearer;
    std::string x5t = {};  ///< `x5t#S256` of the certificate of the connection; "": none
};

/// An access token that this server signed and that is active.
struct ActiveToken {
    jose::Claims claims;  ///< verified
    store::StoredAccessToken stored;
};

/// Returns an active token; invalid_token, with the reason in its description, for every other, and for one that is
/// bound to a key and presented as a bearer token, or the other way round, or bound to another certificate than is
/// shown. No audience is asked for.
oauth::Outcome<ActiveToken> find_active_token(oauth::Context& context, std::string_view token, const Shown& shown = {});

/// Checks that the request shows the key of a token with Scheme::dpop, once (RFC 9449 §7.1): invalid_token without a
/// proof, invalid_dpop_proof for a wrong one, both with the status 401.
oauth::Outcome<void> check_proof(oauth::Context& context, const http::Request& request, std::string_view token,
                                 const ActiveToken& active);

/// Returns the claims that an active token releases; insufficient_scope without `openid`. `get_user_claims` is asked
/// once, and only for a token that releases something. Its `groups` are told if it has that claim, else those of the
/// database.
oauth::Outcome<json::Object> userinfo(oauth::Context& context, const store::StoredAccessToken& token,
                                      const GetUserClaims& get_user_claims);

/// The built-in `getUserClaims`: the claims column of the user's row, with `preferred_username` and `updated_at` from
/// the row's other columns when the claims name none. Never `groups`, which an earlier release let the column hold:
/// what somebody wrote there is no membership.
GetUserClaims database_claims(oauth::Context& context);

}  // namespace postern::oidc
