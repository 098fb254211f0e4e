// What doctor finds in a database server, each with its fix: every state is made, found, and unmade.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ASAN_OPTIONS } from "../security/single_process.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { PostgreSQL } from "./server.mjs";

const CHECKS = ["server", "role", "clock", "database"];

const STRANGE = '"postern_a""b c"'; // a role that an identifier without quotes does not name

/// How that is unmade which sets one thing or grants one right.
const undone = (statements) =>
  statements
    .split("; ")
    .map((each) =>
      each.replace(/ SET (\w+) = .*$/, " RESET $1").replace(/^GRANT (.*) ON (.*) TO (\S+)$/, "REVOKE $1 ON $2 FROM $3"),
    )
    .join("; ");

/// What is wrong with a good server: [state and check, what doctor says, its fix, how it is made, how it is unmade if
/// not by undone()].
const STATES = {
  "no syncs": [
    "error server",
    /^fsync is off: after a power failure/,
    /ALTER SYSTEM RESET fsync/,
    "ALTER SYSTEM SET fsync = off",
  ],
  "no full pages": [
    "error server",
    /^full_page_writes is off/,
    /ALTER SYSTEM RESET full_page_writes/,
    "ALTER SYSTEM SET full_page_writes = off",
  ],
  "commits that do not wait": [
    "error server",
    /^synchronous_commit is off: what was revoked/,
    /ALTER SYSTEM RESET synchronous_commit/,
    "ALTER SYSTEM SET synchronous_commit = off",
  ],
  "commits of one endpoint that do not wait": [
    "error server",
    /^synchronous_commit is off for the role postern_token/,
    /ALTER ROLE postern_token RESET synchronous_commit/,
    "ALTER ROLE postern_token SET synchronous_commit = off",
  ],
  "commits of one endpoint in this database that do not wait": [
    "error server",
    /^synchronous_commit is off for the role postern_token/,
    /see with \\drds/,
    "ALTER ROLE postern_token IN DATABASE postgres SET synchronous_commit = 0",
  ],
  "commits of one endpoint that wait for no standby": [
    "error server",
    /^synchronous_commit is local for the role postern_token/,
    /ALTER ROLE postern_token RESET synchronous_commit/,
    "ALTER ROLE postern_token SET synchronous_commit = local; ALTER SYSTEM SET synchronous_standby_names = 'other'",
  ],
  "warnings that are not sent": [
    "error server",
    /^client_min_messages hides warnings: a commit whose wait/,
    /ALTER SYSTEM RESET client_min_messages/,
    "ALTER SYSTEM SET client_min_messages = error",
  ],
  "warnings that are not sent to an endpoint": [
    "error server",
    /^client_min_messages hides warnings from the role postern_token/,
    /ALTER ROLE postern_token SET client_min_messages = warning/,
    "ALTER ROLE postern_token SET client_min_messages = error",
  ],
  "commits that wait for no standby's disk": [
    "error server",
    /^synchronous_commit is remote_write/,
    /ALTER SYSTEM RESET synchronous_commit/,
    "ALTER SYSTEM SET synchronous_standby_names = 'other'; ALTER SYSTEM SET synchronous_commit = remote_write",
  ],
  "an endpoint that may make tables, whatever its name": [
    "error role",
    /^postern_a"b c may create tables or roles/,
    /^ALTER ROLE "postern_a""b c" NOSUPERUSER NOCREATEROLE; REVOKE CREATE ON SCHEMA public FROM PUBLIC, "\S+ c"$/,
    `CREATE ROLE ${STRANGE} LOGIN; GRANT CREATE ON SCHEMA public TO ${STRANGE}`,
    `REVOKE CREATE ON SCHEMA public FROM ${STRANGE}; DROP ROLE ${STRANGE}`,
  ],
  "an endpoint that reads password hashes": [
    "error role",
    /^postern_token may read the password hashes/,
    /REVOKE SELECT ON users FROM postern_token/,
    "GRANT SELECT (password_hash) ON users TO postern_token",
    "REVOKE SELECT ON users FROM postern_token",
  ],
  "a superuser": [
    "warning role",
    /^owner is a superuser/,
    /name it in the URI/,
    "ALTER ROLE owner SUPERUSER",
    "ALTER ROLE owner NOSUPERUSER",
  ],
};

