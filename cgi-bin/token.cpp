// The token endpoint (RFC 6749 §3.2): parse, authenticate the client, redeem the grant, answer.
#include "oauth/client_auth.h"
#include "oauth/respond.h"
#include "oauth/shown_keys.h"
#include "oauth/token_request.h"
#include "oauth/token_response.h"
#include "oidc/id_token.h"
#include "oidc/userinfo.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

/// For a client that has proved who it is.
http::Response redeem(oauth::Context& context, const http::Request& request, const model::Client& client,
                      const oauth::Outcome<oauth::TokenGrant>& grant, const oauth::ShownKeys& keys) {
    if (!grant) return respond::json_error(request, grant.error());
    const auto id_tokens = oidc::id_tokens_with(context, oidc::database_claims(context));
    const auto tokens = oauth::redeem_grant(context, client, *grant, id_tokens, keys);  // §4.1.3, §6, §4.4.2
    if (!tokens) return respond::json_error(request, tokens.error());
    return http::json(tokens->to_json());  // §5.1
}

http::Response token(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    const auto form = oauth::parse_token_request(context.settings.paths, request);  // syntax, duplicates: §3.2
    if (!form) return respond::json_error(request, oauth::refused_client(context, form.error()));

    oauth::ShownKeys keys;
    const auto check = [&](const model::Client& known) -> oauth::Outcome<void> {
        ASSIGN_OR_RETURN(keys, oauth::read_shown_keys(context, request, known));  // RFC 9449 §5, RFC 8705 §3
        return {};
    };
    const auto client = oauth::authenticate_client(context, form->credentials, request, check);  // §2.3
    if (!client) {
        http::Response refused = respond::json_error(request, client.error());
        refused.reader = oauth::reader_of_document(context, form->credentials);
        return refused;
    }

    http::Response response = redeem(context, request, *client, form->grant, keys);
    response.client_id = client->id.str();
    return response;
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "token";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.token}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::post}; };
    endpoint.cors = oauth::CorsPolicy::client_origins;
    endpoint.store = server::StoreUse::write;
    endpoint.keys = keys::KeyUse::sign;
    endpoint.authorization = true;
    endpoint.assertions = true;
    endpoint.certificates = true;
    endpoint.proofs = store::ReplayKind::proof;
    endpoint.fetcher = fetch::start_child;
    endpoint.fetches_if = [](const oauth::Settings& settings) { return settings.assertions.enabled; };
    return server::serve(endpoint, token);
}
