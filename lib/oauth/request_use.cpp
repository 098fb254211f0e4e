// Decides whether a request is answered for the first time.
#include "oauth/request_use.h"

#include <algorithm>

#include "oauth/sealed_request.h"
#include "store/authorization_requests.h"

namespace postern::oauth {

bool use_up(db::Transaction& transaction, const model::AuthorizationRequest& request, const model::Subject& subject) {
    if (!store::use_request(transaction, request_key(request), subject, request.expires_at)) return false;
    if (!request.pushed) return true;
    return store::use_request(transaction, pushed_key(*request.pushed), subject, request.pushed->used_until);
}

util::Time end_of_request(const Context& context, const model::AuthorizationRequest& request) {
    const util::Time end = context.now() + context.settings.authorization_request_ttl;
    return request.pushed ? std::min(end, request.pushed->used_until) : end;
}

bool is_push_used(db::Database& database, const model::AuthorizationRequest& request) {
    if (!request.pushed) return false;
    const auto answered = store::find_progress(database, pushed_key(*request.pushed));
    return answered && answered->used;
}

}  // namespace postern::oauth
