// Gives a client the authorization code that a user's approval is worth (RFC 6749 §4.1.2).
#pragma once

#include <optional>
#include <string>

#include "oauth/issue_grant.h"

namespace postern::oauth {

/// A new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it belongs to.
/// It is an HMAC of the request's id, so that it can be told once more.
util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval);

/// The code that the request has yielded before, if the client can still redeem it: for a second press on a button, in
/// the session that it was issued in. nullopt: there is none.
std::optional<std::string> find_issued_code(Context& context, const model::AuthorizationRequest& request,
                                            const model::Session& session);

}  // namespace postern::oauth
