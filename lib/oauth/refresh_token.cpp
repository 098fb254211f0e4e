// Makes refresh tokens and finds them again.
#include "oauth/refresh_token.h"

#include <memory>

#include "crypto/digest.h"
#include "jose/jwt.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "store/grants.h"

namespace postern::oauth {
namespace {

/// Returns the claims of both forms; a signed one also has `jti`. Client and lifetime help to debug. The record decides
/// everything; scope is left out so that the two cannot disagree.
json::Object claims_of(const Settings& settings, const model::Grant& grant, const model::RefreshToken& record) {
    return {{"iss", settings.issuer},
            {"sub", grant.subject.str()},
            {"cid", grant.client_id.str()},
            {"iat", util::to_epoch(record.issued_at)},
            {"exp", util::to_epoch(record.expires_at)}};
}

/// Random values are base64url and hold no dot.
bool looks_like_jwt(std::string_view value) { return value.find('.') != std::string_view::npos; }

}  // namespace

RefreshTokenIssue make_refresh_token(Context& context, const model::Grant& grant,
                                     const std::optional<model::RefreshToken>& parent) {
    RefreshTokenIssue issue;
    model::RefreshToken& record = issue.record;
    record.grant_id = grant.id;
    if (parent) record.parent_hash = parent->token_hash;
    record.issued_at = context.now();
    record.expires_at = parent ? parent->expires_at : grant.created_at + context.settings.refresh_token_ttl;
    record.is_opaque = context.settings.use_opaque_refresh_tokens;
    if (record.is_opaque) {
        issue.value = crypto::random_token(context.random);
        record.token_hash = hash_of(issue.value);
    } else {
        json::Object claims = claims_of(context.settings, grant, record);
        claims.set("jti", make_jti(context.random, grant.id));
        const auto& key = context.keys.signing_key(context.settings.token_algorithm(model::TokenProfile::interface),
                                                   record.issued_at);
        issue.value = jose::sign_compact(key.key, key.kid, jose::TokenType::refresh_token, json::write(claims));
        // It comes back to this endpoint, and perhaps to this process.
        const std::string digest = context.keys.verifier().note_signed(issue.value, std::move(claims));
        record.token_hash = model::ValueHash(crypto::hex(digest));
    }
    return issue;
}

void insert_first(db::Transaction& transaction, const model::RefreshToken& token) {
    store::insert_refresh_token(transaction, token);
    if (!token.cnf.empty()) store::bind_grant(transaction, token.grant_id, token.cnf);
}

std::optional<KnownRefreshToken> find_refresh_token(Context& context, std::string_view value, jose::Expiry expiry) {
    if (!looks_like_jwt(value)) {
        auto stored = store::find_opaque_refresh_token(context.store, hash_of(value));
        if (!stored) return std::nullopt;
        auto claims = std::make_shared<const json::Object>(claims_of(context.settings, stored->grant, stored->token));
        return KnownRefreshToken{std::move(claims), std::move(*stored)};
    }
    auto jwt = jose::verify_jwt(context.keys.verifier(), value, jose::TokenType::refresh_token, context.settings.issuer,
                                context.now(), expiry);
    if (!jwt) return std::nullopt;
    auto stored =
        store::find_refresh_token(context.store, grant_of(*jwt->claims), model::ValueHash(crypto::hex(jwt->digest)));
    if (!stored) return std::nullopt;
    return KnownRefreshToken{std::move(jwt->claims), std::move(*stored)};
}

}  // namespace postern::oauth