const configurationOf = (directory, database) => ({
  issuer: "https://op.example",
  database,
  state: directory,
  keys: join(directory, "keys"),
  log: { target: join(directory, "log") },
});

/// What doctor has to say about the server, but for what is well.
async function findingsOf(config, env = {}) {
  const asked = run(join(BUILD, "bin/postern"), ["doctor", "--json", "--config", config], {
    env: { ...process.env, ...env },
  });
  const { stdout } = await asked.catch((failure) => failure);
  return JSON.parse(stdout).filter(({ check, state }) => CHECKS.includes(check) && state !== "ok");
}

describe("doctor and a database server", () => {
  const directory = temporaryDirectory();
  const config = join(directory, "postern.json");
  const rules = join(directory, "pg_hba.conf");
  const ALL = "local all all trust\n";
  let server;
  let uri;

  const configure = (database) => writeFileSync(config, JSON.stringify(configurationOf(directory, database)));
  const findings = (env) => findingsOf(config, env);

  const reload = () => server.sql("SELECT pg_reload_conf()");
  /// Processes take a new configuration when they get to it.
  async function until(condition) {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  async function apply(statements) {
    const isSystem = (statement) => statement.startsWith("ALTER SYSTEM");
    const all = statements.split("; ");
    for (const statement of all.filter((each) => !isSystem(each)))
      server.sql(`SET synchronous_commit = local; ${statement}`);
    for (const statement of all.filter(isSystem)) server.sql(statement);
    if (!all.some(isSystem)) return;
    const earlier = server.sql("SELECT pg_conf_load_time()");
    reload();
    await until(() => server.sql("SELECT pg_conf_load_time()") !== earlier);
  }

  prepared(async (owned) => {
    chmodSync(directory, 0o755); // the server reads its rules there
    // What is given to the server's program cannot be changed while it runs.
    const changed = { fsync: undefined, full_page_writes: undefined };
    changed.client_min_messages = undefined;
    writeFileSync(rules, ALL);
    server = owned(await PostgreSQL.start({ ...changed, hba_file: rules }));
    server.sql("CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner");
    uri = server.uri.replace("user=postgres", "user=owner");
    configure(uri);
    await run(join(BUILD, "bin/postern"), ["init", "--config", config]);
    server.sql("CREATE ROLE postern_token LOGIN"); // not before: `init` grants rights where there are roles
  });

  it("finds nothing where everything is as it should be", async () => {
    assert.deepEqual(await findings(), []);
  });

  for (const [name, [what, detail, fix, make, unmake = undone(make)]] of Object.entries(STATES)) {
    it(`names ${name}, with the fix`, async () => {
      await apply(make);
      const found = await findings();
      await apply(unmake); // what follows would wait for ever in some of them
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.equal(`${found[0].state} ${found[0].check}`, what);
      assert.match(found[0].detail, detail);
      assert.match(found[0].fix, fix);
    });
  }

  it("names a clock that is not the server's", async () => {
    const ahead = join(directory, "ahead");
    for (const [seconds, state] of [
      [10, "warning"],
      [50, "error"],
    ]) {
      const number = Buffer.alloc(8);
      number.writeBigInt64LE(BigInt(seconds));
      writeFileSync(ahead, number);
      const preloaded = join(BUILD, "tests/fake_clock_preload.so");
      const clocks = { POSTERN_TEST_CLOCK_AHEAD: ahead, POSTERN_TEST_CLOCK_APART: "1", ASAN_OPTIONS };
      const found = await findings({ LD_PRELOAD: preloaded, ...clocks });
      const [clock] = found.filter(({ check }) => check === "clock");
      assert.equal(clock.state, state);
      assert.match(clock.detail, /and that of the database server/);
      assert.match(clock.fix, /NTP/);
    }
  });

  it("names an encoding that does not hold every name", async () => {
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    const latin = server.uri.replace("/postgres?", "/latin?");
    configure(latin);
    execFileSync("psql", ["-X", "-q", "-d", latin, "-f", join(ROOT, "schema-postgresql.sql")]);
    const found = await findings();
    assert.ok(found.some(({ detail, fix }) => /encoding LATIN1/.test(detail) && /ENCODING 'UTF8'/.test(fix)));
    configure(uri);
  });

  it("says why there is no connection, and what to do", async () => {
    for (const [database, says, does] of [
      [uri.replace("user=owner", "user=nobody"), /role "nobody" does not exist/, /create the role and the database/],
      [uri.replace("/postgres?", "/nowhere?"), /database "nowhere" does not exist/, /create the role and the database/],
      [
        uri.replace(server.directory, "/nowhere"),
        /cannot connect to the database/,
        /start the database server|correct/,
      ],
    ]) {
      configure(database);
      const [finding] = await findings();
      assert.equal(finding.state, "error");
      assert.match(finding.detail, says);
      assert.match(finding.fix, does);
    }
    configure(uri);
    server.sql("ALTER ROLE owner CONNECTION LIMIT 0");
    const [full] = await findings();
    assert.match(full.detail, /too many connections/);
    assert.match(full.fix, /raise max_connections/);
    server.sql("ALTER ROLE owner CONNECTION LIMIT -1");
    server.sql("ALTER ROLE owner SET default_transaction_read_only = on");
    const [standby] = await findings();
    assert.match(standby.detail, /read-only/);
    assert.match(standby.fix, /name the primary/);
    server.sql("ALTER ROLE owner RESET default_transaction_read_only");
  });

  it("says why a role may not sign in, and what to do", async () => {
    const access = async (line) => {
      writeFileSync(rules, line + ALL);
      const earlier = server.sql("SELECT pg_conf_load_time()");
      reload();
      await until(() => server.sql("SELECT pg_conf_load_time()") !== earlier);
    };
    const unreadable = join(directory, "open.pass");
    writeFileSync(unreadable, "*:*:*:owner:x\n", { mode: 0o644 });
    for (const [method, database, says, does] of [
      ["scram-sha-256", uri, /no password supplied/, /passfile=.* mode is not 0600/],
      ["scram-sha-256", `${uri}&passfile=${unreadable}`, /no password supplied/, /passfile=.* mode is not 0600/],
      ["peer", uri, /Peer authentication failed/, /pg_ident\.conf/],
    ]) {
      await access(`local all owner ${method}\n`);
      configure(database);
      const [finding] = await findings();
      assert.match(finding.detail, says);
      assert.match(finding.fix, does);
    }
    await access("");
    configure(uri);
  });

  it("writes nothing", async () => {
    const changes =
      "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE schemaname = 'public'";
    const before = server.sql(changes);
    await findings();
    await new Promise((resolve) => setTimeout(resolve, 1500)); // a server counts once a second
    assert.equal(server.sql(changes), before);
  });
});

/// The same, where each program has its role: the right that is missing or too much, in the order of the fields above.
const RIGHTS = {
  "a role without any right": [
    /^postern_token misses a right that its program needs: DELETE, INSERT, SELECT ON access_tokens; /,
    /run grants-postgresql\.sql as postern_admin/,
    "REVOKE ALL ON ALL TABLES IN SCHEMA postern FROM postern_token",
  ],
  "a role that misses the right to a table": [
    /^postern_introspect misses a right that its program needs: SELECT ON grants$/,
    /run grants-postgresql\.sql/,
    "REVOKE SELECT ON grants FROM postern_introspect",
  ],
  "a role that misses the right to a column": [
    /^postern_revoke misses a right that its program needs: UPDATE \(ended_at\) ON grants$/,
    /run grants-postgresql\.sql/,
    "REVOKE UPDATE (ended_at) ON grants FROM postern_revoke",
  ],
  "a role that may write where it reads": [
    /^postern_introspect may do what its program never does: TRUNCATE ON grants; DELETE, INSERT ON users$/,
    /REVOKE ALL ON ALL TABLES IN SCHEMA postern FROM PUBLIC, postern_introspect; then run grants-postgresql\.sql/,
    "GRANT DELETE, INSERT ON users TO postern_introspect; GRANT TRUNCATE ON grants TO postern_introspect",
  ],
  "a role that reads a column too many": [
    /^postern_authorize may do what its program never does: SELECT \(failures, ends_at\) ON login_attempts$/,
    /REVOKE ALL/,
    "GRANT SELECT (failures, ends_at) ON login_attempts TO postern_authorize",
  ],
  "a role that may not log in": [
    /^postern_login may not log in$/,
    /ALTER ROLE postern_login LOGIN/,
    "ALTER ROLE postern_login NOLOGIN",
    "ALTER ROLE postern_login LOGIN",
  ],
  "a role that may not connect": [
    /^postern_logout may not connect to the database postern$/,
    /GRANT CONNECT ON DATABASE postern TO postern_logout/,
    "REVOKE CONNECT ON DATABASE postern FROM postern_logout",
    "GRANT CONNECT ON DATABASE postern TO postern_logout",
  ],
  "a role that may not use the schema": [
    /^postern_scopes may not use the schema postern$/,
    /GRANT USAGE ON SCHEMA postern TO postern_scopes/,
    "REVOKE USAGE ON SCHEMA postern FROM postern_scopes",
    "GRANT USAGE ON SCHEMA postern TO postern_scopes",
  ],
  "a role that does not exist": [
    /^postern_sweep does not exist$/,
    /run roles\.sql .* then grants-postgresql\.sql/,
    "ALTER ROLE postern_sweep RENAME TO swept",
    "ALTER ROLE swept RENAME TO postern_sweep",
  ],
};

/// A statement about the function that puts a message of that type into the WAL: from PostgreSQL 17 on it has one more
/// argument.
const changeMessages = (type, statement) =>
  `DO $$ BEGIN EXECUTE (SELECT format('${statement}', oid::regprocedure) FROM pg_proc
     WHERE proname = 'pg_logical_emit_message' AND proargtypes[2] = '${type}'::regtype); END $$`;

describe("doctor and a role for each program", () => {
  const directory = temporaryDirectory();
  const config = join(directory, "postern.json");
  const grants = readFileSync(join(ROOT, "grants-postgresql.sql"), "utf8");
  let server;
  let superuser;
  let uri;

  const configure = (database) => writeFileSync(config, JSON.stringify(configurationOf(directory, database)));
  const sql = (statements) => server.sql(`SET search_path = postern; ${statements}`, superuser);
  const restore = () =>
    sql(`BEGIN; REVOKE ALL ON ALL TABLES IN SCHEMA postern
      FROM postern_token, postern_introspect, postern_revoke, postern_authorize; ${grants}; COMMIT`);

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start({ fsync: undefined, full_page_writes: undefined }));
    ({ superuser, uri } = server.addDatabase("postern"));
    configure(uri);
    await run(join(BUILD, "bin/postern"), ["init", "--config", config]);
  });

  it("finds nothing after roles.sql and init, with the rights of the options too", async () => {
    assert.deepEqual(await findingsOf(config), []);
    const optional = [...grants.matchAll(/^-- {5}(GRANT .*;)$/gm)].map(([, grant]) => grant);
    assert.equal(optional.length, 106);
    sql(optional.join(" "));
    assert.deepEqual(await findingsOf(config), []);
  });

  for (const [name, [detail, fix, make, unmake]] of Object.entries(RIGHTS)) {
    it(`names ${name}, with the fix`, async () => {
      sql(make);
      const found = await findingsOf(config);
      if (unmake) sql(unmake);
      else restore();
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.equal(found[0].state, "error");
      assert.equal(found[0].check, "role");
      assert.match(found[0].detail, detail);
      assert.match(found[0].fix, fix);
      assert.deepEqual(await findingsOf(config), []);
    });
  }

  /// [what doctor says, how it is made]. Running roles.sql again unmakes each.
  const OWN = {
    "functions that fill the disk": [
      /^the endpoints' roles may call functions that fill the disk .*\(1, such as lo_create\)/,
      "GRANT EXECUTE ON FUNCTION lo_create(oid) TO PUBLIC",
    ],
    "messages in the WAL of a role that commits nothing": [
      /^the endpoints' roles may call functions .*\(1, such as pg_logical_emit_message\)/,
      changeMessages("bytea", "GRANT EXECUTE ON FUNCTION %s TO PUBLIC"),
    ],
    "a setting that a role has given itself": [
      /^postern_introspect has settings that roles\.sql does not give it: work_mem; a role may change its own/,
      "SET ROLE postern_introspect; ALTER ROLE CURRENT_USER SET work_mem = '2GB'; RESET ROLE",
    ],
    "such settings in the database alone": [
      /^postern_token has settings .*: default_transaction_read_only, search_path;/,
      `SET ROLE postern_token; ALTER ROLE CURRENT_USER IN DATABASE postern SET default_transaction_read_only = on;
       ALTER ROLE CURRENT_USER IN DATABASE postern SET search_path = public; RESET ROLE`,
    ],
    "settings that pg_settings does not list": [
      /^postern_introspect has settings .*: role, session_authorization;/,
      `SET ROLE postern_introspect; ALTER ROLE CURRENT_USER SET role = 'none';
       ALTER ROLE CURRENT_USER SET session_authorization = 'postern_introspect'; RESET ROLE`,
    ],
    "timeouts that a role has made too long, in whatever spelling": [
      /^postern_token has settings .*: idle_in_transaction_session_timeout, lock_timeout, statement_timeout;/,
      `SET ROLE postern_token; ALTER ROLE CURRENT_USER SET statement_timeout = '24d';
       ALTER ROLE CURRENT_USER SET lock_timeout = 60001;
       ALTER ROLE CURRENT_USER SET idle_in_transaction_session_timeout = '0x7fffffff'; RESET ROLE`,
    ],
    "a timeout that a role has switched off": [
      /^postern_token has settings .*: statement_timeout;/,
      "SET ROLE postern_token; ALTER ROLE CURRENT_USER SET statement_timeout = 0; RESET ROLE",
    ],
  };

  for (const [name, [detail, make]] of Object.entries(OWN)) {
    it(`names ${name}, and roles.sql takes it away [G22]`, async () => {
      sql(make);
      const found = await findingsOf(config);
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.deepEqual([found[0].state, found[0].check], ["warning", "role"]);
      assert.match(found[0].detail, detail);
      server.runRoles(superuser);
      assert.deepEqual(await findingsOf(config), []);
    });
  }

  it("names a role that cannot make a durable commit [G22]", async () => {
    sql(changeMessages("text", "REVOKE EXECUTE ON FUNCTION %s FROM postern_token"));
    const found = await findingsOf(config);
    assert.equal(found.length, 1, JSON.stringify(found));
    assert.equal(found[0].state, "error");
    assert.match(found[0].detail, /^postern_token may not call pg_logical_emit_message/);
    server.runRoles(superuser);
    assert.deepEqual(await findingsOf(config), []);
  });

  it("a role that another one has let in is out again when roles.sql is run [G22]", async () => {
    sql("GRANT postern_login TO postern_introspect");
    assert.match(JSON.stringify(await findingsOf(config)), /postern_introspect may do what its program never does/);
    server.runRoles(superuser);
    assert.deepEqual(await findingsOf(config), []);
  });

  it("the roles are sent warnings, whatever the database says", async () => {
    sql("ALTER DATABASE postern SET client_min_messages = error");
    assert.equal(server.sql("SHOW client_min_messages", `${uri}&user=postern_token`), "warning");
    assert.deepEqual(await findingsOf(config), []);
    sql("ALTER DATABASE postern RESET client_min_messages");
  });

  it("misses no right of the roles where one role is all programs", async () => {
    sql("REVOKE ALL ON ALL TABLES IN SCHEMA postern FROM postern_token");
    configure(`${uri}&user=postgres`);
    const found = await findingsOf(config);
    assert.ok(!found.some(({ detail }) => /misses a right/.test(detail)), JSON.stringify(found));
    configure(uri);
    restore();
  });
});
