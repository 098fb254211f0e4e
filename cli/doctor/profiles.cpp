// Checks that clients with a FAPI 2.0 profile fit it, since the configuration may have changed after they were saved,
// and that keys sign for them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "fetch/document.h"
#include "keys/keys.h"
#include "oauth/client_profile.h"
#include "oauth/signed_response.h"
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

/// The keys that are registered, or those that were fetched last from where they are published.
std::optional<model::ClientKeys> keys_of(db::Database& database, const model::ClientId& id) {
    auto keys = store::find_client_keys(database, id);
    if (!keys || keys->jwks_uri.empty()) return keys;
    const auto kept = fetch::find_document(database, fetch::Purpose::jwks, keys->jwks_uri);
    if (kept) keys->jwks = kept->body;
    return keys;
}

/// nullopt: the client fits its profile, or has none. `client` was read without its keys.
std::optional<Finding> misfit_of(db::Database& database, model::Client& client, const oauth::Settings& settings) {
    const std::string name = in_quotes(client.id.str());
    const std::string set = util::ShellCommand("postern client set").value(client.id.str()).quoted();
    if (const auto problems = oauth::profile_problems(client, settings); !problems.empty())
        return Finding{"clients", State::warning,
                       "the client " + name + " does not fit its profile and gets no token: " + problems.front(),
                       "change it with " + set + ", or the configuration"};
    client.keys = keys_of(database, client.id);
    const auto problems = oauth::profile_problems(client, settings);
    if (problems.empty()) return std::nullopt;
    const bool is_published = client.keys && !client.keys->jwks_uri.empty();
    return Finding{"clients", State::warning,
                   "the keys of the client " + name +
                       (is_published ? " at " + in_quotes(client.keys->jwks_uri) : std::string()) +
                       " do not fit its profile: " + problems.front(),
                   is_published ? "the client's operator has to change the set there, or to give you another one for " +
                                      set + " and --jwks FILE"
                                : "change them with " + set};
}

/// The clients that wait for the signatures of an algorithm.
struct Waiting {
    std::int64_t clients = 0;
    std::string first;
};
using WaitingFor = std::map<crypto::Algorithm, Waiting>;

/// F2-R9. Nothing signs for a client that gets no code.
std::set<crypto::Algorithm> wanted_algorithms(const model::Client& client, const oauth::Settings& settings) {
    if (!settings.oidc || !client.has_grant(model::GrantType::authorization_code)) return {};
    std::set algorithms = {oauth::wanted_id_token_algorithm(settings, client)};
    if (settings.jarm) algorithms.insert(oauth::wanted_response_algorithm(settings, client));
    return algorithms;
}

bool has_active(const std::vector<keys::KeyInfo>& keys, crypto::Algorithm algorithm) {
    return std::ranges::any_of(keys, [&](const keys::KeyInfo& key) {
        return key.algorithm == algorithm && key.state == keys::KeyState::active;
    });
}

void check_signatures(Findings& findings, const WaitingFor& waiting, const std::string& directory, util::Time now) {
    if (waiting.empty()) return;
    try {
        const auto keys = keys::Keys::list(directory, now);
        for (const auto& [algorithm, clients] : waiting) {
            if (has_active(keys, algorithm)) continue;
            findings.error("clients",
                           "no key of " + std::string(crypto::to_string(algorithm)) +
                               " signs now, and that is the algorithm of ID tokens or signed answers for " +
                               counted(clients.clients, "client") +
                               " with a profile: no user can sign in, first of "
                               "all to " +
                               in_quotes(clients.first),
                           "postern key repair");
        }
    } catch (const keys::KeyError&) {  // reported by check_keys
    }
}

}  // namespace

void check_profiles(Findings& findings, db::Database& database, const config::Config& config, util::Time now) {
    const oauth::Settings& settings = config.settings;
    std::size_t misfits = 0;
    WaitingFor waiting;
    for (const model::ClientId& id : clients_of_profiles(database, settings)) {
        auto client = store::find_client(database, id);
        if (!client || !oauth::has_security_profile(settings, *client)) continue;
        for (const crypto::Algorithm algorithm : wanted_algorithms(*client, settings)) {
            if (!oauth::is_profile_algorithm(algorithm) || !settings.offers_id_tokens_by(algorithm))
                continue;  // a misfit
            if (waiting[algorithm].clients++ == 0) waiting[algorithm].first = id.str();
        }
        auto misfit = misfit_of(database, *client, settings);
        if (misfit && ++misfits <= kNamed) findings.add(*std::move(misfit));
    }
    if (misfits > kNamed)
        findings.warning(
            "clients",
            counted(static_cast<std::int64_t>(misfits - kNamed), "more client") + " that do not fit their profile",
            "mend the clients above, and run `postern doctor` again");
    check_signatures(findings, waiting, config.keys, now);
}

}  // namespace postern::cli
