// Checks that the role of each program has the rights of grants-postgresql.sql and no more, and no settings that undo
// what the server promises.
#include <string>

#include "cli/doctor/findings.h"
#include "db/maintenance.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kServer = "server";
constexpr const char* kRole = "role";

// Roles of the endpoints. The command's may do more, and the owner of the tables cannot log in.
#define POSTERN_ENDPOINT_ROLES \
    " pg_roles r WHERE r.rolname LIKE 'postern\\_%' AND r.rolcanlogin AND r.rolname <> 'postern_admin'"

// The default of a setting for a role: for it in this database, for it, for this database or for all; else NULL.
#define POSTERN_SET_TO(name)                                                                                    \
    " (SELECT lower(split_part(c, '=', 2)) FROM pg_db_role_setting s, unnest(s.setconfig) c WHERE s.setrole IN" \
    " (0, r.oid) AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"    \
    " AND split_part(c, '=', 1) = '" name "' ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1)"
#define POSTERN_COMMIT POSTERN_SET_TO("synchronous_commit")
#define POSTERN_MESSAGES POSTERN_SET_TO("client_min_messages")

// With `user=` in the URI the programs are one role that owns the tables, and those of another installation may be
// there.
#define POSTERN_HAS_ROLES " session_user = 'postern_admin'"
// The endpoints' roles that a superuser's rights do not cover, which have a finding of their own.
#define POSTERN_PLAIN_ROLES " (SELECT r.oid, r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND NOT r.rolsuper) e"

// The roles whose programs make durable commits, for which they call this function.
#define POSTERN_COMMITS " e.rolname NOT IN ('postern_introspect', 'postern_userinfo')"

