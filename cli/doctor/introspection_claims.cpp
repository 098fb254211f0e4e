// Checks whether the claims that introspection tells an API are there, and whether it may take them for the operator's
// word: a mail server opens the mailbox that one names.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "model/claim_names.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kClientsLookedAt = 1000;
constexpr std::int64_t kUsersLookedAt = 100000;
/// A user can change it only to an address that is proved by a message.
constexpr const char* kEmail = "email";

struct Api {
    std::string id;
    model::ClaimNames claims;
};

std::vector<Api> list_apis(db::Database& database) {
    auto row = database.query(
        "SELECT id, introspection_claims FROM clients WHERE introspection_claims <> '' AND enabled = 1"
        " ORDER BY id LIMIT $1",
        kClientsLookedAt);
    std::vector<Api> apis;
    while (row.step()) {
        std::string names;
        row >> apis.emplace_back().id >> names;
        apis.back().claims = model::parse_claim_names(names);
    }
    return apis;
}

std::string forget(const Api& api) {
    return util::ShellCommand("postern client set --no-introspection-claim").value(api.id).quoted();
}

void check_released(Findings& findings, const Api& api, const oauth::Settings& settings) {
    for (const std::string& name : api.claims)
        if (!settings.released_claims.contains(name))
            findings.warning("clients",
                             "client " + in_quotes(api.id) + " is to be told " + in_quotes(name) +
                                 " at introspection, and no scope releases this claim: it is not told",
                             "name a scope for it in scopeClaims, or " + forget(api));
}

void check_editable(Findings& findings, const Api& api, const oauth::Settings& settings) {
    if (!settings.paths.account) return;
    for (const std::string& name : settings.account.editable_claims)
        if (name != kEmail && api.claims.contains(name))
            findings.warning("clients",
                             "client " + in_quotes(api.id) + " is told " + in_quotes(name) +
                                 " at introspection, which account.editableClaims lets users change: they choose what "
                                 "the API is told",
                             "remove " + in_quotes(name) + " from account.editableClaims, or " + forget(api));
}

/// Nothing here demands that an address is of one user.
void check_shared_addresses(Findings& findings, db::Database& database, const std::vector<Api>& apis) {
    const auto api = std::ranges::find_if(apis, [](const Api& each) { return each.claims.contains(kEmail); });
    if (api == apis.end()) return;
    auto row = database.query(
        "SELECT count(*), COALESCE(MIN(one), ''), COALESCE(MIN(other), '') FROM (SELECT MIN(username) AS one,"
        " MAX(username) AS other FROM (SELECT username, email_key FROM users WHERE email_key <> '' AND enabled = 1"
        " ORDER BY email_key LIMIT $1) AS looked_at GROUP BY email_key HAVING count(*) > 1) AS alike",
        kUsersLookedAt);
    std::int64_t addresses = 0;
    std::string one, other;
    if (row.step()) row >> addresses >> one >> other;
    if (addresses == 0) return;
    findings.warning("clients",
                     "client " + in_quotes(api->id) +
                         " is told users' addresses at introspection, and users with the same one, "
                         "such as " +
                         in_quotes(one) + " and " + in_quotes(other) + ", are one person to it (" +
                         std::to_string(addresses) + " in all)",
                     "an address of their own for each: " +
                         util::ShellCommand("postern user set --claim email=ADDRESS").value(other).text());
}

}  // namespace

void check_introspection_claims(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (!settings.oidc) return;
    const auto apis = list_apis(database);
    for (const Api& api : apis) {
        check_released(findings, api, settings);
        check_editable(findings, api, settings);
    }
    check_shared_addresses(findings, database, apis);
}

}  // namespace postern::cli
