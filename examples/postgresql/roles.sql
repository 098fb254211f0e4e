-- A role for each of Postern's programs. A superuser runs this in the new database, before `postern init` makes the
-- tables and grants these roles what their programs need (grants-postgresql.sql):
--
--     createdb -E UTF8 -T template0 postern
--     psql -d postern -f roles.sql
--
-- It may be run again. The roles have no password: they log in by `peer` or a client certificate, or get one by
-- \password. They belong to one installation: for a second one in the same cluster, name a role in its URI (user=),
-- and these roles get no rights on its tables.
\set ON_ERROR_STOP on
BEGIN;

CREATE TEMPORARY TABLE wanted (name text, kind text) ON COMMIT DROP;
INSERT INTO wanted VALUES
    ('postern_owner', 'NOLOGIN'),  -- owns the tables
    ('postern_admin', 'LOGIN'),    -- the command
    ('postern_authorize', 'LOGIN'), ('postern_login', 'LOGIN'), ('postern_scopes', 'LOGIN'),
    ('postern_token', 'LOGIN'), ('postern_introspect', 'LOGIN'), ('postern_userinfo', 'LOGIN'),
    ('postern_revoke', 'LOGIN'), ('postern_logout', 'LOGIN'), ('postern_account', 'LOGIN'),
    ('postern_recover', 'LOGIN'),
    ('postern_sweep', 'LOGIN');    -- `postern purge --quick`, from a timer

SELECT format('CREATE ROLE %I %s', name, kind) FROM wanted
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

CREATE SCHEMA IF NOT EXISTS postern AUTHORIZATION postern_owner;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;  -- so it is from PostgreSQL 15 on
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name) FROM wanted WHERE kind = 'LOGIN' \gexec
SELECT format('GRANT USAGE ON SCHEMA postern TO %I', name) FROM wanted WHERE kind = 'LOGIN' \gexec

-- A program gives up before its client does. The command sets its own statement_timeout. A warning says that a commit is
-- not safe, because its wait for a standby was cancelled: no setting of the database or the server may hide it.
SELECT format('ALTER ROLE %I SET %s', name, setting)
FROM wanted, (VALUES ('search_path = postern'), ('lock_timeout = ''4s'''), ('statement_timeout = ''5s'''),
    ('idle_in_transaction_session_timeout = ''10s'''), ('client_min_messages = warning')) settings (setting)
WHERE kind = 'LOGIN' \gexec

-- The command acts as the owner, so that what it makes belongs to the owner.
GRANT postern_owner TO postern_admin;
ALTER ROLE postern_admin SET role = 'postern_owner';

COMMIT;
