// Checks that clients with a FAPI 2.0 profile fit it, since the configuration may have changed after they were saved.
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "oauth/client_profile.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kClientsLookedAt = 10000;

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

}  // namespace

void check_profiles(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    constexpr std::size_t kNamed = 5;
    std::size_t misfits = 0;
    for (const model::ClientId& id : clients_of_profiles(database, settings)) {
        auto client = store::find_client(database, id);
        if (!client) continue;
        client->keys = store::find_client_keys(database, id);
        const auto problems = oauth::profile_problems(*client, settings);
        if (problems.empty() || ++misfits > kNamed) continue;
        findings.warning(
            "clients",
            "the client " + in_quotes(id.str()) + " does not fit its profile and gets no token: " + problems.front(),
            "change it with " + util::ShellCommand("postern client set").value(id.str()).quoted() +
                ", or the configuration");
    }
    if (misfits > kNamed)
        findings.warning(
            "clients",
            counted(static_cast<std::int64_t>(misfits - kNamed), "more client") + " that do not fit their profile",
            "mend the clients above, and run `postern doctor` again");
}

}  // namespace postern::cli
