// Gives a client the authorization code that a user's approval is worth.
#include "oauth/issue_code.h"

#include "oauth/access_token.h"
#include "store/grants.h"

namespace postern::oauth {

util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval) {
    const model::AuthorizationRequest& request = approval.request;
    const model::Grant grant = make_grant(context, approval);
    std::string code = crypto::random_token(context.random);

    model::AuthorizationCode record;
    record.code_hash = hash_of(code);
    record.grant_id = grant.id;
    record.redirect_uri = request.redirect_uri;
    record.redirect_uri_sent = request.redirect_uri_sent;
    record.nonce = request.nonce;
    record.code_challenge = request.code_challenge;
    record.max_age = request.max_age;
    record.audience = request.audience;
    record.expires_at = grant.created_at + context.settings.authorization_code_ttl;

    const auto insert = [&](db::Transaction& transaction) { store::insert_code(transaction, record); };
    RETURN_IF_ERROR(record_grant(context, approval, grant, record.expires_at, insert));
    context.trail.add(AuditEvent::code_issued, audit::with_grant(grant, {audit::credential("code", record.code_hash),
                                                                         {"scope", grant.scope.to_string()}}));
    return code;
}

}  // namespace postern::oauth
