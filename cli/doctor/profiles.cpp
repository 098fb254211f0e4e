// Checks that clients with a FAPI 2.0 profile fit it, since the configuration may have changed after they were saved.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "fetch/document.h"
#include "jose/client_keys.h"
#include "oauth/client_profile.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kClientsLookedAt = 10000;
constexpr std::size_t kNamed = 5;

/// The enabled clients that may have a profile.
std::vector<model::ClientId> clients_of_profiles(db::Database& database, const oauth::Settings& settings) {
    const bool is_of_all = settings.security_profile != model::SecurityProfile::none;
    auto row = database.query(
        "SELECT id FROM clients WHERE enabled = 1 AND ($2 = 1 OR details LIKE '%\"profile\"%') ORDER BY id LIMIT $1",
        kClientsLookedAt, is_of_all);
    std::vector<model::ClientId> ids;
    while (row.step()) row >> ids.emplace_back();
    return ids;
}

bool is_for_profiles(const jose::ClientKey& key) {
    return !key.algorithm || oauth::is_profile_algorithm(*key.algorithm);
}

/// A published set may serve other servers as well, so that one key that fits is enough. False before it was fetched.
bool publishes_others_alone(db::Database& database, const std::string& jwks_uri) {
    const auto kept = fetch::find_document(database, fetch::Purpose::jwks, jwks_uri);
    if (!kept) return false;
    const auto keys = jose::parse_client_keys(kept->body);
    return keys && std::ranges::none_of(*keys, is_for_profiles);
}

/// nullopt: the client fits its profile, or has none.
std::optional<Finding> misfit_of(db::Database& database, model::Client& client, const oauth::Settings& settings) {
    const std::string name = in_quotes(client.id.str());
    const std::string set = util::ShellCommand("postern client set").value(client.id.str()).quoted();
    client.keys = store::find_client_keys(database, client.id);
    if (const auto problems = oauth::profile_problems(client, settings); !problems.empty())
        return Finding{"clients", State::warning,
                       "the client " + name + " does not fit its profile: " + problems.front(),
                       "change it with " + set + ", or the configuration"};
    if (client.keys && !client.keys->jwks_uri.empty() && publishes_others_alone(database, client.keys->jwks_uri))
        return Finding{
            "clients", State::warning,
            "no key at " + in_quotes(client.keys->jwks_uri) + " signs as the profile of the client " + name +
                " wants it: by ES256, PS256 or EdDSA",
            "the client's operator has to add a key there, or to give you another set for " + set + " and --jwks FILE"};
    return std::nullopt;
}

}  // namespace

void check_profiles(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    std::size_t misfits = 0;
    for (const model::ClientId& id : clients_of_profiles(database, settings)) {
        auto client = store::find_client(database, id);
        if (!client || !oauth::has_security_profile(settings, *client)) continue;
        auto misfit = misfit_of(database, *client, settings);
        if (misfit && ++misfits <= kNamed) findings.add(*std::move(misfit));
    }
    if (misfits > kNamed)
        findings.warning(
            "clients",
            counted(static_cast<std::int64_t>(misfits - kNamed), "more client") + " that do not fit their profile",
            "mend the clients above, and run `postern doctor` again");
}

}  // namespace postern::cli
