// Finds clients that share a problem, and warns of those whose way to authenticate is switched off.
#include "cli/doctor/clients.h"

#include "cli/output.h"
#include "util/shell_command.h"

namespace postern::cli {

FoundClients find_clients(db::Statement row) {
    FoundClients found;
    if (row.step()) row >> found.clients >> found.first;
    return found;
}

void warn_of_method(Findings& findings, db::Database& database, const std::string& method, const std::string& fix) {
    const auto found = find_clients(database.query(
        "SELECT count(*), COALESCE(MIN(id), '') FROM clients WHERE enabled = 1 AND auth_method = $1", method));
    if (found.clients == 0) return;
    findings.warning(
        "clients",
        counted(found.clients, "client") + " with " + method +
            ", which is switched off: no endpoint authenticates them, first of all " + in_quotes(found.first),
        fix + util::ShellCommand("postern client set --auth-method client_secret").value(found.first).text());
}

}  // namespace postern::cli
