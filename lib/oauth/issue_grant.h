// Gives a client the credential that a user's approval is worth, once per request: an authorization code, or an access
// token without a code in between (RFC 6749 §4.1.2, §4.2.2).
#pragma once

#include <optional>
#include <string>

#include "model/authorization.h"
#include "model/session.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// Returns a new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it
/// belongs to. It is an HMAC of the request's id, so that find_issued_code can return it again.
util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval);

/// Returns the code that the request has yielded before, if the client can still redeem it: for a second press on a
/// button, in the session that it was issued in. nullopt: there is no such code.
std::optional<std::string> find_issued_code(Context& context, const model::AuthorizationRequest& request,
                                            const model::Session& session);

struct ImplicitToken {
    std::string value;
    model::Scope scope;
    util::Seconds expires_in{};
};

/// Returns an access token without an audience, recorded with its grant. No refresh token comes with it (§4.2.2).
util::Result<ImplicitToken, NotIssued> issue_token(Context& context, const Approval& approval);

/// Ends a request that was refused, so that going back cannot revive it. Returns false when the request had been
/// answered before.
[[nodiscard]] bool end_request(Context& context, const model::AuthorizationRequest& request,
                               const model::Session& session);

}  // namespace postern::oauth
