// The device authorization endpoint (RFC 8628 §3.1): parse, authenticate the client, issue a code, answer.
#include "oauth/device_authorization.h"

#include "oauth/client_auth.h"
#include "oauth/respond.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response issue(oauth::Context& context, const http::Request& request, const model::Client& client) {
    const auto issued = oauth::authorize_device(context, client, request);
    if (issued) return http::json(issued->to_json());  // §3.2
    http::Response refused = respond::json_error(request, issued.error().error);
    if (const auto wait = issued.error().retry_after; wait.count() > 0)
        refused.set("Retry-After", std::to_string(wait.count()));
    return refused;
}

http::Response device_authorization(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    const auto credentials = oauth::parse_device_authorization_request(request);
    if (!credentials) return respond::json_error(request, oauth::refused_client(context, credentials.error()));
    const auto client = oauth::authenticate_client(context, *credentials, request);
    if (!client) return respond::json_error(request, client.error());

    http::Response response = issue(context, request, *client);
    response.client_id = client->id.str();
    return response;
}

/// Null in the configuration: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.paths.device_authorization) return {};
    return {*settings.paths.device_authorization};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "device_authorization";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::post}; };
    endpoint.cors = oauth::CorsPolicy::client_origins;
    endpoint.store = server::StoreUse::write;
    endpoint.authorization = true;
    endpoint.assertions = true;
    endpoint.certificates = true;
    endpoint.fetcher = fetch::start_child;
    endpoint.fetches_if = [](const oauth::Settings& settings) { return settings.assertions.enabled; };
    return server::serve(endpoint, device_authorization);
}
