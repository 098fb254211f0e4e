// Gives a client the authorization code that a user's approval is worth (RFC 6749 §4.1.2).
#pragma once

#include <optional>
#include <string>

#include "model/authorization.h"
#include "model/session.h"
#include "oauth/context.h"

namespace postern::oauth {

/// A new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it belongs to.
/// nullopt when the request has been used: one request yields at most one code, however many tabs ask.
std::optional<std::string> issue_code(Context& context, const model::AuthorizationRequest& request,
                                      const model::Session& session);

/// Ends a request that was refused, so that going back cannot revive it.
void end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session);

}  // namespace postern::oauth
