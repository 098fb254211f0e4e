// The discovery document (OpenID Connect Discovery §4, RFC 8414 §3) at all well-known addresses; needs neither
// database nor private keys.
#include "oidc/discovery.h"

#include <optional>

#include "oidc/cacheable.h"
#include "server/app.h"
#include "server/serve.h"

using namespace postern;

int main() {
    std::optional<oidc::CacheableDocument> document;
    server::Endpoint endpoint;
    endpoint.name = "discovery";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.discovery}; };
    endpoint.absolute_paths = oidc::inserted_paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::head}; };
    endpoint.cors = oauth::CorsPolicy::any_origin;
    endpoint.begin = [&](server::App& app) {
        document.emplace(oidc::discovery(app.settings(), app.config().offered_languages()));
    };
    return server::serve(endpoint,
                         [&](server::App&, const http::Request& request) { return document->answer(request); });
}
