// Gives a client the access token that a user's approval is worth, without a code in between (RFC 6749 §4.2.2).
#pragma once

#include <string>

#include "oauth/issue_grant.h"

namespace postern::oauth {

struct ImplicitToken {
    std::string value;
    model::Scope scope;
    util::Seconds expires_in{};
};

/// An access token without an audience, recorded with its grant. No refresh token comes with it (§4.2.2).
util::Result<ImplicitToken, NotIssued> issue_token(Context& context, const Approval& approval);

}  // namespace postern::oauth
