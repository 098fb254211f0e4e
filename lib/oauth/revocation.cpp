// Ends a token or a code that a client gives back.
#include "oauth/revocation.h"

#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/client_auth.h"
#include "oauth/client_profile.h"
#include "store/grants.h"

namespace postern::oauth {
namespace {

constexpr const char* kCode = "authorization_code";
constexpr const char* kRefreshToken = "refresh_token";
constexpr const char* kAccessToken = "access_token";

constexpr std::string_view kUnknown = "nothing: unknown, forged or malformed";
constexpr std::string_view kForeign = "nothing: the token belongs to another client";

/// Also tells the audit log.
bool is_foreign(Context& context, const std::optional<model::ClientId>& client, const model::Grant& grant,
                const char* kind, const model::ValueHash& hash) {
    if (!client || *client == grant.client_id) return false;
    context.trail.add_foreign(grant, kind, hash, *client);
    return true;
}

void note(Context& context, const model::Grant& grant, const char* kind, const model::ValueHash& hash) {
    context.trail.add(audit::Event::token_revoked,
                      audit::with_grant(grant, {{"kind", kind}, audit::credential("token", hash)}));
}

/// `jti` names the grant and `cid` the client (both signed by us). The token's row may be deleted once it has expired,
/// and is not needed: an expired token can still end the refresh tokens of its grant.
std::optional<model::Grant> find_grant_of(Context& context, const VerifiedAccessToken& token) {
    auto grant = db::find_surely(context.store, [&] { return store::find_grant(context.store, token.key.grant_id); });
    const json::Value* client = token.claims->find("cid");
    if (!grant || !client || !client->if_string() || *client->if_string() != grant->client_id.str())
        return std::nullopt;
    return grant;
}

// The three functions below may read before they write: an owner never changes, and each statement also finds the rows
// that a refresh or an exchange has added meanwhile. A later refresh finds its token dead.

std::string_view revoke_code(Context& context, const std::optional<model::ClientId>& client, std::string_view value) {
    const auto stored = db::find_surely(context.store, [&] { return store::find_code(context.store, hash_of(value)); });
    if (!stored) return kUnknown;
    if (is_foreign(context, client, stored->grant, kCode, stored->code.code_hash)) return kForeign;
    db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::burn_code(transaction, stored->code.code_hash, context.now());
        transaction.commit();
    });
    note(context, stored->grant, kCode, stored->code.code_hash);
    return "authorization code: cannot be redeemed any more";
}

std::string_view revoke_refresh_token(Context& context, const std::optional<model::ClientId>& client,
                                      const KnownRefreshToken& token) {
    if (is_foreign(context, client, token.stored.grant, kRefreshToken, token.stored.token.token_hash)) return kForeign;
    db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::end_grant(transaction, token.stored.grant.id, context.now());  // RFC 7009 §2.1: access tokens too
        transaction.commit();
    });
    note(context, token.stored.grant, kRefreshToken, token.stored.token.token_hash);
    return "refresh token: its grant has ended";
}

std::string_view revoke_access_token(Context& context, const std::optional<model::ClientId>& client,
                                     const VerifiedAccessToken& token) {
    const auto grant = find_grant_of(context, token);
    if (!grant) return kUnknown;
    if (is_foreign(context, client, *grant, kAccessToken, token.key.token_hash)) return kForeign;
    db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::revoke_access_token(transaction, token.key, context.now());
        store::revoke_refresh_tokens(transaction, grant->id, context.now());  // RFC 7009 §2.1: MAY
        transaction.commit();
    });
    note(context, *grant, kAccessToken, token.key.token_hash);
    return "access token: revoked, with the refresh tokens of its grant";
}

}  // namespace

Outcome<std::optional<model::ClientId>> authenticate_revoker(Context& context, const PresentedTokenRequest& asked,
                                                             const http::Request& request) {
    if (!context.settings.authenticate_revoke) return std::optional<model::ClientId>();
    if (!asked.credentials) return refused_client(context, asked.credentials.error());
    const auto check = [&](const model::Client& known) { return check_profile_method(context.settings, known); };
    ASSIGN_OR_RETURN(const auto client, authenticate_client(context, *asked.credentials, request, check));
    return std::optional(client.id);
}

std::string_view revoke(Context& context, const std::optional<model::ClientId>& client, const PresentedToken& token) {
    if (!token.value) return kUnknown;
    if (token.hint == TokenTypeHint::auth_code) return revoke_code(context, client, *token.value);
    const auto known = db::find_surely(context.store, [&]() -> std::optional<KnownToken> {
        auto found = find_presented_token(context, token, jose::Expiry::ignored);
        if (std::holds_alternative<std::monostate>(found)) return std::nullopt;
        return found;
    });
    if (!known) return kUnknown;
    if (const auto* access = std::get_if<VerifiedAccessToken>(&*known))
        return revoke_access_token(context, client, *access);
    return revoke_refresh_token(context, client, std::get<KnownRefreshToken>(*known));
}

}  // namespace postern::oauth
