// Answers a token request.
#include "oidc/token_response.h"

#include "oauth/access_token.h"
#include "oauth/grant_authorization_code.h"
#include "oauth/grant_client_credentials.h"
#include "oauth/grant_refresh_token.h"
#include "oauth/refresh_token.h"
#include "oauth/scope_policy.h"
#include "oidc/id_token.h"

namespace postern::oidc {
namespace {

struct Redeem {
    oauth::Context& context;
    const model::Client& client;
    const GetUserClaims& get_user_claims;

    oauth::Outcome<TokenResponse> operator()(const oauth::AuthorizationCodeGrant& grant) const {
        const auto checked = oauth::check_code(context, client, grant);
        if (!checked) return checked.error();
        const model::Grant& given = checked->stored.grant;

        const auto access =
            oauth::make_access_token(context, given, given.scope, grant.audience, checked->user.username);
        std::optional<oauth::RefreshTokenIssue> refresh;
        if (client.has_grant(model::GrantType::refresh_token))
            refresh = oauth::make_refresh_token(context, given, std::nullopt);
        TokenResponse response = respond_with(access);
        if (refresh) response.refresh_token = refresh->value;
        response.id_token = id_token_for(access, given, checked->stored.code.nonce);

        const auto record = refresh ? std::optional(refresh->record) : std::nullopt;
        if (auto ok = oauth::redeem_code(context, *checked, access.record, record); !ok) return ok.error();
        return response;
    }

    oauth::Outcome<TokenResponse> operator()(const oauth::RefreshTokenGrant& grant) const {
        const auto checked = oauth::check_refresh_token(context, client, grant);
        if (!checked) return checked.error();
        const model::Grant& given = checked->stored.grant;

        const auto access =
            oauth::make_access_token(context, given, checked->scope, grant.audience, checked->user.username);
        const auto refresh = oauth::make_refresh_token(context, given, checked->stored.token);
        TokenResponse response = respond_with(access);
        response.refresh_token = refresh.value;
        response.id_token = id_token_for(access, given, std::nullopt);  // no nonce: OpenID Connect Core §12.2

        if (auto ok = oauth::redeem_refresh_token(context, *checked, access.record, refresh.record); !ok)
            return ok.error();
        return response;
    }

    oauth::Outcome<TokenResponse> operator()(const oauth::ClientCredentialsGrant& asked) const {
        const auto grant = oauth::make_client_grant(context, client, asked);
        if (!grant) return grant.error();
        const auto access = oauth::make_access_token(context, *grant, grant->scope, asked.audience, "");
        oauth::store_client_grant(context, *grant, access.record);
        return respond_with(access);  // no refresh token: RFC 6749 §4.4.3
    }

    TokenResponse respond_with(const oauth::AccessTokenIssue& access) const {
        return TokenResponse{access.value, context.settings.access_token_ttl, access.record.scope, std::nullopt,
                             std::nullopt};
    }

    std::optional<std::string> id_token_for(const oauth::AccessTokenIssue& access, const model::Grant& grant,
                                            const std::optional<std::string>& nonce) const {
        if (!context.settings.oidc || !access.record.scope.contains("openid")) return std::nullopt;
        return make_id_token(context, {grant, nonce, access.value, claims_for(grant)});
    }

    /// OpenID Connect Core §5.5. The callback is not troubled for a token that tells nothing about the user.
    json::Object claims_for(const model::Grant& grant) const {
        const auto names = oauth::still_registered(client.scope, grant.claims.id_token);
        if (names.empty()) return {};
        return asked_claims(get_user_claims(grant.subject), names);
    }
};

}  // namespace

json::Object TokenResponse::to_json() const {
    json::Object object{
        {"access_token", access_token}, {"token_type", "Bearer"}, {"expires_in", std::int64_t{expires_in.count()}}};
    if (!scope.empty()) object.set("scope", scope.to_string());
    if (refresh_token) object.set("refresh_token", *refresh_token);
    if (id_token) object.set("id_token", *id_token);
    return object;
}

oauth::Outcome<TokenResponse> redeem_grant(oauth::Context& context, const model::Client& client,
                                           const oauth::TokenGrant& grant, const GetUserClaims& get_user_claims) {
    return std::visit(Redeem{context, client, get_user_claims}, grant);
}

}  // namespace postern::oidc
