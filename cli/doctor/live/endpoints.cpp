// Checks that each endpoint is reached at its path with its methods, and which origins CORS allows.
#include <algorithm>
#include <string>
#include <string_view>

#include "cli/doctor/live/live.h"
#include "login/step.h"
#include "oauth/acr.h"
#include "web/interaction.h"
#include "web/recover/paths.h"

namespace postern::cli {
namespace {

/// An endpoint with a method that it does not support, and the Allow header that it must answer.
struct MethodProbe {
    std::string name;
    std::optional<std::string> path;  ///< nullopt: not offered
    const char* unsupported = "PUT";
    const char* allowed = "";  ///< "": any
};

std::vector<MethodProbe> method_probes(const oauth::Settings& settings) {
    const auto& paths = settings.paths;
    const bool form = settings.login.has_page();
    const auto if_oidc = [&](const std::optional<std::string>& path) { return settings.oidc ? path : std::nullopt; };
    std::vector<MethodProbe> probes = {
        {"jwks", paths.jwks, "POST", "GET, HEAD, OPTIONS"},
        {"discovery", paths.discovery, "POST", "GET, HEAD, OPTIONS"},
        {"token", paths.token, "GET", "POST, OPTIONS"},
        {"introspect", paths.introspect, "GET", "POST"},
        {"par", paths.par, "GET", "POST, OPTIONS"},
        {"device_authorization", paths.device_authorization, "GET", "POST, OPTIONS"},
        {"device", paths.device, "PUT", "GET, POST"},
        {"registration", settings.offers_registration() ? paths.registration : std::nullopt, "PUT",
         "GET, POST, DELETE, OPTIONS"},
        {"revoke", paths.revoke, "GET", "POST, OPTIONS"},
        {"userinfo", if_oidc(paths.userinfo), "PUT", "GET, POST, OPTIONS"},
        {"authorize", paths.authorize, "PUT", settings.authorize_post ? "GET, POST" : "GET"},
        {"login", form ? std::optional(paths.login) : std::nullopt, "PUT", "GET, POST"},
        {"scopes", paths.scopes, "PUT", "GET, POST"},
        {"logout", if_oidc(paths.logout), "PUT", "GET, POST"},
    };
    const auto has_probe = [&](std::string_view name) {
        return std::ranges::any_of(probes, [&](const MethodProbe& row) { return row.name == name; });
    };
    // Endpoints that answer several paths have probes of their own.
#define POSTERN_PROBE(name, type, path, route, ...)                                          \
    if (oauth::endpoint::Route::route == oauth::endpoint::Route::whole && !has_probe(#name)) \
        probes.push_back({#name, paths.name});
    POSTERN_ENDPOINTS(POSTERN_PROBE)
#undef POSTERN_PROBE
    return probes;
}

void evaluate_method(Findings& findings, const Site& site, const std::string& path, const MethodProbe& row,
                     const HttpResponse& response) {
    // The web server may refuse a method that it does not support before the program sees it.
    const bool refused_before = !response.has("X-Request-Id") &&
                                (response.status == 403 || response.status == 405 || response.status == 501) &&
                                row.unsupported == std::string_view("PUT");
    if (refused_before || !is_from_postern(findings, site, path, response)) return;
    const std::string_view allowed = row.allowed;
    if (response.status == 405 && (allowed.empty() || response.first("Allow") == allowed)) return;
    findings.error("methods",
                   std::string(row.unsupported) + " " + path + " is answered " + std::to_string(response.status) +
                       " with \"Allow: " + response.first("Allow") + "\", not 405" +
                       (allowed.empty() ? "" : " with \"Allow: " + std::string(allowed) + "\""),
                   "give this path to its own program, and let the web server pass status and headers on unchanged");
}

/// Paths on which nothing else depends, so a web server that does not route them is in order otherwise.
struct OptionalPaths {
    const char* program;  ///< also the key below `paths`
    const char* what;     ///< behind the path, "" or " and ..."
};
constexpr OptionalPaths kAccount = {"account", " and what is below it"};
constexpr OptionalPaths kRecover = {"recover", ""};

/// `status` is what the program answers to a browser without a session.
void evaluate_optional(Findings& findings, const Site& site, const OptionalPaths& row, const std::string& path,
                       int status, const HttpResponse& response) {
    if (response.has("X-Request-Id") && response.status == status) return;
    const std::string program = row.program;
    const auto fix = [&](const std::string& example) {
        return "give " + path + row.what + " to the program " + program + ", as in " + example +
               ", or set \"paths\": {\"" + program + "\": null}";
    };
    const std::string apache = fix("apache-example.conf");
    const std::string nginx = fix("examples/nginx");
    const std::string lighttpd = fix("examples/lighttpd");
    findings.warning(program,
                     path + " is not answered by the " + program + " program (" + std::to_string(response.status) + ")",
                     fix_for(site, {apache, nginx, lighttpd}));
}

Probe optional_probe(const oauth::Settings& settings, const OptionalPaths& row, const std::string& path, int status) {
    return {row.program,
            {settings.url(path), "GET"},
            [&row, path, status](Findings& findings, const Site& there, const HttpResponse& response) {
                evaluate_optional(findings, there, row, path, status, response);
            }};
}

/// The overview, and pages below it, which a web server may route by other rules. Those of second factors were added
/// later, so that they may be missing alone.
std::vector<Probe> account_probes(const oauth::Settings& settings) {
    std::vector<Probe> probes;
    if (!settings.paths.account) return probes;
    std::vector<std::pair<std::string, int>> pages = {{"", 303}, {"/devices", 303}};
    // Not asked of the pages themselves (web/account), which are linked to the library that draws QR codes.
    const bool has_factors = oauth::highest_level(settings) >= model::Level::second_factor;
    if (has_factors) pages.insert(pages.end(), {{"/app", 303}, {"/codes", 303}});
    if (has_factors && login::policy_of(settings).may_enrol != login::MayEnrol::nobody)
        pages.emplace_back(web::kEnrolmentSuffix, 400);  // there is nothing to resume
    if (settings.login.keeps_passwords()) pages.emplace_back(web::kPasswordChangeSuffix, 400);  // likewise
    for (const auto& [page, status] : pages)
        probes.push_back(optional_probe(settings, kAccount, *settings.paths.account + page, status));
    return probes;
}

void evaluate_preflight(Findings& findings, const Site& site, const std::string& path, const std::string& allowed,
                        const HttpResponse& response) {
    const auto readers = response.all("Access-Control-Allow-Origin");
    const bool as_wanted = allowed.empty() ? readers.empty() : readers.size() == 1 && readers.front() == allowed;
    if (response.has("X-Request-Id") && response.status == 204 && as_wanted) return;
    std::string arrived;
    for (const std::string& reader : readers) arrived += (arrived.empty() ? "" : ", ") + reader;
    findings.error("CORS",
                   "OPTIONS " + path + " from a page of " + (allowed.empty() ? "an unknown site" : allowed) +
                       " is answered " + std::to_string(response.status) + " with Access-Control-Allow-Origin \"" +
                       arrived + "\", not 204 with \"" + allowed + "\"",
                   fix_for(site, {"remove `Header set Access-Control-...` and answers to OPTIONS (`RewriteCond "
                                  "%{REQUEST_METHOD} OPTIONS`, `LimitExcept`) for this path: Postern answers",
                                  "remove `add_header Access-Control-...`, `limit_except` and `if ($request_method = "
                                  "OPTIONS)` for this path: Postern answers",
                                  "remove Access-Control-... from `setenv.add-response-header` and answers to OPTIONS "
                                  "for this path: Postern answers"}));
}

Probe preflight(const Site& site, const std::string& path, const std::string& origin, const std::string& allowed) {
    return {
        "CORS",
        {site.settings().url(path),
         "OPTIONS",
         {"Origin: " + origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"}},
        [path, allowed](Findings& findings, const Site& there, const HttpResponse& response) {
            evaluate_preflight(findings, there, path, allowed, response);
        }};
}

}  // namespace

std::vector<Probe> endpoint_probes(const Site& site) {
    const auto& settings = site.settings();
    std::vector<Probe> probes;
    for (const MethodProbe& row : method_probes(settings)) {
        if (!row.path) continue;
        HttpRequest request{settings.url(*row.path), row.unsupported};
        if (request.method == "POST") request.form = "";
        probes.push_back(
            {"methods", request, [row](Findings& findings, const Site& there, const HttpResponse& response) {
                 evaluate_method(findings, there, *row.path, row, response);
             }});
    }
    for (Probe& probe : account_probes(settings)) probes.push_back(std::move(probe));
    for (const std::string& path : web::recover_paths(settings))
        probes.push_back(optional_probe(settings, kRecover, path, 400));  // there is no link in the address
    std::vector<std::string> cors_paths = {settings.paths.token};
    if (settings.oidc && settings.paths.userinfo) cors_paths.push_back(*settings.paths.userinfo);
    for (const std::string& path : cors_paths) {
        probes.push_back(preflight(site, path, "https://postern-doctor.invalid", ""));
        if (!site.page_origin.empty()) probes.push_back(preflight(site, path, site.page_origin, site.page_origin));
    }
    return probes;
}

}  // namespace postern::cli
