// Checks whether applications will find in the users' claims what they commonly require and may trust, and whether each
// has a user.
#include <set>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "store/groups.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

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
