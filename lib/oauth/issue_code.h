// Gives a client the authorization code that a user's approval is worth (RFC 6749 §4.1.2).
#pragma once

#include <string>

#include "oauth/issue_grant.h"

namespace postern::oauth {

/// A new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it belongs to.
util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval);

}  // namespace postern::oauth
