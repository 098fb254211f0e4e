// The introspection endpoint (RFC 7662): parse, authenticate the caller, look the token up, answer.
#include "oauth/introspection.h"

#include "oauth/respond.h"
#include "oidc/introspected_user.h"
#include "oidc/userinfo.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response answer(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    const auto asked = oauth::parse_presented_token(request, app.config().limits.token);  // §2.1
    if (!asked) return respond::json_error(request, asked.error());

    const auto caller =
        oauth::check_introspection_caller(context, *asked, request);  // §2.1, before anything can be probed
    if (!caller) return respond::json_error(request, caller.error());

    if (!asked->token) return respond::json_error(request, asked->token.error());
    const auto user_claims = oidc::claims_for_introspection(context, *caller, oidc::database_claims(context));
    const model::Client* known = *caller ? &**caller : nullptr;
    return http::json(oauth::introspect(context, *asked->token, user_claims, known));  // §2.2
}

/// Null in the configuration: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.paths.introspect) return {};
    return {*settings.paths.introspect};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "introspect";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::post}; };
    endpoint.store = server::StoreUse::read;
    endpoint.keys = keys::KeyUse::verify;
    endpoint.authorization = true;
    endpoint.assertions = true;
    endpoint.certificates = true;
    return server::serve(endpoint, answer);
}
