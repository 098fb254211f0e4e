// The UserInfo endpoint (OpenID Connect Core §5.3): claims for an access token with the openid scope.
#include "server/userinfo_endpoint.h"

#include <memory>
#include <utility>

#include "oauth/respond.h"
#include "oidc/userinfo.h"
#include "server/app.h"
#include "server/serve.h"

namespace postern::server {
namespace {

http::Response bearer_error(const oauth::OAuthError& error) {
    return respond::bearer_error(error, error.code == oauth::ErrorCode::insufficient_scope ? "openid" : "");
}

http::Response userinfo(App& app, const http::Request& request, const oidc::GetUserClaims& get_user_claims) {
    const auto bearer = oidc::parse_bearer_token(request, app.config().limits.token);
    if (!bearer) return bearer_error(bearer.error());
    const auto token = oidc::find_active_token(app.context(), *bearer);
    if (!token) return bearer_error(token.error());
    auto claims = oidc::userinfo(app.context(), token->stored, get_user_claims);
    http::Response response = claims ? http::json(std::move(*claims)) : bearer_error(claims.error());
    response.client_id = token->stored.client_id.str();
    return response;
}

Endpoint userinfo_endpoint() {
    Endpoint endpoint;
    endpoint.name = "userinfo";
    endpoint.paths = [](const oauth::Settings& settings) {
        const auto& path = settings.paths.userinfo;
        return settings.oidc && path ? std::vector{*path} : std::vector<std::string>();  // part of OpenID Connect
    };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.cors = oauth::CorsPolicy::client_origins;
    endpoint.store = StoreUse::read;
    endpoint.keys = keys::KeyUse::verify;
    endpoint.authorization = true;
    return endpoint;
}

}  // namespace

int serve_userinfo(const oidc::GetUserClaims& get_user_claims, const SandboxPermissions& needs) {
    return serve_userinfo(MakeGetUserClaims([get_user_claims](oauth::Context&) { return get_user_claims; }), needs);
}

int serve_userinfo(const MakeGetUserClaims& make_get_user_claims, const SandboxPermissions& needs) {
    const auto get_user_claims = std::make_shared<oidc::GetUserClaims>();
    Endpoint endpoint = userinfo_endpoint();
    endpoint.needs = needs;
    endpoint.begin = [=](App& app) { *get_user_claims = make_get_user_claims(app.context()); };
    return serve(endpoint, [=](App& app, const http::Request& request) {
        http::Response response = userinfo(app, request, *get_user_claims);
        response.set("Vary", "Authorization");
        return response;
    });
}

}  // namespace postern::server
