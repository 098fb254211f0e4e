// Links of the operator: the page on which an invited user, or one who cannot sign in any more, chooses a password.
#include "web/recover/recover.h"

#include <memory>

#include "login/browser.h"
#include "server/app.h"
#include "server/serve.h"
#include "web/recover/paths.h"

int main() {
    using namespace postern;
    using Pages = std::unique_ptr<const pages::InLanguages<web::RecoverPages>>;
    const auto pages = std::make_shared<Pages>();  // read at the start, kept as long as requests are answered
    server::Endpoint endpoint;
    endpoint.name = "recover";
    endpoint.paths = web::recover_paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.server_variables = [](const oauth::Settings& settings) {
        return settings.paths.account ? std::vector<std::string>{login::kUserAgentVariable}
                                      : std::vector<std::string>();
    };
    endpoint.store = server::StoreUse::write;
    endpoint.passwords = true;
    endpoint.seal = true;
    endpoint.mail = true;
    endpoint.logouts = true;
    endpoint.password_list = factor::open_password_list;
    endpoint.pages = pages::read_pages;
    endpoint.begin = [pages](server::App& app) { *pages = web::read_recover_pages(app.pages().templates()); };
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(endpoint, [pages](server::App& app, const http::Request& request) {
        return web::recover(app.context(), app.pages(), **pages, request);
    });
}
