// An endpoint whose handler reads the document of the URL in its query, and tells what it got, how long it took, and
// what a connection of its own came to: tests/security/fetch.test.mjs starts it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "fetch/document.h"
#include "fetch/fetcher.h"
#include "json/value.h"
#include "server/app.h"
#include "server/serve.h"

namespace {

using namespace postern;

/// "ok", or the name of the error.
std::string connect_itself() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(443);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool refused =
        socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0;
    const int error = errno;
    if (socket >= 0) ::close(socket);
    return refused ? ::strerrorname_np(error) : "ok";
}

std::optional<std::string> check(const fetch::Document& document) {
    if (document.content_type.starts_with("application/json")) return std::nullopt;
    return "the content type is " + document.content_type;
}

http::Response answer(server::App& app, const http::Request& request) {
    const std::string url(request.query.find("url").value_or(""));
    const auto began = std::chrono::steady_clock::now();
    const auto result = fetch::read_document(app.context().documents(), fetch::Purpose::client_document, url,
                                             {fetch::Occasion::first, request.remote_address}, check);
    const auto took = std::chrono::steady_clock::now() - began;
    return http::json(json::Object{
        {"body", result ? result->body : ""},
        {"type", result ? result->content_type : ""},
        {"reason", result ? "" : result.error().reason},
        {"tooMany", !result && refusal::error_word(result.error().why) == "client_document_busy"},
        {"milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
        {"connect", connect_itself()},
    });
}

}  // namespace

int main() {
    server::Endpoint endpoint;
    endpoint.name = "fetch_probe";
    endpoint.paths = [](const oauth::Settings&) { return std::vector<std::string>{"/probe"}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get}; };
    endpoint.store = server::StoreUse::write;
    endpoint.fetcher = fetch::start_child;
    return server::serve(endpoint, answer);
}
