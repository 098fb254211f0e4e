// The revocation endpoint (RFC 7009): parse, authenticate the client, end what is its own, say nothing about the rest.
#include "oauth/revocation.h"

#include "oauth/respond.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response revoke(server::App& app, const http::Request& request, const std::optional<model::ClientId>& client,
                      const oauth::Outcome<oauth::PresentedToken>& token) {
    if (!token) return respond::json_error(request, token.error());
    const auto done = oauth::revoke(app.context(), client, *token);
    app.log().info("revocation", {{"id", request.id}, {"done", done}});
    return {};  // §2.2: 200 without a body, whatever was done
}

http::Response answer(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    const auto asked = oauth::parse_presented_token(request, app.config().limits.token);  // §2.1
    if (!asked) return respond::json_error(request, asked.error());

    const auto client = oauth::authenticate_revoker(context, *asked, request);  // §2.1, before anything can be probed
    if (!client) return respond::json_error(request, client.error());

    http::Response response = revoke(app, request, *client, asked->token);
    if (*client) response.client_id = (*client)->str();
    return response;
}

/// Null in the configuration: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.paths.revoke) return {};
    return {*settings.paths.revoke};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "revoke";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::post}; };
    endpoint.cors = oauth::CorsPolicy::client_origins;
    endpoint.store = server::StoreUse::write;
    endpoint.keys = keys::KeyUse::verify;
    endpoint.authorization = true;
    endpoint.assertions = true;
    endpoint.certificates = true;
    return server::serve(endpoint, answer);
}
