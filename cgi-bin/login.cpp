// The login endpoint: shows the form and takes the answer, or takes the word of the web server.
#include "web/login.h"

#include "login/browser.h"
#include "login/remote_user.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response answer(server::App& app, const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    if (app.settings().login.method == login::Method::remote_user) return web::remote_login(visit);
    return request.method == http::Method::post ? web::submit_login(visit) : web::show_login(visit);
}

/// With method remote_user the web server authenticates users: there is no form to post but that of a second half.
std::vector<http::Method> methods(const oauth::Settings& settings) {
    if (!settings.login.has_levels()) return {http::Method::get};
    return {http::Method::get, http::Method::post};
}

/// With the account's pages, what names a browser there.
std::vector<std::string> variables(const oauth::Settings& settings) {
    std::vector<std::string> names = login::remote_variables(settings);
    if (settings.paths.account) names.emplace_back(login::kUserAgentVariable);
    return names;
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "login";
    endpoint.paths = [](const oauth::Settings& settings) { return std::vector{settings.paths.login}; };
    endpoint.methods = methods;
    endpoint.server_variables = variables;
    endpoint.store = server::StoreUse::write;
    endpoint.passwords = true;
    endpoint.logins = true;
    endpoint.seal = true;
    endpoint.mail = true;
    endpoint.logouts = true;
    endpoint.factors = true;
    endpoint.pages = pages::read_pages;
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(endpoint, answer);
}
