// Gives a client the authorization code that a user's approval is worth.
#include "oauth/issue_code.h"

#include "crypto/digest.h"
#include "oauth/sealed_request.h"
#include "store/authorization_requests.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/sessions.h"

namespace postern::oauth {

util::Result<std::string, NoCode> issue_code(Context& context, const model::AuthorizationRequest& request,
                                             const model::Session& session, Consent consent) {
    const util::Time now = context.now();
    std::string code = crypto::random_token(context.random);

    model::Grant grant;
    grant.id = model::GrantId(crypto::random_id(context.random));
    grant.client_id = request.client_id;
    grant.subject = session.subject;
    grant.scope = request.scope;
    grant.claims = request.claims;
    grant.auth_time = session.auth_time;
    grant.sid = session.sid;
    grant.created_at = now;

    model::AuthorizationCode record;
    record.code_hash = model::ValueHash(crypto::sha256_hex(code));
    record.grant_id = grant.id;
    record.redirect_uri = request.redirect_uri;
    record.redirect_uri_sent = request.redirect_uri_sent;
    record.nonce = request.nonce;
    record.code_challenge = request.code_challenge;
    record.max_age = request.max_age;
    record.audience = request.audience;
    record.expires_at = now + context.settings.authorization_code_ttl;

    // Lazy: the use mark and the code are lost together, so a power cut costs the user a retry and nothing else.
    store::Transaction transaction(context.store, store::Durability::lazy);
    if (!store::find_session(context.store, session.cookie_hash, now, now - context.settings.session_idle_ttl))
        return NoCode::session_ended;
    if (!store::use_request(transaction, request_key(request), session.subject, request.expires_at))
        return NoCode::request_used;
    store::insert_grant(transaction, grant);
    store::insert_code(transaction, record);
    if (consent == Consent::given_now)
        store::save_consent(transaction, {request.client_id, session.subject, request.scope, now, request.claims.all()});
    store::touch_session(transaction, session.cookie_hash, now);
    transaction.commit();
    return code;
}

void end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session) {
    store::Transaction transaction(context.store, store::Durability::lazy);
    store::use_request(transaction, request_key(request), session.subject, request.expires_at);
    transaction.commit();
}

}  // namespace postern::oauth