constexpr Query kQueries[] = {
    {kServer, State::error,
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND" POSTERN_COMMIT
     " IN ('off', 'false', 'no', '0') ORDER BY r.rolname",
     "synchronous_commit is off for the role $1: a crash of the server can undo a revocation",
     "ALTER ROLE $1 RESET synchronous_commit; see with \\drds whether it is set for the role in this database"},
    {kServer, State::error,
     "SELECT r.rolname," POSTERN_COMMIT " FROM" POSTERN_ENDPOINT_ROLES
     " AND current_setting('synchronous_standby_names') <> '' AND" POSTERN_COMMIT
     " IN ('local', 'remote_write') ORDER BY r.rolname",
     "synchronous_commit is $2 for the role $1: its commits are acknowledged before a standby has them on disk",
     "ALTER ROLE $1 RESET synchronous_commit; see with \\drds whether it is set for the role in this database"},
    {kServer, State::error,
     "SELECT r.rolname FROM" POSTERN_ENDPOINT_ROLES " AND" POSTERN_MESSAGES
     " IN ('error', 'fatal', 'panic') ORDER BY r.rolname",
     "client_min_messages hides warnings from the role $1: a commit whose wait for a standby was cancelled is answered "
     "as if it were safe",
     "ALTER ROLE $1 SET client_min_messages = warning"},
    {kRole, State::warning, "SELECT rolname FROM pg_roles WHERE rolname = current_user AND rolsuper",
     "$1 is a superuser: an attacker who takes over a Postern program controls the whole server",
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
    {kRole, State::error,
     "SELECT e.rolname FROM" POSTERN_PLAIN_ROLES ", pg_proc p WHERE" POSTERN_HAS_ROLES " AND" POSTERN_COMMITS
     " AND p.pronamespace = CAST('pg_catalog' AS regnamespace) AND p.proname = 'pg_logical_emit_message'"
     " AND p.proargtypes[2] = CAST('text' AS regtype) AND NOT has_function_privilege(e.oid, p.oid, 'EXECUTE')"
     " ORDER BY e.rolname",
     "$1 may not call pg_logical_emit_message, which each of its durable commits does",
     "run roles.sql again, as a superuser of the server and in this database"},
    // The functions of roles.sql.
    {kRole, State::warning,
     "SELECT min(CAST(p.proname AS text)), count(*) FROM pg_proc p WHERE" POSTERN_HAS_ROLES
     " AND p.pronamespace = CAST('pg_catalog' AS regnamespace)"
     " AND (p.proname ~ '^(lo_|pg_advisory_|pg_try_advisory_)'"
     " OR p.proname IN ('loread', 'lowrite', 'pg_logical_emit_message', 'pg_export_snapshot'))"
     " AND EXISTS (SELECT 1 FROM" POSTERN_PLAIN_ROLES " WHERE has_function_privilege(e.oid, p.oid, 'EXECUTE') AND NOT"
     " (p.proname = 'pg_logical_emit_message' AND p.proargtypes[2] = CAST('text' AS regtype) AND" POSTERN_COMMITS "))"
     " HAVING count(*) > 0",
     "the endpoints' roles may call functions that fill the disk or the server's table of locks ($2, such as $1), and "
     "their programs never do",
     "run roles.sql again, as a superuser of the server and in this database"},
    // Settings that the role may have changed itself. synchronous_commit and client_min_messages have own findings.
    // pg_settings leaves some settings out (role), which anyone may set. A timeout may be another than that of
    // roles.sql, but no longer than a minute; in a spelling that is no interval it is not judged to be that short.
    {kRole, State::warning,
     "SELECT e.rolname, string_agg(DISTINCT c.name, ', ' ORDER BY c.name) FROM" POSTERN_PLAIN_ROLES
     " JOIN pg_db_role_setting s ON s.setrole = e.oid AND s.setdatabase IN"
     " (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"
     " CROSS JOIN LATERAL (SELECT split_part(each, '=', 1) AS name, split_part(each, '=', 2) AS value"
     " FROM unnest(s.setconfig) each) c LEFT JOIN pg_settings t USING (name)"
     " WHERE" POSTERN_HAS_ROLES " AND COALESCE(t.context, 'user') = 'user'"
     " AND c.name NOT IN ('synchronous_commit', 'client_min_messages')"
     " AND NOT (c.name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout')"
     " AND CASE WHEN c.value ~ '^[0-9]{1,10}$' THEN CAST(c.value AS bigint) BETWEEN 1 AND 60000"
     " WHEN c.value ~ '^[0-9]{1,10} *(us|ms|s|min|h|d)$' THEN CAST(c.value AS interval) BETWEEN interval '1 microsecond'"
     " AND interval '1 minute'"
     " ELSE false END)"
     " AND NOT (c.name = 'search_path' AND c.value = quote_ident(current_schema()))"
     " GROUP BY e.rolname ORDER BY e.rolname",
     "$1 has settings that roles.sql does not give it: $2; a role may change its own, and they stay when a program that "
     "was taken over has ended",
     "see with \\drds which they are; if they are not yours, find out who made them, give $1 another password, and "
     "run roles.sql again as a superuser, which takes them away"},
};

// Every role to which grants-postgresql.sql ($1) grants something.
#define POSTERN_NAMED_ROLES \
    " (SELECT DISTINCT m[1] AS name FROM regexp_matches(CAST($1 AS text), '(postern_[a-z]+)(?=\\s*[,;])', 'g') m) n"

constexpr Query kLogins[] = {
    {kRole, State::error,
     "SELECT name FROM" POSTERN_NAMED_ROLES " WHERE" POSTERN_HAS_ROLES
     " AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) ORDER BY name",
     "$1 does not exist", "run roles.sql as a superuser of the server, then grants-postgresql.sql as postern_admin"},
    {kRole, State::error,
     "SELECT name FROM" POSTERN_NAMED_ROLES " JOIN pg_roles ON rolname = name WHERE" POSTERN_HAS_ROLES
     " AND NOT rolcanlogin ORDER BY name",
     "$1 may not log in", "ALTER ROLE $1 LOGIN"},
    {kRole, State::error,
     "SELECT name, current_database() FROM" POSTERN_NAMED_ROLES " JOIN pg_roles r ON rolname = name"
     " WHERE" POSTERN_HAS_ROLES " AND NOT has_database_privilege(r.oid, current_database(), 'CONNECT') ORDER BY name",
     "$1 may not connect to the database $2", "GRANT CONNECT ON DATABASE $2 TO $1"},
    {kRole, State::error,
     "SELECT name, current_schema() FROM" POSTERN_NAMED_ROLES " JOIN pg_roles r ON rolname = name"
     " WHERE" POSTERN_HAS_ROLES " AND NOT has_schema_privilege(r.oid, current_schema(), 'USAGE') ORDER BY name",
     "$1 may not use the schema $2", "GRANT USAGE ON SCHEMA $2 TO $1"},
};

// The file says GRANT PRIVILEGE, PRIVILEGE (COLUMN, COLUMN) ON TABLE, TABLE TO ROLE, ROLE; and in comments what an
// option of the configuration adds. The server is asked about each role, table, privilege and column: what a role has
// by way of PUBLIC or of another role counts too. A superuser and the password hash have findings of their own.
constexpr const char* kRights = R"(
WITH statements AS (
    SELECT regexp_match(each, '^(-- {5})?GRANT\s(.+)\sON\s(.+)\sTO\s(.+)', 'w') AS part
    FROM unnest(regexp_split_to_array(CAST($1 AS text), ';')) each
), named AS (
    SELECT part[1] IS NOT NULL AS is_optional, role, name, substring(privilege, '^[A-Z]+') AS privilege, col
    FROM statements, unnest(regexp_split_to_array(part[4], '[\s,]+')) role,
        unnest(regexp_split_to_array(part[3], '[\s,]+')) name,
        unnest(regexp_split_to_array(part[2], ',\s*(?![^(]*\))')) privilege,
        unnest(COALESCE(regexp_split_to_array(substring(privilege, '\((.*)\)'), ',\s*'), ARRAY[NULL])) col
), possible AS (
    SELECT oid AS relid, relname AS name, privilege, NULL AS col, CAST(0 AS smallint) AS attnum
    FROM pg_class, unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER']) privilege
    WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'
    UNION ALL
    SELECT c.oid, relname, privilege, attname, attnum
    FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) privilege
    WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'
), granted AS (
    SELECT is_optional, role, name, privilege, q.col, attnum FROM named JOIN possible q USING (name, privilege)
    WHERE named.col IS NULL OR named.col = q.col
), held AS (
    SELECT rolname AS role, name, privilege, col, attnum FROM pg_roles r CROSS JOIN possible
    WHERE rolname IN (SELECT role FROM named) AND NOT rolsuper AND
        CASE attnum WHEN 0 THEN has_table_privilege(r.oid, relid, privilege)
             ELSE has_column_privilege(r.oid, relid, attnum, privilege) END
), wrong AS (
    SELECT 1 AS is_missing, missing.* FROM (
        SELECT role, name, privilege, col, attnum FROM granted JOIN pg_roles ON rolname = role
        WHERE NOT is_optional AND NOT rolsuper
        EXCEPT SELECT role, name, privilege, col, attnum FROM held) missing
    WHERE session_user = 'postern_admin'
    UNION ALL
    SELECT 0, excess.* FROM (
        SELECT role, name, privilege, col, attnum FROM held
        EXCEPT SELECT role, name, privilege, col, attnum FROM granted) excess
    WHERE (privilege, col) IS DISTINCT FROM ('SELECT', 'password_hash')
), privileges AS (
    SELECT role, is_missing, name, privilege ||
        CASE WHEN count(col) = (SELECT count(q.col) FROM possible q WHERE q.name = w.name AND q.privilege = w.privilege)
             THEN '' ELSE ' (' || string_agg(col, ', ' ORDER BY attnum) || ')' END AS privilege
    FROM wrong w GROUP BY role, is_missing, name, w.privilege
), tables AS (
    SELECT role, is_missing, name, string_agg(privilege, ', ' ORDER BY privilege) || ' ON ' || name AS rights
    FROM privileges GROUP BY role, is_missing, name
)
SELECT role, string_agg(rights, '; ' ORDER BY name), current_schema(), is_missing FROM tables
GROUP BY role, is_missing ORDER BY role, is_missing)";

void check_rights(Findings& findings, db::Database& database) {
    for (auto row = database.query(kRights, db::kPostgresGrantsSql); row.step();) {
        std::string role, rights, schema;
        bool is_missing = false;
        row >> role >> rights >> schema >> is_missing;
        if (is_missing)
            findings.error(kRole, role + " misses a right that its program needs: " + rights,
                           "run grants-postgresql.sql as postern_admin");
        else
            findings.error(kRole, role + " may do what its program never does: " + rights,
                           "REVOKE ALL ON ALL TABLES IN SCHEMA " + util::sql_identifier(schema) + " FROM PUBLIC, " +
                               util::sql_identifier(role) +
                               "; then run grants-postgresql.sql, with the lines of its last comment that you use, all "
                               "in one transaction; see with \\du whether it is a member of another role");
    }
}

}  // namespace

void check_roles(Findings& findings, db::Database& database) {
    for (const Query& query : kQueries) add_each(findings, query, database.query(query.sql));
    for (const Query& query : kLogins) add_each(findings, query, database.query(query.sql, db::kPostgresGrantsSql));
    check_rights(findings, database);
    findings.ok_unless_found(kRole, "no more than it needs");
}

}  // namespace postern::cli
