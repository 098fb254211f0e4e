// What an access token says (RFC 9068 with the differences of the interface specification: `cid`, `aud` on request
// only).
#pragma once

#include <optional>
#include <string>

#include "model/grant.h"
#include "model/user.h"
#include "oauth/context.h"

namespace postern::oauth {

struct AccessTokenIssue {
    std::string value;          ///< the signed token, shown once
    model::AccessToken record;  ///< what storage keeps: a digest, never the value
};

/// Signs outside any lock; the caller stores the record. `username` is put in when the settings say so.
AccessTokenIssue make_access_token(Context& context, const model::Grant& grant, const model::Scope& scope,
                                   const std::optional<std::string>& audience, const std::string& username);

/// The key under which a token's record is found.
model::ValueHash hash_of(std::string_view value);

}  // namespace postern::oauth
