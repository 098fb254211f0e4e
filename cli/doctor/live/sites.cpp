// Asks each site as a browser without cookies does: the sign-in has to come, and never the application (GATE-32).
#include <string>

#include "cli/doctor/live/live.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

constexpr const char* kFix =
    "compare the configuration of its web server with the shipped file for sites; in lighttpd mod_fastcgi has to stand before "
    "mod_proxy, mod_wstunnel, mod_ajp13, mod_scgi, mod_cgi and mod_status, and no later block may assign fastcgi.server for "
    "this host, or the check is skipped";

void evaluate_site(Findings& findings, const Site& site, const model::Client& client, const HttpResponse& response) {
    const std::string name = "the site " + in_quotes(client.id.str());
    const std::string sign_in = site.settings().url(site.settings().paths.authorize) + "?";
    if (response.status == 302 && response.first("Location").starts_with(sign_in)) return;
    const std::string status = std::to_string(response.status);
    if (response.status >= 200 && response.status < 300)
        return findings.error(
            "sites", name + " is not protected: it answers " + status + " to a visitor who is not signed in", kFix);
    findings.warning(
        "sites", name + " does not lead to the sign-in: it answers " + status + " to a visitor who is not signed in",
        kFix);
}

}  // namespace

std::vector<Probe> site_probes(const Site& site) {
    std::vector<Probe> probes;
    for (const model::Client& client : site.sites)
        probes.push_back({"sites",
                          {.url = client.site->url,
                           .headers = {"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"}},
                          [client](Findings& findings, const Site& asked, const HttpResponse& response) {
                              evaluate_site(findings, asked, client, response);
                          }});
    return probes;
}

}  // namespace postern::cli
