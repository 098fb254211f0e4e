// Checks that sites can be protected, and that none of them is sent the cookies of this server.
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "gate/site.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kSitesLookedAt = 10000;

struct Named {
    std::string id;
    std::string url;
};

std::vector<Named> enabled_sites(db::Database& database) {
    auto row = database.query(
        "SELECT c.id, s.url FROM sites s JOIN clients c ON c.id = s.client_id WHERE c.enabled = 1 ORDER BY c.id LIMIT $1",
        kSitesLookedAt);
    std::vector<Named> sites;
    while (row.step()) {
        Named& site = sites.emplace_back();
        row >> site.id >> site.url;
    }
    return sites;
}

}  // namespace

void check_sites(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    const auto sites = enabled_sites(database);
    if (sites.empty()) return;
    if (!settings.paths.gate)
        findings.error("sites",
                       counted(static_cast<std::int64_t>(sites.size()), "site") + ", such as " +
                           in_quotes(sites.front().id) +
                           ", and no gate: paths.gate is not set, so every request for one is refused",
                       "name paths.gate in the configuration, and start the program gate");
    for (const Named& site : sites) {
        if (!gate::is_on_issuer_host(gate::url_of({.url = site.url, .max_age = {}, .session_ttl = {}}),
                                     settings.issuer))
            continue;
        findings.warning(
            "sites",
            "the site " + in_quotes(site.id) +
                " has the issuer's host, so that the application is sent the cookies of this server and can "
                "act with the accounts of all its users",
            "give it a name of its own: " + util::ShellCommand("postern site set --url URL").value(site.id).text());
    }
}

}  // namespace postern::cli
