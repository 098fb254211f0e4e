// Table `authorization_requests`: the progress that an authenticated user made; the request itself travels sealed.
#pragma once

#include <optional>

#include "db/database.h"
#include "model/authorization.h"

namespace postern::store {

std::optional<model::AuthorizationProgress> find_progress(db::Database& database, const model::RequestKey& key);
/// Returns the progress, which nobody else changes until the transaction has ended.
std::optional<model::AuthorizationProgress> find_progress_to_change(db::Transaction& transaction,
                                                                    const model::RequestKey& key);

/// Records that `subject` has logged in for the request. The decision of another user is reset.
void record_login(db::Transaction& transaction, const model::RequestKey& key, const model::Subject& subject,
                  util::Time expires_at);
/// Records that `subject` approved or denied the request. False, and nothing changes, when the request is used or
/// `subject` has denied it before: a denied request yields no code, whatever comes later.
bool record_decision(db::Transaction& transaction, const model::RequestKey& key, const model::Subject& subject,
                     model::Decision decision, util::Time expires_at);
/// Uses the request, which can be used once: true for exactly one caller.
bool use_request(db::Transaction& transaction, const model::RequestKey& key, const model::Subject& subject,
                 util::Time expires_at);
/// Deletes the subject's progress in unanswered requests, in any browser: login and consent are asked again.
void end_open_requests(db::Transaction& transaction, const model::Subject& subject);

}  // namespace postern::store
