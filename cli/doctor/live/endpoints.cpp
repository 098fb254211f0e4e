// Decides whether each endpoint is reached at its path with its methods, and which pages may call it.
#include "cli/doctor/live/live.h"

namespace postern::cli {
namespace {

/// An endpoint with a method that it does not have, and those that it has.
struct Row {
    std::optional<std::string> path;  ///< nullopt: not offered
    const char* method;
    const char* allowed;
};

std::vector<Row> rows_of(const oauth::Settings& settings) {
    const auto& paths = settings.paths;
    const bool form = settings.login.method == oauth::LoginMethod::password;
    const auto if_oidc = [&](const std::optional<std::string>& path) { return settings.oidc ? path : std::nullopt; };
    return {
        {paths.jwks, "POST", "GET, HEAD, OPTIONS"},
        {paths.discovery, "POST", "GET, HEAD, OPTIONS"},
        {paths.token, "GET", "POST, OPTIONS"},
        {paths.introspect, "GET", "POST"},
        {paths.revoke, "GET", "POST, OPTIONS"},
        {if_oidc(paths.userinfo), "PUT", "GET, POST, OPTIONS"},
        {paths.authorize, "PUT", settings.authorize_post ? "GET, POST" : "GET"},
        {form ? std::optional(paths.login) : std::nullopt, "PUT", "GET, POST"},
        {paths.scopes, "PUT", "GET, POST"},
        {if_oidc(paths.logout), "PUT", "GET, POST"},
    };
}

void evaluate_method(Findings& findings, const Site& site, const std::string& path, const Row& row,
                     const HttpResponse& answer) {
    // A web server that has no use for a method may refuse it by itself.
    const bool refused_before = !answer.has("X-Request-Id") &&
                                (answer.status == 403 || answer.status == 405 || answer.status == 501) &&
                                row.method == std::string_view("PUT");
    if (refused_before || !is_answered(findings, site, path, answer)) return;
    if (answer.status == 405 && answer.first("Allow") == row.allowed) return;
    findings.error("methods",
                   std::string(row.method) + " " + path + " is answered " + std::to_string(answer.status) +
                       " with \"Allow: " + answer.first("Allow") + "\", not 405 with \"Allow: " + row.allowed + "\"",
                   "give this path to its own program, and let the web server pass status and headers on unchanged");
}

void evaluate_preflight(Findings& findings, const Site& site, const std::string& path, const std::string& allowed,
                        const HttpResponse& answer) {
    const auto readers = answer.all("Access-Control-Allow-Origin");
    const bool as_wanted = allowed.empty() ? readers.empty() : readers.size() == 1 && readers.front() == allowed;
    if (answer.has("X-Request-Id") && answer.status == 204 && as_wanted) return;
    std::string arrived;
    for (const std::string& reader : readers) arrived += (arrived.empty() ? "" : ", ") + reader;
    findings.error("CORS",
                   "OPTIONS " + path + " from a page of " + (allowed.empty() ? "an unknown site" : allowed) +
                       " is answered " + std::to_string(answer.status) + " with Access-Control-Allow-Origin \"" +
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
        [path, allowed](Findings& findings, const Site& there, const HttpResponse& answer) {
            evaluate_preflight(findings, there, path, allowed, answer);
        }};
}

}  // namespace

std::vector<Probe> endpoint_probes(const Site& site) {
    const auto& settings = site.settings();
    std::vector<Probe> probes;
    for (const Row& row : rows_of(settings)) {
        if (!row.path) continue;
        HttpRequest question{settings.url(*row.path), row.method};
        if (question.method == "POST") question.form = "";
        probes.push_back(
            {"methods", question, [row](Findings& findings, const Site& there, const HttpResponse& answer) {
                 evaluate_method(findings, there, *row.path, row, answer);
             }});
    }
    std::vector<std::string> open = {settings.paths.token};
    if (settings.oidc && settings.paths.userinfo) open.push_back(*settings.paths.userinfo);
    for (const std::string& path : open) {
        probes.push_back(preflight(site, path, "https://postern-doctor.invalid", ""));
        if (!site.page_origin.empty()) probes.push_back(preflight(site, path, site.page_origin, site.page_origin));
    }
    return probes;
}

}  // namespace postern::cli
