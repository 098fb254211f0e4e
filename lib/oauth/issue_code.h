// Gives a client the authorization code that a user's approval is worth (RFC 6749 §4.1.2).
#pragma once

#include <string>

#include "model/authorization.h"
#include "model/session.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

enum class NoCode {
    request_used,   ///< one request yields at most one code, however many tabs ask
    session_ended,  ///< the user was disabled, changed the password or logged out while we waited to write
};

/// What the user said on the consent page for this very request is remembered when its code is issued, not at the
/// click: until then another tab may take it back.
enum class Consent { given_now, not_asked };

/// A new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it belongs to.
/// The session is looked at again inside the transaction: what took the user's rights away before it must not be
/// outrun.
util::Result<std::string, NoCode> issue_code(Context& context, const model::AuthorizationRequest& request,
                                             const model::Session& session, Consent consent);

/// Ends a request that was refused, so that going back cannot revive it.
void end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session);

}  // namespace postern::oauth
