// Checks what a database server says of itself, and how the programs reach it.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "db/maintenance.h"
#include "util/percent.h"
#include "util/shell_command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr const char* kServer = "server";

constexpr Query kQueries[] = {
    {kServer, State::error,
     "SELECT current_setting('server_version') WHERE CAST(current_setting('server_version_num') AS integer) < 130000",
     "the server is PostgreSQL $1", "upgrade it to PostgreSQL 13 or later"},
    {kServer, State::error,
     "SELECT pg_encoding_to_char(encoding) FROM pg_database"
     " WHERE datname = current_database() AND pg_encoding_to_char(encoding) <> 'UTF8'",
     "the database has the encoding $1, in which names of users cannot all be stored",
     "create a database with ENCODING 'UTF8' TEMPLATE template0, and move there with `postern migrate --to`"},
    {kServer, State::error,
     "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name",
     "$1 is off: after a power failure the database is damaged, or revoked tokens are valid again",
     "ALTER SYSTEM RESET $1, remove it from postgresql.conf, and restart the server"},
    {kServer, State::error, "SELECT 'synchronous_commit' WHERE current_setting('synchronous_commit') = 'off'",
     "$1 is off: what was revoked in the last second before a crash is valid again",
     "ALTER SYSTEM RESET $1; SELECT pg_reload_conf(); see with \\drds whether it is set for the database or a role"},
    {kServer, State::error,
     "SELECT 'client_min_messages' WHERE current_setting('client_min_messages') IN ('error', 'fatal', 'panic')",
     "$1 hides warnings: a commit whose wait for a standby was cancelled is answered as if it were safe",
     "ALTER SYSTEM RESET $1; SELECT pg_reload_conf(); see with \\drds whether it is set for the database or a role"},
    {kServer, State::warning,
     "SELECT count(*) FROM pg_stat_replication WHERE current_setting('synchronous_standby_names') = ''"
     " HAVING count(*) > 0",
     "$1 standby servers follow, and none is synchronous: a failover loses what was acknowledged last",
     "set synchronous_standby_names, or synchronous_mode in Patroni"},
    {kServer, State::error,
     "SELECT current_setting('synchronous_commit') WHERE current_setting('synchronous_standby_names') <> ''"
     " AND current_setting('synchronous_commit') IN ('local', 'remote_write')",
     "synchronous_commit is $1: a commit is acknowledged before a standby has it on disk",
     "ALTER SYSTEM RESET synchronous_commit; SELECT pg_reload_conf()"},
};

/// Through a network the driver asks for verify-full unless the URI says something else; libpq takes the last of
/// several.
bool is_name_checked(const std::string& uri) {
    constexpr std::string_view kMode = "sslmode=";
    std::optional<std::string> mode = "verify-full";
    const auto query = uri.find('?');
    if (query == uri.npos) return true;
    for (const std::string_view parameter : util::split(std::string_view(uri).substr(query + 1), '&')) {
        if (parameter.starts_with(kMode)) mode = util::form_decode(parameter.substr(kMode.size()));
    }
    return mode == "verify-full";
}

/// On the way through a network. What libpq was told, because a server does not know whether it was checked.
void check_tls(Findings& findings, db::Database& database, const std::string& uri) {
    // pg_stat_ssl shows this connection to the role that logged in, and the command acts as the owner of the tables.
    const db::Snapshot snapshot(database);
    database.prepare("SET LOCAL ROLE NONE").step();
    auto row = database.prepare(
        "SELECT s.ssl FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid() AND inet_server_addr() IS NOT NULL"
        " AND NOT inet_server_addr() <<= inet '127.0.0.0/8' AND inet_server_addr() <> inet '::1'");
    if (!row.step()) return;
    bool is_encrypted = false;
    row >> is_encrypted;
    if (is_encrypted && is_name_checked(uri)) return;
    findings.error(kServer,
                   is_encrypted ? "the connection is encrypted, but the server's name is not checked: another server "
                                  "can pretend to be it"
                                : "the connection is not encrypted: who can read the network reads digests and names, "
                                  "and can change them",
                   "set ssl = on at the server, and sslmode=verify-full with sslrootcert=FILE in the URI");
}

void check_server_clock(Findings& findings, db::Database& database) {
    const auto offset = db::clock_offset(database);
    const auto apart = std::chrono::abs(offset);
    if (apart <= db::kClockWarning) return;
    const util::Time ours = now();
    const util::Time theirs = ours - std::chrono::round<util::Seconds>(offset);
    findings.add({"clock", apart > db::kClockLimit ? State::error : State::warning,
                  "the clock says " + to_text(ours) + ", and that of the database server " + to_text(theirs),
                  "set both with NTP (`timedatectl set-ntp true`): tokens expire earlier or later by the difference"});
}

/// The message when no server can be used, and its fix.
struct Reason {
    std::string_view said;
    const char* fix;
};
constexpr Reason kReasons[] = {
    {"read-only",
     "name the primary in \"database\", or all servers (postgresql://HOST1,HOST2/...): this one is a standby, "
     "or default_transaction_read_only is on"},
    {"hot standby", "name the primary in \"database\", or all servers: this one is a standby"},
    {"too many", "raise max_connections at the server, or run fewer processes"},
    {"remaining connection slots", "raise max_connections at the server, or run fewer processes"},
    {"pg_hba.conf", "let this role connect from this machine, in pg_hba.conf of the server"},
    {"Peer authentication failed",
     "map the user of the system to the role in pg_ident.conf of the server, with peer map=... in pg_hba.conf"},
    {"no password supplied",
     "name a file with passfile= that has a line for this host, database and role; libpq does not read one that is "
     "missing, that belongs to another user, or whose mode is not 0600"},
    {"authentication failed", "correct the password file (passfile=) or the certificate of the role"},
    {"certificate",
     "name the certificate authority of the server with sslrootcert=FILE, and check the host's name in the "
     "server's certificate"},
    {"does not support SSL", "set ssl = on at the server"},
    {"does not exist", "create the role and the database, or correct \"database\""},
};

/// Replaces $1 and $2 in `text` by the first and the second of `values`.
std::string filled(std::string_view text, const std::array<std::string, 2>& values) {
    std::string all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '1' || text[i + 1] == '2'))
            all += values[static_cast<std::size_t>(text[++i] - '1')];
        else
            all += text[i];
    }
    return all;
}

}  // namespace

/// A role or a database can have any name, and the fix is there to be copied into psql.
void add_each(Findings& findings, const Query& query, db::Statement rows) {
    const bool has_two = std::string_view(query.detail).find("$2") != std::string_view::npos;
    while (rows.step()) {
        const std::array values = {rows.text(0), has_two ? rows.text(1) : ""};
        const std::array names = {util::sql_identifier(values[0]), util::sql_identifier(values[1])};
        findings.add({query.check, query.state, filled(query.detail, values), filled(query.fix, names)});
    }
}

void check_server(Findings& findings, db::Database& database, const std::string& uri) {
    check_tls(findings, database, uri);
    for (const Query& query : kQueries) add_each(findings, query, database.query(query.sql));
    check_roles(findings, database);
    check_server_clock(findings, database);
    findings.ok_unless_found(kServer, "durable, and encrypted where it is on another machine");
}

const char* fix_of_connection(const std::string& reason) {
    for (const Reason& each : kReasons) {
        if (reason.find(each.said) != reason.npos) return each.fix;
    }
    return "start the database server, or correct \"database\"";
}

}  // namespace postern::cli
