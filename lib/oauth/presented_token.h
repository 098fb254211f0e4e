// The token that is presented to introspection or revocation (RFC 7662 §2.1, RFC 7009 §2.1)
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>

#include "http/message.h"
#include "jose/jwt.h"
#include "json/value.h"
#include "oauth/access_token.h"
#include "oauth/context.h"
#include "oauth/credentials.h"
#include "oauth/error.h"
#include "oauth/refresh_token.h"

namespace postern::oauth {

/// `auth_code` selects another handler. The other hints are ignored, because a token's own header and record say its
/// kind.
enum class TokenTypeHint { none, access_token, refresh_token, auth_code };

struct PresentedToken {
    std::optional<std::string_view>
        value;  ///< in the request; nullopt: too long, or of bytes that no token of ours has
    TokenTypeHint hint = TokenTypeHint::none;
};

/// The request of both endpoints. Each half waits for the moment when it may be told: the credentials until the
/// endpoint wants them, the token until the caller is known.
struct PresentedTokenRequest {
    Outcome<Credentials> credentials;
    Outcome<PresentedToken> token;
};

/// invalid_request for another content type. Inside: invalid_request for a parameter given twice and for a missing
/// `token`, unsupported_token_type for an unknown hint. The query is not looked at: there a token would get into logs.
Outcome<PresentedTokenRequest> parse_presented_token(const http::Request& request, std::size_t max_token_bytes);

/// std::monostate: nothing of ours, or forged, or of a kind that neither endpoint is about (an ID token).
using KnownToken = std::variant<std::monostate, VerifiedAccessToken, KnownRefreshToken>;

/// The signature before any claim, and before storage is asked. Kinds are told apart by `typ` and by the table the
/// record is in, never by hint or claims.
KnownToken find_presented_token(Context& context, const PresentedToken& token, jose::Expiry expiry);

}  // namespace postern::oauth
