// The page on which users type the codes of devices and answer them.
#include "web/device/device.h"

#include <memory>

#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

using Pages = std::unique_ptr<const pages::InLanguages<web::DevicePages>>;

http::Response device(server::App& app, const Pages& pages, const http::Request& request) {
    web::Interaction visit(app.context(), app.pages(), request);
    return web::device(visit, pages->in(visit.language()));
}

/// Null in the configuration: not offered.
std::vector<std::string> paths(const oauth::Settings& settings) {
    if (!settings.paths.device) return {};
    return {*settings.paths.device};
}

}  // namespace

int main() {
    Pages pages;
    server::Endpoint endpoint;
    endpoint.name = "device";
    endpoint.paths = paths;
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get, http::Method::post}; };
    endpoint.store = server::StoreUse::write;
    endpoint.seal = true;
    endpoint.pages = pages::read_pages;
    endpoint.begin = [&pages](server::App& app) { pages = web::read_device_pages(app.pages().templates()); };
    endpoint.on_failure = server::OnFailure::page;
    return server::serve(
        endpoint, [&pages](server::App& app, const http::Request& request) { return device(app, pages, request); });
}
