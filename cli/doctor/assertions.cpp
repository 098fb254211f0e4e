// Checks the clients that authenticate by a JWT, and the place where its use is remembered.
#include <string>

#include "cli/doctor/clients.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "db/database.h"
#include "os/file.h"
#include "util/shell_command.h"

namespace postern::cli {
void check_place_of_marks(Findings& findings, const config::Config& config) {
    const bool are_there = config.settings.assertions.enabled || config.settings.dpop;
    if (!are_there || db::is_uri(config.database)) return;
    const std::string directory = os::directory_of(config.replay_file(store::ReplayKind::assertion));
    const auto network = os::network_file_system_of(directory);
    if (!network) return;
    findings.error("file system",
                   directory + " is on a network file system (" + std::string(*network) +
                       "), where two processes could take the same assertion or proof",
                   "let it be on a local disk");
}

void check_assertions(Findings& findings, db::Database& database, const config::Config& config) {
    const oauth::Settings& settings = config.settings;
    if (!settings.assertions.enabled)
        return warn_of_method(findings, database, "private_key_jwt",
                              "set \"clientAssertions\": true in the configuration, or ");
    if (settings.outbound.enabled) return;
    const auto found = find_clients(
        database.query("SELECT count(*), COALESCE(MIN(client_id), '') FROM client_keys WHERE jwks_uri <> ''"));
    if (found.clients > 0)
        findings.warning(
            "clients",
            counted(found.clients, "client") +
                " with keys at a jwks_uri, and \"outbound\" is off: none can be fetched, first of all those of " +
                in_quotes(found.first),
            "switch outbound on, or " + util::ShellCommand("postern client set --jwks FILE").value(found.first).text());
}

}  // namespace postern::cli
