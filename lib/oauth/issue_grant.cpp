// Records a grant with its first credential, once per request.
#include "oauth/issue_grant.h"

#include <functional>

#include "crypto/digest.h"
#include "db/write.h"
#include "http/url.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/context.h"
#include "oauth/next_step.h"
#include "oauth/record_client.h"
#include "oauth/sealed_request.h"
#include "oauth/session_life.h"
#include "store/access_tokens.h"
#include "store/activity.h"
#include "store/authorization_requests.h"
#include "store/client_access.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/sessions.h"
#include "store/users.h"
#include "util/base64.h"

namespace postern::oauth {
namespace {

/// `postern consent revoke` forgets both: remembered consents, and approvals that are not answered yet.
bool still_approved(Context& context, const Approval& approval) {
    const auto& [request, session, word, described, address] = approval;
    if (word == ConsentSource::remembered) {
        const auto consent = store::find_consent(context.store, request.client_id, session.subject);
        return consent && is_approved(*consent, request, context.settings.released_claims);
    }
    if (word == ConsentSource::not_asked) return true;
    const auto progress = store::find_progress(context.store, request_key(request));
    return progress && progress->subject == session.subject && progress->decision == model::Decision::approved;
}

model::Consent consent_of(const model::AuthorizationRequest& request, const model::Subject& subject, util::Time now) {
    model::Consent consent{request.client_id, subject, {}, now, request.claims.all(), {}};
    if (request.resources.empty()) consent.scope = request.scope;
    for (const std::string& uri : request.resources) consent.resources[http::one_spelling(uri)] = request.scope;
    return consent;
}

/// The browser keeps the name of its session's beginning: this program does not read User-Agent.
void note_activity(db::Transaction& transaction, const Context& context, const Approval& approval) {
    if (!context.settings.paths.account) return;
    store::add_activity(transaction, approval.session.subject,
                        {.at = context.now(),
                         .what = model::ActivityKind::application_allowed,
                         .agent = approval.session.agent,
                         .address = approval.address,
                         .detail = approval.request.client_id.str()});
}

/// Looks at session, access and approval again: each may have ended since the request was read.
util::Result<RecordedClient, NotIssued> record(db::Transaction& transaction, Context& context, const Approval& approval,
                                               const model::Grant& grant, util::Time until,
                                               const std::function<void(db::Transaction&)>& insert_credential) {
    const auto& [request, session, consent, described, address] = approval;
    const util::Time now = context.now();
    store::lock_user(transaction, session.subject);
    RecordedClient client;
    if (described) {
        ASSIGN_OR_RETURN(client, record_client(transaction, context, *described, session.subject, consent));
    }
    switch (store::find_standing(transaction, session, request.client_id, session_life(context.settings, now))) {
        case store::Standing::session_ended:
            return NotIssued::session_ended;
        case store::Standing::may_not_use:
            return NotIssued::may_not_use;
        case store::Standing::good:
            break;
    }
    if (!still_approved(context, approval)) return NotIssued::approval_withdrawn;
    if (!store::use_request(transaction, request_key(request), session.subject, request.expires_at))
        return NotIssued::request_used;
    store::insert_grant(transaction, grant, until);
    store::end_surplus_grants(transaction, grant, now);
    insert_credential(transaction);
    if (consent == ConsentSource::given_now) {
        store::save_consent(transaction, consent_of(request, session.subject, now));
        note_activity(transaction, context, approval);
    }
    store::touch_session(transaction, session.cookie_hash, now);
    transaction.commit();
    return client;
}

/// Returns the grant that the approval is worth, not recorded yet.
model::Grant make_grant(Context& context, const Approval& approval) {
    model::Grant grant;
    grant.created_at = context.now();
    grant.id = make_grant_id(context.random, grant.created_at);
    grant.client_id = approval.request.client_id;
    grant.subject = approval.session.subject;
    grant.scope = approval.request.scope;
    grant.ignored_scope = approval.request.ignored_scope;
    grant.claims = approval.request.claims;
    grant.resources = approval.request.resources;
    grant.auth_time = approval.session.auth_time;
    grant.sid = approval.session.sid;
    const model::Authentication how = approval.session.how;
    grant.acr = acr_of_login(context.settings, how.level, approval.request.acr);
    grant.amr = how.amr;
    return grant;
}

/// Writes grant, credential, used-up request and remembered consent in one transaction; `insert_credential` adds the
/// code or token, which lives until `until`. Session, access and consent are looked at again inside: a right that was
/// withdrawn meanwhile must not be granted (docs/decisions/0011-rights-checked-in-the-transaction.md).
util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           util::Time until,
                                           const std::function<void(db::Transaction&)>& insert_credential) {
    // Lazy: the use mark and the credential are lost together, so a power cut costs the user a retry and nothing else.
    ASSIGN_OR_RETURN(const auto client,
                     db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
                         return record(transaction, context, approval, grant, until, insert_credential);
                     }));
    note_client(context, grant, client);
    return {};
}

constexpr std::string_view kCodePurpose = "postern code v1";

/// The id of the request is random, of 256 bits, and leaves this server only inside a seal.
std::string code_of(const Context& context, const model::AuthorizationRequest& request) {
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), kCodePurpose);
    return util::base64url_encode(crypto::hmac_sha256(key, request.id));
}

}  // namespace

util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval) {
    const model::AuthorizationRequest& request = approval.request;
    const model::Grant grant = make_grant(context, approval);
    std::string code = code_of(context, request);

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
    context.trail.add(audit::Event::code_issued,
                      audit::with_grant(grant, {audit::credential("code", record.code_hash),
                                                {"scope", grant.scope.to_string()},
                                                {"resource", model::to_string(grant.resources)}}));
    return code;
}

std::optional<std::string> find_issued_code(Context& context, const model::AuthorizationRequest& request,
                                            const model::Session& session) {
    std::string code = code_of(context, request);
    if (!store::is_redeemable(context.store, hash_of(code), session, context.now())) return std::nullopt;
    return code;
}

util::Result<ImplicitToken, NotIssued> issue_token(Context& context, const Approval& approval) {
    const auto user = store::find_user(context.store, approval.session.subject);
    if (!user) return NotIssued::session_ended;
    const model::Grant grant = make_grant(context, approval);
    // The interface specification: `aud` comes from a token request only, and there is none. So the profile is its own,
    // too, because RFC 9068 §2.2 demands an audience.
    const AccessTokenIssue token = make_access_token(context, {grant, grant.scope, {}, user->username});

    const auto insert = [&](db::Transaction& transaction) {
        store::insert_access_token(transaction, token.record, token.record.expires_at);
    };
    RETURN_IF_ERROR(record_grant(context, approval, grant, token.record.expires_at, insert));
    context.trail.add(audit::Event::token_issued,
                      audit::with_grant(grant, {{"grant_type", "implicit"},
                                                audit::credential("access_token", token.record.token_hash),
                                                {"scope", grant.scope.to_string()}}));
    return ImplicitToken{token.value, grant.scope, context.settings.access_token_ttl};
}

bool end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session) {
    return db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        const bool ended = store::use_request(transaction, request_key(request), session.subject, request.expires_at);
        transaction.commit();
        return ended;
    });
}

}  // namespace postern::oauth
