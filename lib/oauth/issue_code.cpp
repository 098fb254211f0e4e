// Gives a client the authorization code that a user's approval is worth.
#include "oauth/issue_code.h"

#include "crypto/digest.h"
#include "oauth/access_token.h"
#include "store/grants.h"
#include "util/base64.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kCodePurpose = "postern code v1";

/// The id is random, of 256 bits, and leaves this server only inside a seal.
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

}  // namespace postern::oauth
