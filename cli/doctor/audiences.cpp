// Checks whether clients whose access tokens need an audience still have one when a request names none.
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

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
