// Checks that clients fit the configuration and have users, and that users have the claims that applications require
// and may trust.
#include <algorithm>
#include <set>

#include "cli/doctor/clients.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "http/url.h"
#include "oauth/client_id_url.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "store/clients.h"
#include "store/groups.h"
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
                         "their refresh tokens work until they expire; the first of these clients is " +
                         in_quotes(*first),
                     util::ShellCommand("postern client disable").value(*first).text());
}

/// Reports clients with the id of a resource: old databases have them, and no command makes one any more.
void check_resources(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    const auto [clients, first] = find_clients(database.query(
        "SELECT count(*), COALESCE(MIN(c.id), '') FROM clients c JOIN resource_addresses a ON a.address = c.id"
        " WHERE c.origin = 'document' AND c.enabled = 1"));
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

void warn(Findings& findings, const FoundClients& found, const std::string& problem, const std::string& fix) {
    if (found.clients == 0) return;
    findings.warning("clients", counted(found.clients, "client") + problem + ", first of all " + in_quotes(found.first),
                     fix);
}

std::string set_resource(const FoundClients& found) {
    return util::ShellCommand("postern client set --default-resource URI").value(found.first).text();
}

// The walk over the table is bounded; so many show what a hint is about.
constexpr std::int64_t kUsersLookedAt = 100000;

struct Emails {
    std::int64_t users = 0;
    std::int64_t unverified = 0;  ///< with `email` and without `email_verified`, be it true or false
};

/// Claims are stored without white space, and quotation marks in their texts are escaped: a name with its colon is
/// found only where it is the name of a claim.
Emails count_emails(db::Database& database) {
    auto row = database.query(
        "SELECT count(*), count(CASE WHEN claims LIKE '%\"email\":%' AND claims NOT LIKE '%\"email\\_verified\":%' "
        "ESCAPE '\\' THEN 1 END) FROM (SELECT claims FROM users LIMIT $1) AS looked_at",
        kUsersLookedAt);
    Emails emails;
    if (row.step()) row >> emails.users >> emails.unverified;
    return emails;
}

void check_emails(Findings& findings, db::Database& database) {
    const Emails emails = count_emails(database);
    if (emails.unverified == 0) return;
    const std::string all = (emails.users < kUsersLookedAt ? "" : "the first ") + std::to_string(emails.users);
    findings.ok("users",
                std::to_string(emails.unverified) + " of " + all +
                    " users have an `email` without `email_verified`, and some applications refuse them; once you know "
                    "that an address is the user's own, `postern user set NAME --claim email_verified=true` says so "
                    "(for many users: `postern user import --update --email-verified FILE`)");
}

/// Earlier releases stored the claim, and released it to no client.
void check_stored_groups(Findings& findings, db::Database& database) {
    auto row = database.query(
        "SELECT count(*) FROM (SELECT claims FROM users LIMIT $1) AS looked_at WHERE claims LIKE '%\"groups\":%'",
        kUsersLookedAt);
    if (!row.step() || row.integer(0) == 0) return;
    findings.ok("users", counted(row.integer(0), "user") +
                             " with a stored claim `groups`, which no application is told: `postern group member add` "
                             "makes memberships, `postern user set NAME --unset-claim groups` removes the claim");
}

/// A group that is not there has no members, whatever the directory says; the login goes on without it.
void check_mapped_groups(Findings& findings, db::Database& database, const login::Settings& login) {
    if (!login.groups_from_environment) return;
    std::set<std::string> names;
    for (const auto& [value, group] : login.groups_from_environment->groups) names.insert(group);
    for (const std::string& name : names) {
        if (store::find_group(database, name)) continue;
        findings.warning("groups",
                         "login.groupsFromEnvironment names the group " + in_quotes(name) +
                             ", which is not there, so that no user is in it",
                         name.starts_with('-') ? "name another group: none that is made now can begin with -"
                                               : util::ShellCommand("postern group add").value(name).text());
    }
}

/// A client is told under a name of its own what users write themselves, and may take it for the operator's word.
void check_editable_claims(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (!settings.paths.account) return;
    for (const std::string& name : settings.account.editable_claims)
        for (const auto& [client, claim] : store::find_claims_of(database, {model::SourceKind::claim, name}))
            findings.warning(
                "clients",
                "client " + in_quotes(client.str()) + " is told " + in_quotes(claim.name) + " from the claim " +
                    in_quotes(name) +
                    ", which account.editableClaims lets users change: they choose what the application "
                    "is told",
                "remove " + in_quotes(name) + " from account.editableClaims, or " +
                    util::ShellCommand("postern client claim remove").value(client.str()).value(claim.name).quoted());
}

/// One who types the name of two users in a third way is neither of them, and where something else than Postern checks
/// the password, both may be one person to it (docs/decisions/0101).
void check_names(Findings& findings, db::Database& database, const login::Settings& login) {
    auto row = database.query(
        "SELECT count(*), COALESCE(MIN(one), ''), COALESCE(MIN(other), '') FROM (SELECT MIN(username) AS one,"
        " MAX(username) AS other FROM (SELECT username FROM users ORDER BY lower(username) LIMIT $1) AS looked_at"
        " GROUP BY lower(username) HAVING count(*) > 1) AS alike",
        kUsersLookedAt);
    std::int64_t names = 0;
    std::string one, other;
    if (row.step()) row >> names >> one >> other;
    if (names == 0) return;
    const std::string what = counted(names, "name") +
                             " of two users or more who differ in the case of letters alone, " + "first of all " +
                             in_quotes(one) + " and " + in_quotes(other);
    if (login.method == login::Method::password) return findings.ok("users", what);
    findings.warning("users", what + ": a directory that takes a name in any case has one person for them",
                     "one user for each person: " + util::ShellCommand("postern user disable").value(other).quoted() +
                         ", or rename one of them");
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

void check_open_registrations(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (settings.registration.mode != oauth::RegistrationMode::open) {
        const auto found =
            find_clients(database.query("SELECT count(*), COALESCE(MIN(id), '') FROM clients"
                                        " WHERE origin = 'dynamic' AND registered_by = '' AND enabled = 1"));
        return warn(findings, found,
                    " that registered without a token, and registration.mode is not \"open\": no user can sign in to "
                    "them, and their tokens are inactive",
                    "set registration.mode to \"open\", or " +
                        util::ShellCommand("postern client remove").value(found.first).text());
    }
    const std::int64_t count = store::count_open_registrations(database);
    if (count * 10 >= std::int64_t{settings.registration.max} * 9)
        findings.warning("clients",
                         counted(count, "client") + " that registered without a token, and registration.max is " +
                             std::to_string(settings.registration.max),
                         "raise registration.max, or shorten registration.ttl");
}

void check_device_grant(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (settings.paths.device) return;
    const auto found =
        find_clients(database.query("SELECT count(*), COALESCE(MIN(id), '') FROM clients WHERE enabled = 1 AND"
                                    " ' ' || grants || ' ' LIKE '% urn:ietf:params:oauth:grant-type:device_code %'"));
    warn(findings, found, " with the device grant, which is switched off: their devices get no tokens",
         "name paths.deviceAuthorization and paths.device in the configuration, or " +
             util::ShellCommand("postern client set --grant GRANT").value(found.first).text());
}

void check_audiences(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    // A configuration whose own profile is rfc9068 does not start without a default.
    if (!settings.default_resource) {
        const auto found = find_clients(
            database.query("SELECT count(*), COALESCE(MIN(id), '') FROM clients WHERE enabled = 1 AND"
                           " access_token_profile = 'rfc9068' AND default_resource = '' AND resources = ''"));
        warn(findings, found,
             " with tokens of profile rfc9068 and no default resource: a request that names no resource is refused",
             "set defaultResource in the configuration, or " + set_resource(found));
    }
    const auto found =
        find_clients(database.query("SELECT count(*), COALESCE(MIN(c.id), '') FROM clients c JOIN resources r"
                                    " ON r.uri = c.default_resource WHERE c.enabled = 1 AND r.enabled = 0"));
    warn(findings, found, " whose default resource is disabled: a request that names no resource is refused",
         "postern resource list shows it; enable it, or " + set_resource(found));
}

void check_users(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    for (const model::ClientId& id : store::unusable_clients(database))
        findings.warning("clients",
                         "client " + in_quotes(id.str()) + " is for no group and no user, so no user can use it",
                         util::ShellCommand("postern client set").value(id.str()).quoted() +
                             " with --allow-group, --allow-user or --allow-everyone");
    check_mapped_groups(findings, database, settings.login);
    check_names(findings, database, settings.login);
    if (!settings.oidc) return;
    check_editable_claims(findings, database, settings);
    check_emails(findings, database);
    check_stored_groups(findings, database);
}

}  // namespace postern::cli
