// Gives a client the authorization code that a user's approval is worth, once per request (RFC 6749 §4.1.2).
#pragma once

#include <optional>
#include <string>

#include "model/authorization.h"
#include "model/grant.h"
#include "model/session.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// A code, and what storage keeps of it.
struct CodeIssue {
    std::string value;
    model::AuthorizationCode record;
};

/// Makes the code of a request, not recorded yet.
CodeIssue make_code(const Context& context, const model::AuthorizationRequest& request, const model::Grant& grant);

/// Adds the event of a code that was recorded.
void audit_code(Context& context, const model::AuthorizationRequest& request, const model::Grant& grant,
                const CodeIssue& code);

/// Returns a new code, opaque and of 256 bits, recorded as a digest with everything it is bound to and the grant it
/// belongs to. It is an HMAC of the request's id, so that find_issued_code can return it again.
util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval);

/// Returns the code that the request has yielded before, if the client can still redeem it: for a second press on a
/// button, in the session that it was issued in. nullopt: there is no such code, or tokens stood beside it, which are
/// sent once.
std::optional<std::string> find_issued_code(Context& context, const model::AuthorizationRequest& request,
                                            const model::Session& session);

/// The part of a request that a refusal ends.
enum class Ends {
    opening,  ///< the request alone: where it was pushed, its address opens again
    push,     ///< its push, too
};

/// Ends a request that was refused, so that going back cannot revive it. Returns false when what is to end had been
/// answered before.
[[nodiscard]] bool end_request(Context& context, const model::AuthorizationRequest& request,
                               const model::Session& session, Ends ends = Ends::opening);

}  // namespace postern::oauth
