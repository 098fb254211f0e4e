// Checks that the Authorization header and request bodies arrive at the endpoints that clients call. All credentials
// are made up.
#include "cli/doctor/live/live.h"
#include "gateway/address.h"
#include "oauth/client_auth.h"
#include "oidc/userinfo.h"
#include "server/refusal_ring.h"
#include "server/web_server_advice.h"
#include "util/base64.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kBasicFix =
    "; if the web server cannot pass it, name the variable that holds it in \"authorizationVariables\"";

void report_lost(Findings& findings, const Site& site, const std::string& path) {
    findings.error("Authorization", "the Authorization header does not arrive at " + path,
                   std::string(server::passing_directive(site.software)) + kBasicFix);
}

/// A 401 from the web server itself, whose authentication for the rest of the site covers the endpoint too.
bool web_server_wants_login(Findings& findings, const std::string& path, const HttpResponse& response) {
    if (response.status != 401 || response.has("X-Request-Id")) return false;
    findings.error("Authorization", "the web server itself asks for a login at " + path,
                   "exclude the endpoint from the web server's own authentication (Apache: `Require all granted` and "
                   "`AuthType None`; nginx: `auth_basic off;`; lighttpd: auth.require for other paths only)");
    return true;
}

/// A refusal must be recorded in the ring that `postern why` reads.
void expect_recorded(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    const std::string ring = site.config.ring_path();
    const auto ids = response.all("X-Request-Id");
    if (ids.size() == 1 && server::RefusalRing::find(ring, ids.front())) return;
    findings.warning(
        "request ids", "the refusal at " + path + " is not in " + ring + ", so `postern why` cannot explain it",
        "let the user of the serving processes write that file, or name their configuration with --config");
}

/// Warns when the program cannot tell whose request it is, as behind a proxy: decisions/0097.
void expect_address(Findings& findings, const Site& site, const HttpResponse& response) {
    const auto refusal = server::RefusalRing::find(site.config.ring_path(), response.first("X-Request-Id"));
    const std::string why = refusal ? refusal->address_unknown : "";
    if (why.empty() || why.ends_with(gateway::kOnlyProxies)) return;  // this machine may be the proxy
    findings.warning("client address", "it is not known which address a request comes from: " + why,
                     "let the proxy append the address of its client to X-Forwarded-For, with a port or without; until "
                     "then wrong passwords are counted by user name alone");
}

/// decisions/0010: a 401 challenges for Basic when the header was there, and only then.
void evaluate_basic(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    if (web_server_wants_login(findings, path, response) || !is_from_postern(findings, site, path, response)) return;
    expect_common_headers(findings, site, path, response, Caching::forbidden);
    expect_recorded(findings, site, path, response);
    const bool refused = response.status == 401 && text_member(response, "error") == "invalid_client";
    if (refused && text_member(response, "error_description") == oauth::kNoCredentials)
        return report_lost(findings, site, path);
    if (!refused)
        return findings.error(
            "Authorization",
            "made-up credentials at " + path + " get the response " + std::to_string(response.status) + " " +
                text_member(response, "error"),
            util::ShellCommand("postern why").value(response.first("X-Request-Id")).quoted() + " says what arrived");
    const auto challenges = response.all("WWW-Authenticate");
    if (challenges.size() == 1 && challenges.front().starts_with("Basic ")) return;
    findings.error("Authorization",
                   "the 401 of " + path + " has " + std::to_string(challenges.size()) +
                       " WWW-Authenticate headers, not one for Basic",
                   "let the web server pass WWW-Authenticate on unchanged");
}

void evaluate_bearer(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    if (web_server_wants_login(findings, path, response) || !is_from_postern(findings, site, path, response)) return;
    expect_common_headers(findings, site, path, response, Caching::forbidden);
    expect_recorded(findings, site, path, response);
    const auto challenges = response.all("WWW-Authenticate");
    if (response.status != 401 || text_member(response, "error") != "invalid_token")
        return findings.error(
            "Authorization", "a made-up token at " + path + " gets the response " + std::to_string(response.status),
            util::ShellCommand("postern why").value(response.first("X-Request-Id")).quoted() + " says what arrived");
    if (text_member(response, "error_description") == oidc::kNoToken) return report_lost(findings, site, path);
    if (challenges.size() != 1 || !challenges.front().starts_with("Bearer "))
        findings.error("Authorization", "the 401 of " + path + " has no WWW-Authenticate header of its own",
                       "let the web server pass WWW-Authenticate on unchanged");
}

/// RFC 9112 §7.1. Unless the web server buffers such a body, the program does not know its length.
void evaluate_chunked(Findings& findings, const Site& site, const HttpResponse& response) {
    const bool read = text_member(response, "error") == "invalid_client" &&
                      text_member(response, "error_description") != oauth::kNoCredentials;
    if (response.status == 411 || read) return;
    findings.error("chunked bodies",
                   "a body without Content-Length does not arrive at " + site.settings().paths.token + " (" +
                       std::to_string(response.status) + " " + text_member(response, "error") + ")",
                   fix_for(site, {"`SetEnv proxy-sendcl 1` for mod_proxy_fcgi", "`fastcgi_request_buffering on;`",
                                  "`server.stream-request-body = 0`"}));
}

std::string basic_header(const Site& site) {
    return "Authorization: Basic " + util::base64_encode(site.unknown_name + ":" + site.unknown_name);
}

template <class Evaluate>
auto at(const std::string& path, Evaluate evaluate) {
    return [path, evaluate](Findings& findings, const Site& site, const HttpResponse& response) {
        evaluate(findings, site, path, response);
    };
}

}  // namespace

std::vector<Probe> credential_probes(const Site& site) {
    const auto& settings = site.settings();
    const auto& paths = settings.paths;
    const std::string basic = basic_header(site);
    std::vector<Probe> probes = {
        {"Authorization",
         {settings.url(paths.token), "POST", {basic}, "grant_type=client_credentials"},
         at(paths.token, evaluate_basic)},
        {"chunked bodies",
         {settings.url(paths.token),
          "POST",
          {"Transfer-Encoding: chunked"},
          "grant_type=client_credentials&client_id=" + site.unknown_name + "&client_secret=" + site.unknown_name},
         evaluate_chunked},
    };
    if (paths.introspect && settings.authenticate_introspect)
        probes.push_back({"Authorization",
                          {settings.url(*paths.introspect), "POST", {basic}, "token=x"},
                          at(*paths.introspect, evaluate_basic)});
    if (paths.revoke && settings.authenticate_revoke)
        probes.push_back({"Authorization",
                          {settings.url(*paths.revoke), "POST", {basic}, "token=x"},
                          at(*paths.revoke, evaluate_basic)});
    if (paths.userinfo && settings.oidc)
        probes.push_back({"Authorization",
                          {settings.url(*paths.userinfo), "GET", {"Authorization: Bearer " + site.unknown_name}},
                          at(*paths.userinfo, evaluate_bearer)});
    probes.push_back({"request ids",
                      {settings.url(paths.token), "POST", {basic}, "grant_type=x"},
                      at(paths.token, expect_recorded)});
    probes.push_back({"client address",
                      {settings.url(paths.token), "POST", {basic}, "grant_type=x"},
                      [](Findings& findings, const Site& there, const HttpResponse& response) {
                          expect_address(findings, there, response);
                      }});
    return probes;
}

}  // namespace postern::cli
