// The public key set (RFC 7517 §5); needs neither database nor private keys.
#include "jose/jwk.h"

#include "oidc/cacheable.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response jwks(server::App& app, const http::Request& request) {
    return oidc::cacheable(request, jose::to_json(app.keys().published()));
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "jwks";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.jwks}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::head}; };
    endpoint.cors = oauth::CorsPolicy::any_origin;
    return server::serve(endpoint, jwks);
}
