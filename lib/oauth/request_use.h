// The single use of an authorization request, and of the push that it came by (RFC 6749 §4.1.2, RFC 9126 §7.3).
#pragma once

#include "db/database.h"
#include "model/authorization.h"
#include "oauth/context.h"
#include "util/clock.h"

namespace postern::oauth {

/// Uses up the request, and its push if it was pushed: true for exactly one caller. After false the transaction must
/// not be committed, because one of the two may have been used.
[[nodiscard]] bool use_up(db::Transaction& transaction, const model::AuthorizationRequest& request,
                          const model::Subject& subject);

/// Returns the end of a request that begins now. What was pushed lives no longer than the mark that it was answered.
util::Time end_of_request(const Context& context, const model::AuthorizationRequest& request);

/// Returns true if the request was pushed, and some opening of the pushed address was answered.
bool is_push_used(db::Database& database, const model::AuthorizationRequest& request);

}  // namespace postern::oauth
