// The account: the pages on which users manage what is theirs.
#include "web/account/account.h"

#include <memory>

#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response account(server::App& app, const pages::InLanguages<web::AccountPages>& pages,
                       const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    return web::account(visit, pages.in(web::account_language(visit)));
}

}  // namespace

int main() {
    std::unique_ptr<const pages::InLanguages<web::AccountPages>> pages;
    server::Endpoint endpoint;
    endpoint.name = "account";
    endpoint.paths = web::account_paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.server_variables = [](const oauth::Settings&) {
        return std::vector<std::string>{login::kUserAgentVariable};
    };
    endpoint.store = server::StoreUse::write;
    endpoint.passwords = true;
    endpoint.seal = true;
    endpoint.mail = true;
    endpoint.logouts = true;
    endpoint.factors = true;
    endpoint.password_list = factor::open_password_list;
    endpoint.pages = pages::read_pages;
    endpoint.begin = [&pages](server::App& app) { pages = web::read_account_pages(app.pages().templates()); };
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(
        endpoint, [&pages](server::App& app, const http::Request& request) { return account(app, *pages, request); });
}
