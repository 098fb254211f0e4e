// The declaration of an endpoint, from which the process opens everything else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "factor/password_list.h"
#include "fetch/fetcher.h"
#include "fetch/outbound.h"
#include "http/message.h"
#include "keys/keys.h"
#include "oauth/cors.h"
#include "oauth/settings.h"
#include "pages/page.h"
#include "refusal/reason.h"
#include "store/replays.h"

namespace postern::server {

/// The resources of a handler: server/app.h.
class App;

enum class OnFailure {
    json,  ///< {"error":"server_error",...}: endpoints that programs call
    page,  ///< the error page: endpoints that people see
};

enum class StoreUse { none, read, write };

/// The needs of a handler that is not Postern's own while it answers, beyond those of its endpoint: the sandbox leaves
/// nothing else (docs/decisions/0025-sandbox.md). The paths are absolute, and are there when the process starts.
struct SandboxPermissions {
    std::vector<std::string> read = {};   ///< files to read, and directories with all that is below them
    std::vector<std::string> write = {};  ///< files and directories to read, write, make, rename and remove
    bool openssl = true;                  ///< to call OpenSSL, itself or through a library; all of it is started then
    bool network = false;                 ///< to connect, look names up, and start threads: then, not before serve()
    bool anything = false;                ///< no sandbox at all, to run programs for example; "require" refuses it
};

/// The declaration of an endpoint: nothing that it does not name is opened for it.
struct Endpoint {
    std::string name;  ///< "token": in the log, and the program's name
    /// Raw request paths that this executable answers, relative to the issuer; everything else is 404. Empty: not
    /// offered. Each is reached below the issuer's base path and, for proxies that strip it, without it.
    std::function<std::vector<std::string>(const oauth::Settings&)> paths;
    /// Complete paths, too: RFC 8414 §3.1 puts its well-known path in front of the base path. Empty: none.
    std::function<std::vector<std::string>(const oauth::Settings&)> absolute_paths = {};
    std::function<std::vector<http::Method>(const oauth::Settings&)> methods;  ///< others are 405 with Allow
    /// Takes requests for every path and of every method, because web servers ask about them: `paths` and `methods` are
    /// the handler's affair, and so are the variables that `server_variables` names. The query is not read, and a form
    /// only if it is one. Every fault is 503: a web server must not take it for an answer.
    bool takes_questions = false;
    refusal::Reason wrong_post = refusal::Reason::invalid_request_method;  ///< of a POST that `methods` leaves out
    /// Origins whose pages may read the answers, the server's own failures included; unless `none`, OPTIONS is answered
    /// too. `client_origins` needs the database.
    oauth::CorsPolicy cors = oauth::CorsPolicy::none;
    StoreUse store = StoreUse::none;
    keys::KeyUse keys = keys::KeyUse::publish;
    /// Returns whether an option makes the endpoint sign tokens as well, which opens the private keys; empty: none.
    std::function<bool(const oauth::Settings&)> signs_if = {};
    /// CGI variables that the web server's own modules set and the configuration names; empty: none is read.
    std::function<std::vector<std::string>(const oauth::Settings&)> server_variables = {};
    SandboxPermissions needs = {.openssl = false};  ///< beyond Postern's own; a handler that calls OpenSSL says so
    /// Called once before the first request, while everything can still be opened.
    std::function<void(App&)> begin = {};
    /// Called behind each answer, which nobody waits for any more; must not throw.
    std::function<void(App&)> after_answer = {};
    bool passwords = false;      ///< checks passwords, for which hash slots are shared
    bool logins = false;         ///< takes names and passwords of logins: it may ask saslauthd where that checks them
    bool authorization = false;  ///< reads the Authorization header; others do not even look whether it is well-formed
    bool takes_json = false;     ///< reads bodies of type application/json; for others they are of another type
    bool seal = false;           ///< reads seal.key
    bool factors = false;        ///< reads factor.key, where people can have second factors
    bool mail = false;           ///< asks for messages to users: wakes the command that sends them
    bool logouts = false;        ///< ends sessions: wakes the command that tells applications
    /// fetch::start_child for an endpoint that may fetch over HTTPS, called when `outbound` is enabled: named here, so
    /// that no other is linked with it.
    std::unique_ptr<fetch::Fetcher> (*fetcher)(const fetch::Outbound& outbound) = nullptr;
    /// Returns whether another option makes the endpoint fetch; empty: `outbound` alone.
    std::function<bool(const oauth::Settings&)> fetches_if = {};
    std::optional<store::ReplayKind> proofs =
        std::nullopt;           ///< reads proofs with `dpop`, and marks used ones as that kind
    bool certificates = false;  ///< reads certificates of clients, with `mtls`
    bool assertions = false;    ///< authenticates clients, also by JWTs, for which it opens the marks of used ones
    /// factor::open_password_list for an endpoint that takes new passwords, called when `login.passwordBlocklist` names
    /// a file: named here, so that no other is linked with it.
    std::unique_ptr<const factor::PasswordList> (*password_list)(const std::string& file) = nullptr;
    /// web::read_pages for an endpoint that shows pages: named here, so that no other is linked with them.
    std::unique_ptr<const pages::PageBook> (*pages)(const std::string& directory, const oauth::Settings& settings,
                                                    pages::Parsing parsing) = nullptr;
    OnFailure on_failure = OnFailure::json;
    /// URL of the button "Sign out" on the page of a request that is refused before the handler sees it; empty: none.
    std::function<std::string(const oauth::Settings&)> sign_out = {};
};

/// Returns whether the endpoint fetches under this configuration.
inline bool may_fetch(const Endpoint& endpoint, const oauth::Settings& settings) {
    return endpoint.fetcher != nullptr && settings.outbound.enabled &&
           (!endpoint.fetches_if || endpoint.fetches_if(settings));
}

using Handler = std::function<http::Response(App&, const http::Request&)>;

}  // namespace postern::server
