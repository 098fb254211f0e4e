// The discovery document (OpenID Connect Discovery §4, RFC 8414 §3) at both well-known addresses; needs neither
// database nor private keys.
#include "oidc/discovery.h"

#include "oidc/cacheable.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response discovery(server::App& app, const http::Request& request) {
    return oidc::cacheable(request, oidc::discovery(app.settings()));
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "discovery";
    endpoint.paths = [](const oauth::Settings& settings) {
        return std::vector{settings.paths.discovery, oidc::oauth_metadata_path(settings)};
    };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::head}; };
    endpoint.cors = oauth::CorsPolicy::any_origin;
    return server::serve(endpoint, discovery);
}
