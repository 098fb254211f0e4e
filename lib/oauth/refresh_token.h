// The two forms of a refresh token: a signed JWT, or a random value with `useOpaqueRefreshTokens`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jose/jwt.h"
#include "json/value.h"
#include "model/grant.h"
#include "oauth/context.h"
#include "store/refresh_tokens.h"

namespace postern::oauth {

struct RefreshTokenIssue {
    std::string value;           ///< shown once
    model::RefreshToken record;  ///< what storage keeps: a digest, never the value
};

/// `parent`: the token whose use yields this one. The first expires `refreshTokenTTL` after the grant was made, the
/// others when their parent does: neither use nor another `refreshTokenTTL` prolongs a grant (RFC 9700 §4.14.2). Signs
/// outside any lock; the caller stores the record.
RefreshTokenIssue make_refresh_token(Context& context, const model::Grant& grant,
                                     const std::optional<model::RefreshToken>& parent);

/// Inserts the first refresh token of a grant, and binds the grant to the token's key if it has one (RFC 9449 §5).
void insert_first(db::Transaction& transaction, const model::RefreshToken& token);

/// A refresh token that this server has issued, active or not.
struct KnownRefreshToken {
    jose::Claims claims;  ///< verified; of an opaque token what the record says under the same names, without `jti`
    store::StoredRefreshToken stored;
};

/// A value in the shape of a JWT is looked up only after its signature has been verified; both forms stay good when the
/// option changes. `expiry`: of a JWT; the record has it for both forms. Any Keys opened for verify or sign will do.
/// nullopt: not issued as a refresh token here, or its record has gone.
std::optional<KnownRefreshToken> find_refresh_token(Context& context, std::string_view value, jose::Expiry expiry);

}  // namespace postern::oauth
