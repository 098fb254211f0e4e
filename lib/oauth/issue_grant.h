// Records what a user's approval is worth: a grant with its first credential, once per request.
#pragma once

#include <functional>

#include "db/database.h"
#include "model/authorization.h"
#include "model/grant.h"
#include "model/session.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// The grant that the approval is worth, not recorded yet.
model::Grant make_grant(Context& context, const Approval& approval);

/// Grant, credential, used-up request and remembered consent in one transaction; `insert_credential` adds what hangs on
/// the grant until `until`. Session, access and consent are looked at again inside: a right that was withdrawn
/// meanwhile must not be granted (docs/decisions/0011-rights-checked-in-the-transaction.md).
util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           util::Time until,
                                           const std::function<void(db::Transaction&)>& insert_credential);

/// Ends a request that was refused, so that going back cannot revive it. False when it has had its one answer before.
[[nodiscard]] bool end_request(Context& context, const model::AuthorizationRequest& request,
                               const model::Session& session);

}  // namespace postern::oauth
