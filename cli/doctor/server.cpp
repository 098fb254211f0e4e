// Checks what a database server says of itself, of its roles and of its load.
#include <optional>

#include "cli/doctor/query.h"
#include "cli/output.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr const char* kServer = "server";
constexpr const char* kRole = "role";
constexpr const char* kLoad = "server load";

// Roles of the endpoints. The command's may do more, and the owner of the tables cannot log in.
#define POSTERN_ENDPOINT_ROLES \
    " pg_roles r WHERE r.rolname LIKE 'postern\\_%' AND r.rolcanlogin AND r.rolname <> 'postern_admin'"

// What a role gets without asking: set for it in this database, for it, for this database or for all. NULL: nothing.
#define POSTERN_SET_TO(role, name)                                                                              \
    " (SELECT lower(split_part(c, '=', 2)) FROM pg_db_role_setting s, unnest(s.setconfig) c WHERE s.setrole IN" \
    " (0, " role                                                                                                \
    ") AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"              \
    " AND split_part(c, '=', 1) = " name " ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1)"
#define POSTERN_COMMIT POSTERN_SET_TO("r.oid", "'synchronous_commit'")
#define POSTERN_MESSAGES POSTERN_SET_TO("r.oid", "'client_min_messages'")
#define POSTERN_TIMEOUT POSTERN_SET_TO("r.oid", "t.name")
#define POSTERN_OWN_TIMEOUT POSTERN_SET_TO("(SELECT oid FROM pg_roles WHERE rolname = session_user)", "t.name")

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
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND" POSTERN_COMMIT
     " IN ('off', 'false', 'no', '0') ORDER BY r.rolname",
     "synchronous_commit is off for the role $1: what it revokes can be lost in a crash",
     "ALTER ROLE $1 RESET synchronous_commit; see with \\drds whether it is set for the role in this database"},
    {kServer, State::error,
     "SELECT r.rolname," POSTERN_COMMIT " FROM" POSTERN_ENDPOINT_ROLES
     " AND current_setting('synchronous_standby_names') <> '' AND" POSTERN_COMMIT
     " IN ('local', 'remote_write') ORDER BY r.rolname",
     "synchronous_commit is $2 for the role $1: its commits are acknowledged before a standby has them on disk",
     "ALTER ROLE $1 RESET synchronous_commit; see with \\drds whether it is set for the role in this database"},
    {kServer, State::error,
     "SELECT 'client_min_messages' WHERE current_setting('client_min_messages') IN ('error', 'fatal', 'panic')",
     "$1 hides warnings: a commit whose wait for a standby was cancelled is answered as if it were safe",
     "ALTER SYSTEM RESET $1; SELECT pg_reload_conf(); see with \\drds whether it is set for the database or a role"},
    {kServer, State::error,
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND" POSTERN_MESSAGES
     " IN ('error', 'fatal', 'panic') ORDER BY r.rolname",
     "client_min_messages hides warnings from the role $1: a commit whose wait for a standby was cancelled is answered "
     "as if it were safe",
     "ALTER ROLE $1 SET client_min_messages = warning"},
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
    {kServer, State::warning,
     "SELECT current_setting('default_transaction_isolation')"
     " WHERE current_setting('default_transaction_isolation') <> 'read committed'",
     "default_transaction_isolation is $1: Postern asks for READ COMMITTED itself, other programs may fail on conflicts",
     "ALTER DATABASE ... RESET default_transaction_isolation, where it is set"},
    {kRole, State::warning, "SELECT rolname FROM pg_roles WHERE rolname = current_user AND rolsuper",
     "$1 is a superuser: who takes over a program of Postern has the whole server",
     "make a role for Postern that owns the tables or has rights to them, and name it in the URI (user=)"},
    {kRole, State::error,
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES
     " AND (r.rolsuper OR r.rolcreaterole OR has_schema_privilege(r.oid, current_schema(), 'CREATE'))"
     " ORDER BY r.rolname",
     "$1 may create tables or roles, which no endpoint needs",
     "ALTER ROLE $1 NOSUPERUSER NOCREATEROLE; REVOKE CREATE ON SCHEMA public FROM PUBLIC, $1"},
    {kRole, State::error,
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND r.rolname NOT IN ('postern_login', 'postern_account')"
     " AND has_column_privilege(r.oid, 'users', 'password_hash', 'SELECT')"
     " ORDER BY r.rolname",
     "$1 may read the password hashes, which only login and account need",
     "REVOKE SELECT ON users FROM $1, then grant it on the other columns that it needs"},
    {kRole, State::warning,
     "SELECT string_agg(r.rolname, ', ' ORDER BY r.rolname), t.name"
     " FROM (SELECT oid, rolname FROM" POSTERN_ENDPOINT_ROLES
     " UNION SELECT oid, rolname FROM pg_roles WHERE rolname = session_user AND rolname <> 'postern_admin') r,"
     " pg_settings t WHERE t.name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')"
     // What is not set for this role, and is not 0, is set for all.
     " AND (" POSTERN_TIMEOUT " ~ '^0+ *[a-z]*$'"
     " OR" POSTERN_TIMEOUT " IS NULL AND (t.reset_val = '0' OR" POSTERN_OWN_TIMEOUT " IS NOT NULL))"
     " GROUP BY t.name ORDER BY t.name",
     "$2 is not set for $1: a request can wait or hold locks for as long as the server lets it",
     "ALTER ROLE ... SET $2, with lock_timeout = '4s', statement_timeout = '5s', "
     "idle_in_transaction_session_timeout = '10s'"},
    {kLoad, State::warning,
     // Of connections of other roles a role sees no more than this.
     "SELECT count(*), max(m.connections) FROM pg_stat_activity, (SELECT"
     " CAST(current_setting('max_connections') AS bigint)"
     " - CAST(current_setting('superuser_reserved_connections') AS bigint) AS connections) m"
     " WHERE datid IS NOT NULL AND usesysid IS NOT NULL HAVING 10 * count(*) >= 8 * max(m.connections)",
     "$1 of $2 connections are in use",
     "raise max_connections: each process of each node keeps one connection; or run fewer processes"},
    {kLoad, State::warning, "SELECT 'autovacuum' WHERE current_setting('autovacuum') = 'off'",
     "$1 is off: the tables grow with each token and are never reused",
     "ALTER SYSTEM RESET $1; SELECT pg_reload_conf()"},
    {kLoad, State::warning,
     "SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'"
     " AND 'autovacuum_enabled=false' = ANY (reloptions) ORDER BY relname",
     "autovacuum is off for the table $1, which grows for ever", "ALTER TABLE $1 RESET (autovacuum_enabled)"},
    {kLoad, State::warning,
     "SELECT relname, 100 * n_dead_tup / (n_live_tup + n_dead_tup) FROM pg_stat_user_tables"
     " WHERE schemaname = current_schema() AND n_dead_tup >= 10000 AND 4 * n_dead_tup > n_live_tup ORDER BY relname",
     "$2 % of the rows of $1 are dead",
     "VACUUM $1; if it comes back, look for old transactions and lower autovacuum_vacuum_scale_factor of the table"},
    {kLoad, State::warning,
     "SELECT pid, COALESCE(NULLIF(application_name, ''), usename) FROM pg_stat_activity"
     " WHERE xact_start < now() - interval '10 minutes' AND backend_type = 'client backend' ORDER BY xact_start",
     "the transaction of process $1 ($2) is older than ten minutes: no dead row can be removed meanwhile",
     "end it there, or with SELECT pg_terminate_backend($1)"},
    {kLoad, State::warning,
     "SELECT gid, owner FROM pg_prepared_xacts WHERE database = current_database()"
     " AND prepared < now() - interval '10 minutes' ORDER BY prepared",
     "the prepared transaction \"$1\" of $2 is older than ten minutes: no dead row can be removed meanwhile",
     "ROLLBACK PREPARED '$1', or COMMIT PREPARED '$1'"},
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
    const auto offset = database.clock_offset();
    const auto apart = std::chrono::abs(offset);
    if (apart <= db::kClockWarning) return;
    const util::Time ours = util::SystemClock().now();
    const util::Time theirs = ours - std::chrono::round<util::Seconds>(offset);
    findings.add({"clock", apart > db::kClockLimit ? State::error : State::warning,
                  "the clock says " + to_text(ours) + ", and that of the database server " + to_text(theirs),
                  "set both with NTP (`timedatectl set-ntp true`): tokens expire earlier or later by the difference"});
}

/// What is said when no server can be used, and what to do then.
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

}  // namespace

void check_server(Findings& findings, db::Database& database, const std::string& uri) {
    check_tls(findings, database, uri);
    for (const Query& query : kQueries) run(findings, database, query);
    check_rights(findings, database);
    check_server_clock(findings, database);
    findings.ok_unless_found(kServer, "durable, and encrypted where it is on another machine");
    findings.ok_unless_found(kRole, "no more than it needs, with timeouts");
    findings.ok_unless_found(kLoad, "connections are free, and dead rows are removed");
}

const char* fix_of_connection(const std::string& reason) {
    for (const Reason& each : kReasons) {
        if (reason.find(each.said) != reason.npos) return each.fix;
    }
    return "start the database server, or correct \"database\"";
}

}  // namespace postern::cli
