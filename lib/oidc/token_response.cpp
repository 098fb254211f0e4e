// Answers a token request.
#include "oidc/token_response.h"

#include "oauth/access_token.h"
#include "oauth/grant_authorization_code.h"
#include "oidc/id_token.h"

namespace postern::oidc {
namespace {

struct Redeem {
    oauth::Context& context;
    const model::Client& client;

    oauth::Outcome<TokenResponse> operator()(const oauth::AuthorizationCodeGrant& grant) const {
        const auto checked = oauth::check_code(context, client, grant);
        if (!checked) return checked.error();
        const model::Grant& given = checked->stored.grant;

        const auto access =
            oauth::make_access_token(context, given, given.scope, grant.audience, checked->user.username);
        TokenResponse response{access.value, context.settings.access_token_ttl, given.scope, std::nullopt};
        if (context.settings.oidc && given.scope.contains("openid"))
            response.id_token = make_id_token(context, {given, checked->stored.code.nonce, access.value});

        if (auto ok = oauth::redeem_code(context, *checked, access.record); !ok) return ok.error();
        return response;
    }
};

}  // namespace

json::Object TokenResponse::to_json() const {
    json::Object object{
        {"access_token", access_token}, {"token_type", "Bearer"}, {"expires_in", std::int64_t{expires_in.count()}}};
    if (!scope.empty()) object.set("scope", scope.to_string());
    if (id_token) object.set("id_token", *id_token);
    return object;
}

oauth::Outcome<TokenResponse> redeem_grant(oauth::Context& context, const model::Client& client,
                                           const oauth::TokenGrant& grant) {
    return std::visit(Redeem{context, client}, grant);
}

}  // namespace postern::oidc
