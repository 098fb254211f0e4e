// Checks whether the clients of documents fit the configuration, and whether clients whose access tokens need an
// audience have one when a request names none.
#include <algorithm>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "http/url.h"
#include "oauth/client_id_url.h"
#include "store/clients.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

/// So many are kept at most by a sensible `max`; of more, the first are looked at.
constexpr std::int64_t kClientsLookedAt = 10000;

std::vector<std::string> described_clients(db::Database& database) {
    auto row = database.query("SELECT id FROM clients WHERE origin = 'document' AND enabled = 1 ORDER BY id LIMIT $1",
                              kClientsLookedAt);
    std::vector<std::string> ids;
    while (row.step()) row >> ids.emplace_back();
    return ids;
}

bool is_refused(const std::string& id, const oauth::Settings& settings) {
    const auto url = http::parse_url(id);
    return !url || oauth::client_id_host_problem(settings, url->host);
}

void note_switched_off(Findings& findings, const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    findings.warning(
        "clients",
        counted(static_cast<std::int64_t>(ids.size()), "client") +
            " of documents, and clientDocuments is off: no user can sign in to them, and their tokens are "
            "inactive, first of all those of " +
            in_quotes(ids.front()),
        "switch clientDocuments on, or " + util::ShellCommand("postern client remove").value(ids.front()).text());
}

/// Their refresh tokens still work.
void check_refused(Findings& findings, const std::vector<std::string>& ids, const oauth::Settings& settings) {
    const auto refused = std::ranges::count_if(ids, [&](const std::string& id) { return is_refused(id, settings); });
    if (refused == 0) return;
    const auto first = std::ranges::find_if(ids, [&](const std::string& id) { return is_refused(id, settings); });
    findings.warning("clients",
                     counted(refused, "client") +
                         " of documents that clientDocuments does not allow any more: no user can sign in to them, and "
                         "what was granted to them before goes on until it expires, first of all to " +
                         in_quotes(*first),
                     util::ShellCommand("postern client disable").value(*first).text());
}

/// Reports clients with the id of a resource: old databases have them, and no command makes one any more.
void check_resources(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    auto row = database.query(
        "SELECT count(*), COALESCE(MIN(c.id), '') FROM clients c JOIN resource_addresses a ON a.address = c.id"
        " WHERE c.origin = 'document' AND c.enabled = 1");
    std::int64_t clients = 0;
    std::string first;
    if (row.step()) row >> clients >> first;
    const auto client =
        settings.default_resource ? store::find_client_at(database, *settings.default_resource) : std::nullopt;
    if (client && client->origin == model::Origin::document)
        findings.error("clients",
                       "defaultResource is the id of the client " + in_quotes(client->id.str()) +
                           ", which a document describes: no user can sign in to it",
                       "give the API another URI in defaultResource");
    if (clients == 0) return;
    findings.error(
        "clients",
        counted(clients, "client") +
            " of documents whose id is the URI of a resource: no user can sign in, and there are no tokens for "
            "the resource, first of all " +
            in_quotes(first),
        "add the resource under another URI, and remove this one with `postern resource remove`");
}

/// The first of the clients, and how many there are.
struct Found {
    std::int64_t clients = 0;
    std::string first;
};

Found find(db::Statement row) {
    Found found;
    if (row.step()) row >> found.clients >> found.first;
    return found;
}

void warn(Findings& findings, const Found& found, const std::string& problem, const std::string& fix) {
    if (found.clients == 0) return;
    findings.warning("clients", counted(found.clients, "client") + problem + ", first of all " + in_quotes(found.first),
                     fix);
}

std::string set_resource(const Found& found) {
    return util::ShellCommand("postern client set --default-resource URI").value(found.first).text();
}

}  // namespace

void check_client_documents(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    const auto ids = described_clients(database);
    if (!settings.client_documents.enabled) return note_switched_off(findings, ids);
    check_resources(findings, database, settings);
    check_refused(findings, ids, settings);
    const auto most = static_cast<std::size_t>(settings.client_documents.max);
    if (ids.size() * 10 >= most * 9)
        findings.warning(
            "clients",
            counted(static_cast<std::int64_t>(ids.size()), "client") + " of documents, and clientDocuments.max is " +
                std::to_string(most),
            "raise clientDocuments.max, name hosts in clientDocuments.allow, or shorten clientDocuments.ttl");
}

void check_audiences(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    // A configuration whose own profile is rfc9068 does not start without a default.
    if (!settings.default_resource) {
        const auto found =
            find(database.query("SELECT count(*), COALESCE(MIN(id), '') FROM clients WHERE enabled = 1 AND"
                                " access_token_profile = 'rfc9068' AND default_resource = '' AND resources = ''"));
        warn(findings, found,
             " with tokens of profile rfc9068 and no default resource: a request that names no resource is refused",
             "set defaultResource in the configuration, or " + set_resource(found));
    }
    const auto found =
        find(database.query("SELECT count(*), COALESCE(MIN(c.id), '') FROM clients c JOIN resources r"
                            " ON r.uri = c.default_resource WHERE c.enabled = 1 AND r.enabled = 0"));
    warn(findings, found, " whose default resource is disabled: a request that names no resource is refused",
         "postern resource list shows it; enable it, or " + set_resource(found));
}

}  // namespace postern::cli
