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

/// Returns the bearer token: the Authorization header, else `access_token` of a form body; never the query (RFC 6750
/// §2.1, §2.2). A header of another scheme decides, and is invalid_token; so is a token of more than `max_bytes`,
/// before anything is computed. A view into the request, of whatever bytes: `find_active_token` refuses what is not a
/// token.
oauth::Outcome<std::string_view> parse_bearer_token(const http::Request& request, std::size_t max_bytes);

/// An access token that this server signed and that is active.
struct ActiveToken {
    jose::Claims claims;  ///< verified
    store::StoredAccessToken stored;
};

/// Returns an active token; invalid_token, with the reason in its description, for every other. No audience is asked
/// for.
oauth::Outcome<ActiveToken> find_active_token(oauth::Context& context, std::string_view token);

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
