// The life of an endpoint's process: start-up checks, the accept loop, the one catch, the end.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/message.h"
#include "oauth/context.h"
#include "server/config.h"
#include "store/keys.h"
#include "web/page.h"

namespace postern::server {

enum class OnFailure {
    json,  ///< {"error":"server_error",...}: endpoints that programs call
    page,  ///< the error page: endpoints that people see
};

enum class StoreUse { none, read, write };

/// What an endpoint is and what it needs: nothing else is opened for it.
struct Endpoint {
    std::string name;  ///< "token": in the log, and the program's name
    /// Raw request paths relative to the issuer's base that this executable answers; everything else is 404. Empty: not offered.
    std::function<std::vector<std::string>(const oauth::Settings&)> paths;
    std::function<std::vector<http::Method>(const oauth::Settings&)> methods;  ///< others are 405 with Allow
    StoreUse store = StoreUse::none;
    store::KeyUse keys = store::KeyUse::publish;
    bool seal = false;   ///< reads seal.key
    bool pages = false;  ///< reads the templates
    OnFailure on_failure = OnFailure::json;
};

/// What a handler may use. `store()` and `pages()` throw std::logic_error when the endpoint did not declare them.
class App;

using Handler = std::function<http::Response(App&, const http::Request&)>;

/// Runs until the web server ends the process (FastCGI) or for one request (CGI). The exit code of main: 0, or 1 when the
/// configuration, database, keys or templates cannot be used (the reason is one line on stderr, the answer a bare 500).
int serve(const Endpoint& endpoint, const Handler& handler);

}  // namespace postern::server
