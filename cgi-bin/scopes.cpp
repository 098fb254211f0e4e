// The consent page: shows the form and takes the answer.
#include "web/consent.h"

#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response scopes(server::App& app, const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    return request.method == http::Method::post ? web::submit_consent(visit) : web::show_consent(visit);
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "scopes";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.scopes}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.store = server::StoreUse::write;
    endpoint.seal = true;
    endpoint.pages = pages::read_pages;
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(endpoint, scopes);
}
