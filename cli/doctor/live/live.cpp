// Sends the probes to the live server, and checks what all responses have in common.
#include "cli/doctor/live/live.h"

#include <system_error>

#include "crypto/random.h"
#include "json/reader.h"
#include "oauth/cors.h"
#include "store/clients.h"
#include "store/sites.h"

namespace postern::cli {
namespace {

constexpr std::chrono::seconds kTotalTime{60};

std::string origin_of_issuer(const std::string& issuer) {
    const auto slash = issuer.find('/', issuer.find("//") + 2);
    return issuer.substr(0, slash);
}

/// The first client whose users could sign in now.
std::optional<model::Client> find_usable_client(const config::Config& config) {
    try {
        db::Database database(config.database, db::Access::query_only);
        for (model::Client& client : store::list_clients(database, util::SystemClock().now()))
            if (client.enabled && !client.site && client.has_grant(model::GrantType::authorization_code) &&
                !client.redirect_uris.empty())
                return std::make_optional(std::move(client));
    } catch (const db::StoreError&) {  // reported by check_database
    }
    return std::nullopt;
}

/// The enabled sites, by id.
std::vector<model::Client> find_enabled_sites(const config::Config& config) {
    std::vector<model::Client> sites;
    if (!config.settings.paths.gate) return sites;
    try {
        db::Database database(config.database, db::Access::query_only);
        sites = store::list_sites(database);
        std::erase_if(sites, [](const model::Client& client) { return !client.enabled; });
    } catch (const db::StoreError&) {  // reported by check_database
    }
    return sites;
}

std::string page_origin_of(const std::optional<model::Client>& client) {
    if (!client || client->native) return "";
    return oauth::origin_of(client->redirect_uris.front()).value_or("");
}

Site make_site(const config::Config& config) {
    crypto::SystemRandom random;
    auto client = find_usable_client(config);
    std::string page_origin = page_origin_of(client);
    return Site{config,
                origin_of_issuer(config.settings.issuer),
                "postern-doctor-" + crypto::random_id(random),
                std::move(client),
                std::move(page_origin),
                "",
                find_enabled_sites(config)};
}

void run_probes(Findings& findings, const Site& site, const WebClient& client, const std::vector<Probe>& probes) {
    for (const Probe& probe : probes) {
        const HttpResponse response = client.send(probe.request);
        if (response.failure == 0) {
            probe.evaluate(findings, site, response);
            continue;
        }
        findings.error(probe.check,
                       probe.request.method + " " + probe.request.url + " was not answered: " + response.message,
                       "see the web server's error log; then run `postern doctor --url` again");
        if (response.failure == kOutOfTime) return;
    }
}

struct PassMessage {
    std::string_view check;
    const char* text;
};

constexpr PassMessage kPassMessages[] = {
    {"key set", "matches jwks.json on disk"},
    {"well-known", "discovery documents are at both locations"},
    {"issuer", "as in the configuration"},
    {"related origin", "the former host lets its passkeys be used here"},
    {"host header", "does not change any response"},
    {"sendfile headers", "request headers cannot trigger X-Sendfile or X-Accel-Redirect"},
    {"arguments", "a query is not passed as program arguments"},
    {"compression", "does not change the documents"},
    {"content length", "arrives"},
    {"subpaths", "are 404"},
    {"Authorization", "the header arrives at each endpoint that reads it"},
    {"request ids", "arrive, and `postern why` explains them"},
    {"client address", "is known of each request"},
    {"chunked bodies", "arrive, or are refused"},
    {"remote user", "made-up names cannot sign in"},
    {"cookies", "arrive unchanged"},
    {"redirects", "lead to the expected URLs"},
    {"headers", "arrive once each and unchanged"},
    {"endpoints", "each is answered by its own program"},
    {"methods", "unsupported methods are refused"},
    {"account", "its pages are answered by their own program"},
    {"recover", "links are opened by their own program"},
    {"sites", "each sends visitors who are not signed in to the sign-in page"},
    {"CORS", "pages can read only the responses meant for them"},
};

/// One "ok" for each check without a finding.
void report_passed(Findings& findings, const std::vector<Probe>& probes) {
    for (const Probe& probe : probes)
        for (const PassMessage& message : kPassMessages)
            if (message.check == probe.check) findings.ok_unless_found(probe.check, message.text);
}

}  // namespace

void check_live_server(Findings& findings, const config::Config& config, const WebAccess& access) {
    try {
        Site site = make_site(config);
        const WebClient client(access, kTotalTime);
        if (!check_connection(findings, site, client)) return;
        check_web_server_version(findings, site);
        for (const auto& probes_of : {document_probes, credential_probes, page_probes, endpoint_probes, site_probes}) {
            const auto probes = probes_of(site);
            run_probes(findings, site, client, probes);
            report_passed(findings, probes);
        }
        if (!site.client)
            findings.warning("cookies",
                             "no client with a redirect URI is enabled, so the start of a sign-in was not tested",
                             "`postern client add`, then run `postern doctor --url` again");
        for (const char* everywhere : {"content length", "headers", "endpoints"})
            report_passed(findings, {{everywhere, {}, nullptr}});
    } catch (const std::system_error& error) {
        findings.error("connection", std::string("the program curl cannot be started: ") + error.what(),
                       "install it (`apt install curl`); --url needs it");
    }
}

std::string fix_for(const Site& site, const Directives& directives) {
    if (site.software.starts_with("Apache")) return "Apache: " + directives.apache;
    if (site.software.starts_with("nginx")) return "nginx: " + directives.nginx;
    if (site.software.starts_with("lighttpd")) return "lighttpd: " + directives.lighttpd;
    return "Apache: " + directives.apache + "; nginx: " + directives.nginx + "; lighttpd: " + directives.lighttpd;
}

bool is_from_postern(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response) {
    if (response.has("X-Request-Id") && response.status != 404) return true;
    const std::string status = std::to_string(response.status);
    if (response.has("X-Request-Id")) {
        findings.error("endpoints", path + " is answered by the program of another path (404)",
                       "give this path to its own program, exactly as in the shipped configuration for the web server");
    } else if (response.status == 500 || response.status == 502 || response.status == 503) {
        findings.error("endpoints",
                       path + " is answered by the web server itself (" + status + "): the program does not run",
                       "the web server's error log has the reason; `postern doctor` as the user of the serving "
                       "processes finds most causes");
    } else {
        findings.error(
            "endpoints", path + " is answered by the web server itself (" + status + ")",
            fix_for(site,
                    {"`ScriptAlias` or `ProxyPass` for this path, as in apache-example.conf",
                     "a `location =` for this path, as in examples/nginx",
                     "a line for this path, as in examples/lighttpd; var.postern_base must be the issuer's path"}));
    }
    return false;
}

void expect_header(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response,
                   const std::string& name, const std::string& value) {
    const auto values = response.all(name);
    if (values.size() == 1 && values.front() == value) return;
    if (values.empty()) {
        findings.warning("headers", path + ": the header " + name + " is removed",
                         fix_for(site, {"remove the `Header unset " + name + "` that holds for this path",
                                        "remove the `fastcgi_hide_header " + name + ";` that holds for this path",
                                        "remove the rule that unsets " + name + " for this path"}));
        return;
    }
    const std::string what = values.size() > 1 ? " arrives " + std::to_string(values.size()) + " times"
                                               : " arrives as \"" + values.front() + "\", not as \"" + value + "\"";
    findings.warning(
        "headers", path + ": the header " + name + what + "; browsers then apply a different rule than intended",
        fix_for(site, {"remove the `Header set/add " + name + "` (or `ExpiresActive On`) that holds for this path",
                       "remove the `add_header " + name + "` (or `expires`) that holds for this path",
                       "remove " + name + " from `setenv.add-response-header` for this path"}));
}

void expect_common_headers(Findings& findings, const Site& site, const std::string& path, const HttpResponse& response,
                           Caching caching) {
    expect_header(findings, site, path, response, "X-Content-Type-Options", "nosniff");
    expect_header(findings, site, path, response, "Referrer-Policy", "no-referrer");
    if (caching == Caching::forbidden) expect_header(findings, site, path, response, "Cache-Control", "no-store");
    // The web server may add its own to all responses; browsers use the first of several (RFC 6797 §8.1).
    if (site.is_https() && !response.has("Strict-Transport-Security"))
        expect_header(findings, site, path, response, "Strict-Transport-Security", "max-age=31536000");
}

std::string text_member(const HttpResponse& response, std::string_view name) {
    const auto value = json::parse(response.body);
    const json::Object* object = value ? value->if_object() : nullptr;
    const json::Value* member = object != nullptr ? object->find(name) : nullptr;
    return member != nullptr && member->if_string() != nullptr ? *member->if_string() : "";
}

}  // namespace postern::cli
