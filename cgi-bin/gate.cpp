// The gate: web servers ask it whether a request for an application may pass, and it signs their users in.
#include "web/gate/gate.h"

#include <optional>
#include <utility>

#include "gate/check.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response gate_answer(server::App& app, std::optional<model::Session>& used, const http::Request& request) {
    auto answer = web::answer_gate(app.context(), app.pages(), request);
    used = std::move(answer.used);
    return std::move(answer.response);
}

}  // namespace

int main() {
    std::optional<model::Session> used;  // by the last answer, until it is noted
    server::Endpoint endpoint;
    endpoint.name = "gate";
    endpoint.paths = [](const oauth::Settings&) { return std::vector<std::string>(); };
    endpoint.methods = [](const oauth::Settings&) { return std::vector<http::Method>(); };
    endpoint.takes_questions = true;
    endpoint.server_variables = [](const oauth::Settings&) { return web::gate_variables(); };
    endpoint.store = server::StoreUse::write;
    endpoint.keys = keys::KeyUse::verify;  // access tokens, where a site lets them pass
    endpoint.seal = true;
    endpoint.authorization = true;
    endpoint.pages = pages::read_pages;
    endpoint.on_failure = server::OnFailure::page;
    endpoint.after_answer = [&used](server::App& app) {
        if (used) gate::note_use(app.context(), *used);
        used.reset();
    };
    return server::serve(
        endpoint, [&used](server::App& app, const http::Request& request) { return gate_answer(app, used, request); });
}
