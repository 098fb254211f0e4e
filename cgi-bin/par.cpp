// The pushed authorization request endpoint (RFC 9126 §2): parse, authenticate the client, judge the request, answer.
#include "fetch/fetcher.h"
#include "oauth/pushed_request.h"
#include "oauth/respond.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response push(oauth::Context& context, const http::Request& request, const oauth::PushingClient& client) {
    const auto pushed = oauth::push_request(context, client, request);
    if (!pushed) {
        http::Response refused = respond::json_error(request, pushed.error());
        if (refused.status == 503) refused.set("Retry-After", "5");
        return refused;
    }
    return http::json(pushed->to_json(), 201);  // §2.2
}

http::Response par(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    const auto credentials = oauth::parse_push(request);
    if (!credentials) return respond::json_error(request, oauth::refused_client(context, credentials.error()));
    const auto client = oauth::authenticate_pushing_client(context, *credentials, request);
    http::Response response = client ? push(context, request, *client) : respond::json_error(request, client.error());
    if (client) response.client_id = client->id.str();
    response.reader = oauth::reader_of_document(context, *credentials);  // which may be stored at the approval alone
    return response;
}

/// Null in the configuration: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.paths.par) return {};
    return {*settings.paths.par};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "par";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::post}; };
    endpoint.cors = oauth::CorsPolicy::client_origins;
    endpoint.store = server::StoreUse::write;  // fetched documents
    endpoint.keys = keys::KeyUse::verify;      // id_token_hint
    endpoint.seal = true;
    endpoint.fetcher = fetch::start_child;
    endpoint.fetches_if = [](const oauth::Settings& settings) {
        return settings.client_documents.enabled || settings.assertions.enabled;  // documents, and keys at a jwks_uri
    };
    endpoint.authorization = true;
    endpoint.assertions = true;
    endpoint.certificates = true;
    endpoint.proofs = store::ReplayKind::proof;
    return server::serve(endpoint, par);
}
