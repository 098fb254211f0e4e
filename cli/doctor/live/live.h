// The requests that `postern doctor --url` sends to the live server, one file for each kind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/findings.h"
#include "cli/doctor/live/http_client.h"
#include "model/client.h"

namespace postern::cli {

/// Sends requests to the issuer of the configuration. Nothing that is sent is secret, counts as a failed login or is
/// stored.
void check_live_server(Findings& findings, const config::Config& config, const WebAccess& access);

/// The facts that requests are built from and responses compared with.
struct Site {
    const config::Config& config;
    std::string origin;                   ///< the issuer without its path
    std::string unknown_name;             ///< neither a client id nor a user name of this server
    std::optional<model::Client> client;  ///< enabled, with a redirect URI; only public members are sent
    std::string page_origin;              ///< origin of that URI if CORS allows it, else ""
    std::string software;                 ///< the Server header, or ""
    std::vector<model::Client> sites;     ///< enabled, that the gate protects

    const oauth::Settings& settings() const { return config.settings; }
    bool is_https() const { return settings().issuer.starts_with("https:"); }
};

/// One request and the check of its response. The caller reports a request without a response.
struct Probe {
    std::string check;
    HttpRequest request;
    std::function<void(Findings&, const Site&, const HttpResponse&)> evaluate;
};

// In the order in which they are sent. Building them sends nothing.
std::vector<Probe> document_probes(const Site& site);    ///< key set, discovery, and what must not change them
std::vector<Probe> credential_probes(const Site& site);  ///< the Authorization header, and bodies
std::vector<Probe> page_probes(const Site& site);        ///< what browsers see: cookies, headers, remote users
std::vector<Probe> endpoint_probes(const Site& site);    ///< each at its path, with its methods, and CORS
std::vector<Probe> site_probes(const Site& site);        ///< the applications that the gate protects

/// The first request, and what its connection shows about certificate, TLS and clock. False: the server cannot be
/// reached, so the other requests are not worth sending.
bool check_connection(Findings& findings, Site& site, const WebClient& client);

/// Checks, with `mtls`, that the web server keeps sessions of one host from being resumed at the other (MTLS-14).
void check_web_server_version(Findings& findings, const Site& site);

/// The directive for the web server in use, or for each of them when it is not known.
struct Directives {
    std::string apache, nginx, lighttpd;
};
std::string fix_for(const Site& site, const Directives& directives);

/// Returns whether Postern sent the response; reports an error if the web server or another program did.
bool is_from_postern(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response);

/// Reports a header that does not arrive exactly once with this value.
void expect_header(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response,
                   const std::string& name, const std::string& value);
/// Checks the headers that every response has.
enum class Caching { allowed, forbidden };
void expect_common_headers(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response,
                           Caching caching);

/// Returns a member of the JSON object in the body, or "".
std::string text_member(const HttpResponse& response, std::string_view name);

}  // namespace postern::cli
