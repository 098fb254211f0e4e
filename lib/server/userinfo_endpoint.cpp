// The UserInfo endpoint (OpenID Connect Core §5.3): claims for an access token with the openid scope.
#include "server/userinfo_endpoint.h"

#include <memory>
#include <utility>

#include "oauth/client_certificate.h"
#include "oauth/respond.h"
#include "oidc/userinfo.h"
#include "refusal/reason.h"
#include "server/app.h"
#include "server/serve.h"

namespace postern::server {
namespace {

http::Response token_error(const http::Request& request, const oauth::OAuthError& error, oidc::Scheme scheme) {
    const std::string scope = error.code == oauth::ErrorCode::insufficient_scope ? "openid" : "";
    if (error.code == oauth::ErrorCode::temporarily_unavailable) return respond::json_error(request, error);
    const bool needs_key = scheme == oidc::Scheme::dpop || error.reason == refusal::Reason::invalid_token_bound;
    return needs_key ? respond::dpop_error(error, scope) : respond::bearer_error(error, scope);
}

/// RFC 9449 §7.2: a caller without a token learns of both schemes.
http::Response no_token(const oauth::Settings& settings, const oauth::OAuthError& error) {
    http::Response response = respond::bearer_error(error);
    if (settings.dpop) response.add("WWW-Authenticate", respond::dpop_challenge());
    return response;
}

oauth::Outcome<json::Object> find_claims(oauth::Context& context, const http::Request& request,
                                         const oidc::PresentedAccess& presented, const oidc::ActiveToken& active,
                                         const oidc::GetUserClaims& get_user_claims) {
    if (presented.scheme == oidc::Scheme::dpop)
        RETURN_IF_ERROR(oidc::check_proof(context, request, presented.token, active));
    return oidc::userinfo(context, active.stored, get_user_claims);
}

http::Response userinfo(App& app, const http::Request& request, const oidc::GetUserClaims& get_user_claims) {
    const oauth::Settings& settings = app.settings();
    const auto presented = oidc::parse_access_token(request, app.config().limits.token, settings.dpop);
    if (!presented) return no_token(settings, presented.error());
    const auto token = oidc::find_active_token(app.context(), presented->token,
                                               {presented->scheme, oauth::shown_thumbprint(app.context(), request)});
    if (!token) return token_error(request, token.error(), presented->scheme);
    auto claims = find_claims(app.context(), request, *presented, *token, get_user_claims);
    http::Response response =
        claims ? http::json(std::move(*claims)) : token_error(request, claims.error(), presented->scheme);
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
    endpoint.proofs = store::ReplayKind::proof_at_userinfo;
    endpoint.certificates = true;
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
