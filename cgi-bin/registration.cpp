// The registration endpoint (RFC 7591 §3, RFC 7592 §2): a client registers, reads its registration, or deletes it.
#include "oauth/register_client.h"
#include "oauth/registered_client.h"
#include "oauth/respond.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

http::Response refuse(const http::Request& request, const oauth::RegistrationRefusal& refusal) {
    http::Response response = respond::registration_error(request, refusal.error);
    if (refusal.retry_after.count() > 0) response.set("Retry-After", std::to_string(refusal.retry_after.count()));
    return response;
}

http::Response registration(server::App& app, const http::Request& request) {
    oauth::Context& context = app.context();
    if (request.method == http::Method::post) {
        auto registered = oauth::register_client(context, request);
        return registered ? http::json(std::move(*registered), 201) : refuse(request, registered.error());
    }
    if (request.method == http::Method::delete_) {
        const auto deleted = oauth::delete_client_of_caller(context, request);
        if (!deleted) return refuse(request, {deleted.error()});
        http::Response response;
        response.status = 204;
        return response;
    }
    auto document = oauth::read_registration_of_caller(context, request);
    return document ? http::json(std::move(*document)) : refuse(request, {document.error()});
}

/// `registration.mode` is `closed`, or the path is null: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.offers_registration()) return {};
    return {*settings.paths.registration};
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "registration";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) {
        return std::vector{http::Method::get, http::Method::post, http::Method::delete_};
    };
    endpoint.cors = oauth::CorsPolicy::registering;
    endpoint.store = server::StoreUse::write;
    endpoint.authorization = true;
    endpoint.takes_json = true;
    return server::serve(endpoint, registration);
}
