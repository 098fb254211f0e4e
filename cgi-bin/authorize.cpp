// The authorization endpoint (RFC 6749 §3.1): starts and resumes authorization requests.
#include "web/authorization.h"

#include "fetch/fetcher.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response authorize(server::App& app, const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    const bool resumes = request.query.find("resume") || request.query.fault_of("resume");
    return request.method == http::Method::get && resumes ? web::resume_authorization(visit)
                                                          : web::start_authorization(visit);
}

std::vector<http::Method> methods(const oauth::Settings& settings) {
    if (settings.authorize_post) return {http::Method::get, http::Method::post};
    return {http::Method::get};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "authorize";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.authorize}; };
    endpoint.methods = methods;
    endpoint.wrong_post = refusal::Reason::invalid_request_post_to_authorize;
    endpoint.store = server::StoreUse::write;
    endpoint.keys = keys::KeyUse::verify;  // id_token_hint
    endpoint.signs_if = [](const oauth::Settings& settings) { return settings.has_front_tokens() || settings.jarm; };
    endpoint.seal = true;
    endpoint.fetcher = fetch::start_child;  // client ID metadata documents
    endpoint.pages = pages::read_pages;
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(endpoint, authorize);
}
