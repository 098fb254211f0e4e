// What `postern doctor --url` asks the live server, one file for each kind of question.
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

/// Everything is asked at the issuer of the configuration. Nothing that is sent is secret, throttled or stored.
void check_live_server(Findings& findings, const config::Config& config, const WebAccess& access);

/// What the questions are made of, and what the answers are judged by.
struct Site {
    const config::Config& config;
    std::string origin;                   ///< the issuer without its path
    std::string stranger;                 ///< a client id and user name that nobody has
    std::optional<model::Client> client;  ///< an enabled one with a redirect URI; what is sent of it is public
    std::string page_origin;              ///< of that URI when pages of it may read answers, else ""
    std::string software;                 ///< as the web server names itself, else ""

    const oauth::Settings& settings() const { return config.settings; }
    bool is_https() const { return settings().issuer.starts_with("https:"); }
};

/// One question and how its answer is judged. A question without an answer is judged by the caller.
struct Probe {
    std::string check;
    HttpRequest question;
    std::function<void(Findings&, const Site&, const HttpResponse&)> judge;
};

// In the order in which they are asked; all of them make their questions without a look at the server.
std::vector<Probe> document_probes(const Site& site);    ///< key set, discovery, and what must not change them
std::vector<Probe> credential_probes(const Site& site);  ///< the Authorization header, and bodies
std::vector<Probe> page_probes(const Site& site);        ///< what people see: cookies, headers, remote users
std::vector<Probe> endpoint_probes(const Site& site);    ///< each at its path, with its methods, and CORS

/// The first question, and what the connection says about certificate, TLS and clock. False: nothing else is worth
/// asking.
bool check_connection(Findings& findings, Site& site, const WebClient& client);

/// What to write into the configuration of the web server in use, or of each when it is not known.
struct Directives {
    std::string apache, nginx, lighttpd;
};
std::string fix_for(const Site& site, const Directives& directives);

/// Whether the answer is a Postern's and not the web server's own; a finding otherwise.
bool is_answered(Findings& findings, const Site& site, const std::string& path, const HttpResponse& answer);

/// A header that must arrive once and as it was sent.
void expect_header(Findings& findings, const Site& site, const std::string& path, const HttpResponse& answer,
                   const std::string& name, const std::string& value);
/// Those that every answer has; `cached` ones keep for a while.
enum class Caching { allowed, forbidden };
void expect_common_headers(Findings& findings, const Site& site, const std::string& path, const HttpResponse& answer,
                           Caching caching);

/// A member of a JSON object in the body, or "".
std::string text_member(const HttpResponse& answer, std::string_view name);

}  // namespace postern::cli
