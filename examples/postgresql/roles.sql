-- A role for each of Postern's programs. A superuser runs this in the new database, before `postern init` makes the
-- tables and grants these roles what their programs need (grants-postgresql.sql):
--
--     createdb -E UTF8 -T template0 postern
--     psql -d postern -f roles.sql
--
-- It may be run again, which also undoes what a role has set for itself. The roles have no password: they log in by
-- `peer` or a client certificate, or get one by \password. They belong to one installation: for a second one in the same
-- cluster, name a role in its URI (user=), and these roles get no rights on its tables.
\set ON_ERROR_STOP on
BEGIN;

CREATE TEMPORARY TABLE wanted (name text, kind text) ON COMMIT DROP;
INSERT INTO wanted VALUES
    ('postern_owner', 'NOLOGIN'),  -- owns the tables
    ('postern_admin', 'LOGIN'),    -- the command
    ('postern_authorize', 'LOGIN'), ('postern_login', 'LOGIN'), ('postern_scopes', 'LOGIN'),
    ('postern_token', 'LOGIN'), ('postern_introspect', 'LOGIN'), ('postern_userinfo', 'LOGIN'),
    ('postern_revoke', 'LOGIN'), ('postern_logout', 'LOGIN'), ('postern_account', 'LOGIN'),
    ('postern_recover', 'LOGIN'), ('postern_device_authorization', 'LOGIN'), ('postern_device', 'LOGIN'),
    ('postern_registration', 'LOGIN'), ('postern_gate', 'LOGIN'), ('postern_par', 'LOGIN'),
    ('postern_sweep', 'LOGIN'),    -- `postern purge --quick`, from a timer
    ('postern_notify', 'LOGIN');   -- `postern session deliver`, with "backchannelLogout"

SELECT format('CREATE ROLE %I %s', name, kind) FROM wanted
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

CREATE SCHEMA IF NOT EXISTS postern AUTHORIZATION postern_owner;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;  -- so it is from PostgreSQL 15 on
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name) FROM wanted WHERE kind = 'LOGIN' \gexec
SELECT format('GRANT USAGE ON SCHEMA postern TO %I', name) FROM wanted WHERE kind = 'LOGIN' \gexec

-- What every role may do in a new database, what nothing bounds, and what no program does: large objects, locks in the
-- server's table for all roles, files of snapshots, bytes in the WAL. (NOTIFY needs no right.)
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (proname ~ '^(lo_|pg_advisory_|pg_try_advisory_)'
        OR proname IN ('loread', 'lowrite', 'pg_logical_emit_message', 'pg_export_snapshot')) \gexec

-- A durable commit that has changed nothing writes an empty text into the WAL, to wait for the standbys all the same.
SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', oid::regprocedure, name) FROM pg_proc, wanted
WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = 'pg_logical_emit_message'
    AND proargtypes[2] = 'text'::regtype AND name NOT IN ('postern_introspect', 'postern_userinfo') \gexec

-- A role may change its own settings, and up to PostgreSQL 14 make another role a member of itself.
SELECT format('ALTER ROLE %I RESET ALL', name) FROM wanted WHERE kind = 'LOGIN' \gexec
SELECT format('ALTER ROLE %I IN DATABASE %I RESET ALL', name, current_database()) FROM wanted
WHERE kind = 'LOGIN' \gexec
SELECT format('REVOKE %I FROM %I', granted.rolname, member.rolname)
FROM pg_auth_members m JOIN pg_roles granted ON granted.oid = m.roleid JOIN pg_roles member ON member.oid = m.member
WHERE granted.rolname IN (SELECT name FROM wanted WHERE kind = 'LOGIN')
    AND member.rolname IN (SELECT name FROM wanted) \gexec

-- A program gives up before its client does. The command sets its own statement_timeout. A warning says that a commit is
-- not safe, because its wait for a standby was cancelled: no setting of the database or the server may hide it.
SELECT format('ALTER ROLE %I SET %s', name, setting)
FROM wanted, (VALUES ('search_path = postern'), ('lock_timeout = ''4s'''), ('statement_timeout = ''5s'''),
    ('idle_in_transaction_session_timeout = ''10s'''), ('client_min_messages = warning')) settings (setting)
WHERE kind = 'LOGIN' \gexec

-- The disk that a connection takes for sorting. A superuser's setting, which the role cannot change.
SELECT format('ALTER ROLE %I SET temp_file_limit = ''256MB''', name) FROM wanted
WHERE kind = 'LOGIN' AND name <> 'postern_admin'
    AND EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper) \gexec

-- The command acts as the owner, so that what it makes belongs to the owner.
GRANT postern_owner TO postern_admin;
ALTER ROLE postern_admin SET role = 'postern_owner';

COMMIT;
