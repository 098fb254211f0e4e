// Records a grant with its code, once per request.
#include "oauth/issue_grant.h"

#include "crypto/digest.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/record_grant.h"
#include "oauth/request_use.h"
#include "oauth/sealed_request.h"
#include "store/authorization_requests.h"
#include "store/grants.h"
#include "util/base64.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kCodePurpose = "postern code v1";

/// The id of the request is random, of 256 bits, and leaves this server only inside a seal.
std::string code_of(const Context& context, const model::AuthorizationRequest& request) {
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), kCodePurpose);
    return util::base64url_encode(crypto::hmac_sha256(key, request.id));
}

}  // namespace

CodeIssue make_code(const Context& context, const model::AuthorizationRequest& request, const model::Grant& grant) {
    CodeIssue issue{code_of(context, request), {}};
    model::AuthorizationCode& record = issue.record;
    record.code_hash = hash_of(issue.value);
    record.grant_id = grant.id;
    record.redirect_uri = request.redirect_uri;
    record.redirect_uri_sent = request.redirect_uri_sent;
    record.nonce = request.nonce;
    record.code_challenge = request.code_challenge;
    record.max_age = request.max_age;
    record.audience = request.audience;
    record.dpop_jkt = request.dpop_jkt.value_or("");
    record.expires_at = grant.created_at + context.settings.authorization_code_ttl;
    return issue;
}

void audit_code(Context& context, const model::AuthorizationRequest& request, const model::Grant& grant,
                const CodeIssue& code) {
    context.trail.add(audit::Event::code_issued,
                      audit::with_grant(grant, {audit::credential("code", code.record.code_hash),
                                                {"scope", grant.scope.to_string()},
                                                {"resource", model::to_string(grant.resources)},
                                                {"request_object", request.request_object.value_or("")}}));
}

util::Result<std::string, NotIssued> issue_code(Context& context, const Approval& approval) {
    const model::Grant grant = make_grant(context, approval);
    const CodeIssue code = make_code(context, approval.request, grant);
    const auto insert = [&](db::Transaction& transaction) {
        insert_new_grant(transaction, grant, code.record.expires_at);
        store::insert_code(transaction, code.record);
    };
    RETURN_IF_ERROR(record_grant(context, approval, grant, insert));
    audit_code(context, approval.request, grant, code);
    return code.value;
}

std::optional<std::string> find_issued_code(Context& context, const model::AuthorizationRequest& request,
                                            const model::Session& session) {
    if (request.response_type != model::ResponseType::code) return std::nullopt;  // its answer had tokens, too
    std::string code = code_of(context, request);
    if (!store::is_redeemable(context.store, hash_of(code), session, context.now())) return std::nullopt;
    return code;
}

bool end_request(Context& context, const model::AuthorizationRequest& request, const model::Session& session,
                 Ends ends) {
    return db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        const bool ended = ends == Ends::push ? use_up(transaction, request, session.subject)
                                              : store::use_request(transaction, request_key(request), session.subject,
                                                                   request.expires_at);
        if (ended) transaction.commit();
        return ended;
    });
}

}  // namespace postern::oauth
