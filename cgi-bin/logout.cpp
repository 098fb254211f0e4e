// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0 §2), `end_session_endpoint` in discovery.
#include "web/logout.h"

#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response logout(server::App& app, const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    const bool posted = request.method == http::Method::post;
    const http::Params& params = posted ? request.form : request.query;
    if (!params.find("resume") && !params.fault_of("resume")) return web::start_logout(visit);
    return posted ? web::answer_logout(visit) : web::resume_logout(visit);
}

/// Without OpenID Connect the endpoint does not exist.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.logout_url()) return {};
    return {*settings.paths.logout};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "logout";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.store = server::StoreUse::write;
    endpoint.keys = keys::KeyUse::verify;
    endpoint.seal = true;
    endpoint.logouts = true;
    endpoint.pages = pages::read_pages;
    endpoint.on_failure = server::OnFailure::page;
    endpoint.sign_out = [](const oauth::Settings& settings) { return settings.logout_url().value_or(""); };
    return server::serve(endpoint, logout);
}
