// The transaction in which a user's approval becomes what the client gets, once per request.
#pragma once

#include <functional>

#include "db/database.h"
#include "model/grant.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

/// Returns the grant that the approval is worth, not recorded yet.
model::Grant make_grant(Context& context, const Approval& approval);

/// Inserts the grant, which is kept until then at least, and ends the oldest of the user and the client when they have
/// too many (docs/decisions/0099-bounds.md).
void insert_new_grant(db::Transaction& transaction, const model::Grant& grant, util::Time until);

/// Writes the used-up request, the remembered consent and what `insert` adds in one transaction. Session, access and
/// consent are looked at again inside: a right that was withdrawn meanwhile must not be granted
/// (docs/decisions/0011-rights-checked-in-the-transaction.md). Lazy is enough for what is lost together: the use mark
/// and a credential that is looked up, so that a power cut costs the user a retry and nothing else.
util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           const std::function<void(db::Transaction&)>& insert,
                                           db::Durability durability = db::Durability::lazy);

}  // namespace postern::oauth
