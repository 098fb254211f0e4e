// What an access token says.
#include "oauth/access_token.h"

#include "crypto/digest.h"
#include "jose/jws.h"
#include "json/writer.h"
#include "oauth/jti.h"

namespace postern::oauth {
namespace {

json::Object claims_of(const Settings& settings, const model::Grant& grant, const model::AccessToken& record,
                       const std::string& username) {
    // Without a user the client speaks for itself (RFC 9068 §2.2); users' subjects are random, so no client's id.
    const std::string& subject = grant.subject.empty() ? grant.client_id.str() : grant.subject.str();
    json::Object claims{{"iss", settings.issuer}, {"sub", subject}, {"cid", grant.client_id.str()}};
    if (!record.scope.empty()) claims.set("scope", record.scope.to_string());
    claims.set("jti", record.jti);
    claims.set("iat", util::to_epoch(record.issued_at));
    claims.set("exp", util::to_epoch(record.expires_at));
    if (record.audience) claims.set("aud", *record.audience);
    if (settings.username_in_access_token && !username.empty()) claims.set("username", username);
    return claims;
}

}  // namespace

model::ValueHash hash_of(std::string_view value) { return model::ValueHash(crypto::sha256_hex(value)); }

AccessTokenIssue make_access_token(Context& context, const model::Grant& grant, const model::Scope& scope,
                                   const std::optional<std::string>& audience, const std::string& username) {
    AccessTokenIssue issue;
    model::AccessToken& record = issue.record;
    record.jti = make_jti(context.random, grant.id);
    record.grant_id = grant.id;
    record.scope = scope;
    record.audience = audience;
    record.issued_at = context.now();
    record.expires_at = record.issued_at + context.settings.access_token_ttl;

    const keys::SigningKey& key = context.keys.signing_key(context.settings.access_token_algorithm, record.issued_at);
    const std::string payload = json::write(claims_of(context.settings, grant, record, username));
    issue.value = jose::sign_compact(key.key, key.kid, jose::TokenType::access_token, payload);
    issue.digest = crypto::sha256(issue.value);
    record.token_hash = model::ValueHash(crypto::hex(issue.digest));
    return issue;
}

util::Result<VerifiedAccessToken, jose::JwtFault> verify_access_token(Context& context, std::string_view value,
                                                                      jose::Expiry expiry) {
    ASSIGN_OR_RETURN(auto jwt, jose::verify_jwt(context.keys.verifier(), value, jose::TokenType::access_token,
                                                context.settings.issuer, context.now(), expiry));
    store::AccessTokenKey key{grant_of(*jwt.claims), jwt.issued_at, model::ValueHash(crypto::hex(jwt.digest))};
    return VerifiedAccessToken{std::move(jwt.claims), std::move(key)};
}

}  // namespace postern::oauth
