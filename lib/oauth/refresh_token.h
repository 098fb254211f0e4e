// What a refresh token looks like: a signed JWT, or a random value with `useOpaqueRefreshTokens`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// The record of a value that this server issued as a refresh token, active or not. A value in the shape of a JWT is
/// looked up only after its signature has been verified; both forms stay good when the option changes. Any Keys opened
/// for verify or sign will do.
std::optional<store::StoredRefreshToken> find_presented_refresh_token(Context& context, std::string_view value);

}  // namespace postern::oauth
