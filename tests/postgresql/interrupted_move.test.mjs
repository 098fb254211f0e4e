// A store that is moved: when the command is killed or refused, the old store is in service, or the new one is
// complete.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { Proxy } from "./proxy.mjs";
import { PostgreSQL } from "./server.mjs";

const POSTERN = join(BUILD, "bin/postern");

describe("a move that does not come to its end", () => {
  const directory = temporaryDirectory();
  const keys = join(directory, "keys");
  const seed = join(directory, "seed");
  const state = join(directory, "state");
  const file = join(state, "postern.db");
  const target = join(directory, "target.db");
  let server;
  let proxy;
  let user;

  /// Options of the command that name the database.
  function on(database, keys) {
    const config = join(directory, "postern.json");
    const place = database.startsWith("postgresql:") ? { database, state } : { database };
    const log = { target: join(directory, "log") };
    writeFileSync(config, JSON.stringify({ issuer: "https://op.example", keys, log, ...place }));
    return ["--config", config];
  }

  /// Answers a failure as well.
  async function postern(database, args, input = "", keysUsed = keys) {
    const running = run(POSTERN, [...args, ...on(database, keysUsed)]);
    running.child.stdin.on("error", () => {});
    running.child.stdin.end(input);
    const { code = 0, stdout, stderr } = await running.catch((failure) => failure);
    return { code, stdout, stderr };
  }

  /// The command is killed at that flight of its connection by way of the proxy.
  async function killedAt(flight, kind, database, args) {
    let child;
    proxy.plan(flight, kind, () => child.kill("SIGKILL"));
    child = spawn(POSTERN, [...args, ...on(database, keys)], { stdio: "ignore" });
    await new Promise((ended) => child.once("exit", ended));
    proxy.plan(Infinity, kind);
  }

  const isInService = async (database) => {
    const { code, stdout, stderr } = await postern(database, ["user", "list", "--json"]);
    if (code === 0) assert.deepEqual(JSON.parse(stdout), user);
    else assert.match(stderr, /was moved to another database|does not exist|create the tables/);
    return code === 0;
  };

  prepared(async (owned) => {
    chmodSync(directory, 0o755);
    server = owned(await PostgreSQL.start());
    proxy = owned(await Proxy.start(join(directory, "s"), server.directory));
    await postern(file, ["init"]);
    await postern(file, ["user", "add", "ada", "--password-stdin"], "correct horse battery staple\n");
    for (const id of ["web", "app"])
      await postern(file, ["client", "add", id, "--redirect-uri", "https://app.example/cb"]);
    await postern(file, ["group", "add", "staff"]);
    await postern(file, ["group", "member", "add", "staff", "ada"]);
    await postern(file, ["client", "set", "app", "--allow-group", "staff", "--allow-user", "ada"]);
    await postern(file, ["client", "set", "app", "--rename", "staff=Staff", "--scope", "notes"]);
    await postern(file, ["client", "claim", "add", "app", "admin=group:staff", "--scope", "notes"]);
    user = JSON.parse((await postern(file, ["user", "list", "--json"])).stdout);
    cpSync(state, seed, { recursive: true });
    server.sql("CREATE DATABASE filled");
    const filled = server.uri.replace("/postgres?", "/filled?");
    assert.equal((await postern(file, ["migrate", "--to", filled])).code, 0);
  });

  function restoreFile() {
    rmSync(state, { recursive: true });
    cpSync(seed, state, { recursive: true });
    for (const suffix of ["", "-wal", "-shm", ".gate", ".sync"]) rmSync(target + suffix, { force: true });
  }

  /// The database of the tests: without tables, or with the rows of the file.
  function restoreServer(model) {
    server.sql("DROP DATABASE IF EXISTS moved WITH (FORCE)");
    server.sql(`CREATE DATABASE moved TEMPLATE ${model}`);
  }
  const uri = (proxied) => server.uriBy(proxied ? proxy.directory : server.directory).replace("/postgres?", "/moved?");
  const sql = (text) =>
    execFileSync("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", uri(false), "-c", text], {
      encoding: "utf8",
    }).trim();
  const hasTables = () => sql("SELECT to_regclass('schema_version') IS NOT NULL") === "t";

  const ways = {
    "file to a server": { from: () => file, to: () => uri(true), model: "template1" },
    "server to a file": { from: () => uri(true), to: () => target, model: "filled" },
  };
  for (const [name, { from, to, model }] of Object.entries(ways)) {
    it(`killed on its way from a ${name}: the old store is in service, or the new one is complete`, async () => {
      const reset = () => {
        restoreFile();
        restoreServer(model);
      };
      reset();
      proxy.plan(Infinity, "sent");
      assert.equal((await postern(from(), ["migrate", "--to", to()])).code, 0);
      const total = proxy.flights.length;
      const seen = { old: 0, both: 0, new: 0 };
      // From one row to the next nothing changes: a few flights before the tables get other names or the copy is
      // committed, and those around.
      const isEnd = (sql) => /^(ALTER TABLE|COMMIT)/.test(sql);
      const end = proxy.flights.findIndex(({ statements }) => statements.some(isEnd)) + 1;
      assert.ok(end > 10);
      const chosen = [3, end - 1, end, end + 1, total - 1, total];
      for (const flight of new Set(chosen.filter((each) => each <= total))) {
        for (const kind of ["unsent", "unanswered"]) {
          reset();
          await killedAt(flight, kind, from(), ["migrate", "--to", to()]);
          const [old, complete] = [await isInService(from()), await isInService(to())];
          assert.ok(old || complete, `flight ${flight} of ${total}, ${kind}`);
          ++seen[old && complete ? "both" : old ? "old" : "new"];
        }
      }
      assert.ok(seen.old > 0 && seen.new > 0 && seen.both <= 4, JSON.stringify(seen));
    });
  }

  it("is run again after it was killed", async () => {
    restoreFile();
    restoreServer("template1");
    await killedAt(30, "unsent", file, ["migrate", "--to", uri(true)]);
    assert.equal(hasTables(), false);
    assert.equal((await postern(file, ["migrate", "--to", uri(true)])).code, 0);
    assert.equal(await isInService(file), false);
    assert.equal(await isInService(uri(false)), true);
  });

  /// A command whose first commit waits for a standby that is not there, until the operator ends the wait.
  async function unconfirmed(start) {
    server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf()");
    const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    try {
      const running = start();
      let over = false;
      running.then(() => (over = true));
      while (!over && server.sql(waiting) !== "1") await new Promise((resolve) => setTimeout(resolve, 50));
      server.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      server.sql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
      return await running;
    } finally {
      server.sql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
    }
  }

  it("is not made when no standby confirms the copy: the old store alone is in service", async () => {
    restoreFile();
    restoreServer("template1");
    const { code, stderr } = await unconfirmed(() => postern(file, ["migrate", "--to", uri(false)]));
    assert.equal(code, 1);
    assert.match(stderr, /^postern: the server warns .*nothing was moved: the old store is in service as before/);
    assert.doesNotMatch(stderr, /power cut|kernel log|disk/);
    assert.equal(await isInService(file), true);
    assert.match((await postern(file, ["migrate", "--to", uri(false)])).stderr, /has rows already/);
    restoreServer("template1");
    assert.equal((await postern(file, ["migrate", "--to", uri(false)])).code, 0);
    assert.equal(await isInService(file), false);
  });

  it("`init` keeps the keys with the tables when no standby confirms them", async () => {
    restoreServer("template1");
    const own = join(directory, "own");
    const { code, stderr } = await unconfirmed(() => postern(uri(false), ["init"], "", own));
    assert.equal(code, 1);
    assert.match(stderr, /the change was made, but may be undone until a later change succeeds: the server warns/);
    assert.doesNotMatch(stderr, /power cut|kernel log|disk/);
    const listed = await postern(uri(false), ["key", "list", "--json"], "", own);
    assert.deepEqual(
      JSON.parse(listed.stdout).map(({ state: its }) => its),
      ["active", "active"],
    );
    assert.equal(existsSync(join(own, "transport.key")), true);
    assert.equal((await postern(uri(false), ["user", "list"], "", own)).code, 0);
  });

  it("uses the tables that are there without rows", async () => {
    restoreFile();
    restoreServer("filled");
    sql("TRUNCATE users, clients, groups CASCADE");
    assert.equal((await postern(file, ["migrate", "--to", uri(false)])).code, 0);
    assert.equal(await isInService(uri(false)), true);
  });

  it("is refused where there is something, and nothing changes", async () => {
    restoreFile();
    restoreServer("filled");
    writeFileSync(`${target}-wal`, "");
    for (const [from, to, says] of [
      [file, uri(false), /has rows already, in \w+ first: name another database, or drop its tables/],
      [uri(false), file, /postern.db: exists already: name a new file/],
      [uri(false), target, /target.db-wal: exists already/],
      [uri(false), uri(false), /is the database that the configuration names/],
    ]) {
      const { code, stderr } = await postern(from, ["migrate", "--to", to]);
      assert.equal(code, 1);
      assert.match(stderr, says);
      assert.equal(stderr.trim().split("\n").length, 1);
    }
    assert.equal(existsSync(target), false);
    assert.ok((await isInService(file)) && (await isInService(uri(false))));
  });

  it("is refused where the store was moved away before", async () => {
    restoreFile();
    restoreServer("filled");
    assert.equal((await postern(uri(false), ["migrate", "--to", target])).code, 0);
    for (const args of [["migrate"], ["migrate", "--to", join(directory, "other.db")], ["backup", "other.db"]])
      assert.match((await postern(uri(false), args)).stderr, /was moved to another database/);
    assert.match((await postern(file, ["migrate", "--to", uri(false)])).stderr, /was moved to another database/);
    assert.equal((await postern(file, ["migrate", "--to", server.uri])).code, 0);
    for (const args of [["migrate"], ["migrate", "--to", join(directory, "other.db")], ["backup", "other.db"]])
      assert.match((await postern(file, args)).stderr, /was moved to another database/);
  });

  it("is refused by a role that cannot take the store out of service, before anything is copied", async () => {
    restoreFile();
    restoreServer("filled");
    sql("CREATE ROLE visitor LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor");
    const visitor = uri(false).replace("user=postgres", "user=visitor");
    for (const rehearsal of [[], ["--dry-run"]]) {
      const { code, stderr } = await postern(visitor, ["migrate", "--to", target, ...rehearsal]);
      assert.equal(code, 1);
      assert.match(stderr, /belongs to another role, and its owner alone can take it out of service/);
      assert.equal(existsSync(target), false);
    }
    assert.equal(await isInService(uri(false)), true);
  });

  it("finds a difference between the rows, and commits nothing", async () => {
    restoreFile();
    restoreServer("filled");
    sql("TRUNCATE users, clients, groups CASCADE");
    sql(
      "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$" +
        " BEGIN NEW.name := NEW.name || '!'; RETURN NEW; END $$;" +
        " CREATE TRIGGER spoil BEFORE INSERT ON clients FOR EACH ROW EXECUTE FUNCTION spoil()",
    );
    const { code, stderr } = await postern(file, ["migrate", "--to", uri(false)]);
    assert.equal(code, 1);
    assert.match(stderr, /the rows of clients are not the same in the copy/);
    assert.equal(sql("SELECT count(*) FROM clients"), "0");
    assert.equal(await isInService(file), true);
  });

  it("leaves out with --live what has ended, and nothing that still has an effect", async () => {
    restoreFile();
    restoreServer("template1");
    execFileSync("sqlite3", [
      file,
      `PRAGMA foreign_keys = ON;
       INSERT INTO grants
         SELECT g.id, 'web', u.subject, 'openid', 0, '', 1, g.ended, g.kept, '', '', '', '', '', '', 0, '', ''
         FROM users u, (SELECT 'live' AS id, NULL AS ended, 9999999999 AS kept UNION ALL
           SELECT 'ended', 5, 9999999999 UNION ALL SELECT 'over', NULL, 5) g;
       INSERT INTO refresh_tokens
         SELECT id, id || '-used', 0, NULL, 'next', NULL, 1, 5, 'used', 2, NULL FROM grants;
       INSERT INTO authorization_codes
         SELECT id || '-code', id, 'https://app.example/cb', 1, NULL, NULL, NULL, NULL, 5, 2, NULL, '' FROM grants;
       INSERT INTO sessions SELECT s.hash, s.hash, u.subject, 1, 1, 1, s.expires, '', '', 1, 'pwd', 0 FROM users u,
         (SELECT 'now' AS hash, 9999999999 AS expires UNION ALL SELECT 'past', 5) s;
       INSERT INTO login_attempts VALUES ('now', 1, 9999999999), ('past', 1, 5)`,
    ]);
    const { stdout } = await postern(file, ["migrate", "--to", uri(false), "--live", "--json"]);
    const { rows } = JSON.parse(stdout);
    const counts = { grants: 1, refresh_tokens: 1, authorization_codes: 1, sessions: 1, login_attempts: 1 };
    const told = { client_claims: 1, client_group_names: 1 };
    const access = { ...told, groups: 1, group_members: 1, allowed_groups: 1, allowed_users: 1 };
    for (const [table, count] of Object.entries({ ...counts, ...access, client_secrets: 2, clients: 2, users: 1 })) {
      assert.equal(rows[table], count, table);
      assert.equal(sql(`SELECT count(*) FROM ${table}`), String(count));
    }
    assert.equal(sql("SELECT id FROM grants"), "live");
    // Presented once more, both end the grant.
    assert.equal(sql("SELECT token_hash FROM refresh_tokens"), "live-used");
    assert.equal(sql("SELECT code_hash FROM authorization_codes"), "live-code");
    assert.equal(sql("SELECT cookie_hash FROM sessions"), "now");
  });
});
