// What an access token says (RFC 9068 with the differences of the interface specification: `cid`, `aud` on request
// only).
#pragma once

#include <optional>
#include <string>

#include "jose/jwt.h"
#include "model/grant.h"
#include "model/user.h"
#include "oauth/context.h"
#include "store/access_tokens.h"

namespace postern::oauth {

struct AccessTokenIssue {
    std::string value;          ///< the signed token, shown once
    std::string digest;         ///< its SHA-256, 32 bytes
    model::AccessToken record;  ///< what storage keeps: a digest, never the value
};

/// Signs outside any lock; the caller stores the record. `username` is put in when the settings say so.
AccessTokenIssue make_access_token(Context& context, const model::Grant& grant, const model::Scope& scope,
                                   const std::optional<std::string>& audience, const std::string& username);

/// An access token that this server has signed.
struct VerifiedAccessToken {
    jose::Claims claims;        ///< verified
    store::AccessTokenKey key;  ///< of its row, which may have gone
};

/// The signature before any claim; storage is not asked. Any Keys opened for verify or sign will do.
util::Result<VerifiedAccessToken, jose::JwtFault> verify_access_token(Context& context, std::string_view value,
                                                                      jose::Expiry expiry);

/// SHA-256 of a token, code or cookie, as it is stored.
model::ValueHash hash_of(std::string_view value);

}  // namespace postern::oauth
