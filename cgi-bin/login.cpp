// The login page: shows the form and takes the answer.
#include "web/login.h"

#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response login(server::App& app, const http::Request& request) {
    web::Visit visit(app.context(), app.pages(), request);
    return request.method == http::Method::post ? web::submit_login(visit) : web::show_login(visit);
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "login";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.login}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.store = server::StoreUse::write;
    endpoint.seal = true;
    endpoint.pages = true;
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(endpoint, login);
}
