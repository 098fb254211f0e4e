// Records what an approval is worth, once per request.
#include "oauth/record_grant.h"

#include "db/write.h"
#include "http/url.h"
#include "oauth/access_token.h"
#include "oauth/acr.h"
#include "oauth/next_step.h"
#include "oauth/record_client.h"
#include "oauth/request_use.h"
#include "oauth/sealed_request.h"
#include "oauth/session_life.h"
#include "store/activity.h"
#include "store/authorization_requests.h"
#include "store/client_access.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/sessions.h"
#include "store/users.h"

namespace postern::oauth {
namespace {

/// `postern consent revoke` forgets both: remembered consents, and approvals that are not answered yet. A denial of
/// another tab comes before this look, or after the code.
bool still_approved(db::Transaction& transaction, const Context& context, const Approval& approval) {
    const auto& [request, session, word, recorded, address] = approval;
    if (word == ConsentSource::remembered) {
        const auto consent = store::find_consent(context.store, request.client_id, session.subject);
        return consent && is_approved(*consent, request, context.settings.released_claims);
    }
    if (word == ConsentSource::not_asked) return true;
    const auto progress = store::find_progress_to_change(transaction, request_key(request));
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
                                               const std::function<void(db::Transaction&)>& insert) {
    const auto& [request, session, consent, recorded, address] = approval;
    const util::Time now = context.now();
    store::lock_user(transaction, session.subject);
    RecordedClient client;
    if (recorded) {
        ASSIGN_OR_RETURN(client, record_client(transaction, context, *recorded, session.subject, consent));
    }
    switch (store::find_standing(transaction, session, request.client_id, session_life(context.settings, now))) {
        case store::Standing::session_ended:
            return NotIssued::session_ended;
        case store::Standing::may_not_use:
            return NotIssued::may_not_use;
        case store::Standing::good:
            break;
    }
    if (!still_approved(transaction, context, approval)) return NotIssued::approval_withdrawn;
    if (!use_up(transaction, request, session.subject)) return NotIssued::request_used;
    insert(transaction);
    if (consent == ConsentSource::given_now) {
        if (!recorded || !model::is_of_stranger(*recorded))
            store::save_consent(transaction, consent_of(request, session.subject, now));
        note_activity(transaction, context, approval);
    }
    store::touch_session(transaction, session.cookie_hash, now);
    transaction.commit();
    return client;
}

}  // namespace

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

void insert_new_grant(db::Transaction& transaction, const model::Grant& grant, util::Time until) {
    store::insert_grant(transaction, grant, until);
    store::end_surplus_grants(transaction, grant, grant.created_at);
}

util::Result<void, NotIssued> record_grant(Context& context, const Approval& approval, const model::Grant& grant,
                                           const std::function<void(db::Transaction&)>& insert,
                                           db::Durability durability) {
    ASSIGN_OR_RETURN(const auto client, db::write(context.store, durability, [&](db::Transaction& transaction) {
                         return record(transaction, context, approval, insert);
                     }));
    note_client(context, grant, client);
    return {};
}

}  // namespace postern::oauth
