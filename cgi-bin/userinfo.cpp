// The UserInfo endpoint (OpenID Connect Core §5.3): claims for an access token with the openid scope.
#include "oidc/userinfo.h"

#include "oauth/respond.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response refuse(const oauth::OAuthError& error) {
    return respond::bearer_error(error, error.code == oauth::ErrorCode::insufficient_scope ? "openid" : "");
}

http::Response userinfo(server::App& app, const http::Request& request) {
    const auto token = oidc::parse_bearer_token(request, app.config().limits.token);
    if (!token) return refuse(token.error());
    const auto claims = oidc::userinfo(app.context(), *token, oidc::database_claims(app.context()));
    if (!claims) return refuse(claims.error());
    http::Response response = http::json(*claims);
    response.set("Vary", "Authorization");
    return response;
}

/// Without OpenID Connect there is no such endpoint.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.oidc || !settings.paths.userinfo) return {};
    return {*settings.paths.userinfo};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "userinfo";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.store = server::StoreUse::read;
    endpoint.keys = store::KeyUse::verify;
    return server::serve(endpoint, userinfo);
}
