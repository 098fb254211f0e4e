// Records what a user's approval is worth.
#include "oauth/issue_grant.h"

#include "oauth/sealed_request.h"
#include "store/authorization_requests.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/sessions.h"

namespace postern::oauth {

model::Grant make_grant(Context& context, const Approval& approval) {
    model::Grant grant;
    grant.id = model::GrantId(crypto::random_id(context.random));
    grant.client_id = approval.request.client_id;
    grant.subject = approval.session.subject;
    grant.scope = approval.request.scope;
    grant.claims = approval.request.claims;
    grant.auth_time = approval.session.auth_time;
    grant.sid = approval.session.sid;
    grant.created_at = context.now();
    return grant;
}

util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           const std::function<void(store::Transaction&)>& insert_credential) {
    const auto& [request, session, consent] = approval;
    const util::Time now = context.now();
    // Lazy: the use mark and the credential are lost together, so a power cut costs the user a retry and nothing else.
    store::Transaction transaction(context.store, store::Durability::lazy);
    if (!store::find_session(context.store, session.cookie_hash, now, now - context.settings.session_idle_ttl))
        return NotIssued::session_ended;
    if (!store::use_request(transaction, request_key(request), session.subject, request.expires_at))
        return NotIssued::request_used;
    store::insert_grant(transaction, grant);
    insert_credential(transaction);
    if (consent == Consent::given_now)
        store::save_consent(transaction,
                            {request.client_id, session.subject, request.scope, now, request.claims.all()});
    store::touch_session(transaction, session.cookie_hash, now);
    transaction.commit();
    return {};
}

void end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session) {
    store::Transaction transaction(context.store, store::Durability::lazy);
    store::use_request(transaction, request_key(request), session.subject, request.expires_at);
    transaction.commit();
}

}  // namespace postern::oauth
