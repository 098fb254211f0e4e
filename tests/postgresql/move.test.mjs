// A store that is moved from a file to a server and back: nothing is lost, no request is answered wrongly meanwhile,
// and no process goes on with the store that was left.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { Proxy } from "./proxy.mjs";
import { PostgreSQL } from "./server.mjs";

const POSTERN = join(BUILD, "bin/postern");
const SCOPE = "openid profile offline_access";

const sqlite = (file, text) => execFileSync("sqlite3", ["-readonly", file, text], { encoding: "utf8" }).trim();

/// The columns of each table, in the words of the file.
function columnsOf(file) {
  const listed = sqlite(
    file,
    "SELECT m.name || ' ' || group_concat('\"' || p.name || '\"', ', ') FROM sqlite_master m," +
      " pragma_table_info(m.name) p WHERE m.type = 'table' GROUP BY m.name",
  );
  return listed.split("\n").map((line) => /^(\S+) (.*)$/.exec(line).slice(1));
}

/// All rows of all tables: { table: lines }.
const rowsOf = (columns, ask) =>
  Object.fromEntries(columns.map(([table, names]) => [table, ask(`SELECT ${names} FROM ${table}`).split("\n").sort()]));

const hasTables = (server) => server.sql("SELECT to_regclass('schema_version') IS NOT NULL") === "t";

describe("an installation whose store is moved", () => {
  const directory = temporaryDirectory();
  let server;
  let proxy;
  let p;
  let file;
  let columns;
  let tokens;

  prepared(async (owned) => {
    chmodSync(directory, 0o755);
    server = owned(await PostgreSQL.start({ fsync: "on", full_page_writes: "on" })); // as doctor wants them
    proxy = owned(await Proxy.start(directory, server.directory));
    p = owned(await openProvider({ own: true }));
    for (const command of [
      ["group", "add", "staff"],
      ["group", "member", "add", "staff", "alice"],
      ["client", "set", "web", "--allow-group", "staff", "--allow-user", "alice"],
      ["client", "set", "other", "--allow-group", "staff", "--groups", "own"],
      ["client", "set", "other", "--rename", "staff=Staff"],
      ["client", "claim", "add", "other", "roles=groups", "--scope", "openid"],
    ])
      await p.deployment.postern(command);
    file = join(p.deployment.directory, "db/postern.db");
    columns = columnsOf(file);
    tokens = await p.tokens(p.clients.web, { scope: SCOPE });
  });

  const inFile = (path) => rowsOf(columns, (text) => sqlite(path, text));
  const inServer = () => rowsOf(columns, (text) => server.sql(text));
  const introspect = () => p.post("/token/introspect", { token: tokens.access_token }, { client: p.clients.other });
  const askForToken = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });

  /// As the operator does what the command has said.
  async function configure(database) {
    const configFile = p.deployment.environment.POSTERN_CONFIG;
    const { state, ...rest } = JSON.parse(readFileSync(configFile, "utf8"));
    const kept = database.startsWith("postgresql:") ? { state: join(p.deployment.directory, "db") } : {};
    writeFileSync(configFile, JSON.stringify({ ...rest, ...kept, database }));
    await p.deployment.halt();
    await p.deployment.resume();
  }

  async function serves() {
    assert.equal((await introspect()).json.active, true);
    const next = await p.refresh(p.clients.web, tokens.refresh_token);
    assert.equal(next.status, 200, next.body);
    tokens = next.json;
    assert.equal((await introspect()).json.active, true);
    assert.equal((await askForToken()).status, 200);
    assert.ok((await p.code(p.clients.other)).code);
  }

  /// Processes that go on with the store that was left.
  async function isLeft() {
    for (const ask of [introspect, askForToken, introspect, askForToken]) {
      const { status, headers } = await ask();
      assert.equal(status, 503);
      assert.equal(headers["retry-after"], "5");
    }
    assert.match(p.deployment.log, /"event":"store_failed"[^\n]*was moved to another database/);
  }

  /// Starts the command, which stops at that flight of its own connection by way of the proxy.
  function stopAt(flight, args) {
    let flights = 0;
    const isThere = ({ program }) => program === "admin" && ++flights === flight;
    return new Promise((stopped, failed) => {
      const child = spawn(POSTERN, args, { env: p.deployment.environment, stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (chunk) => (said += chunk));
      const ended = new Promise((over) => child.once("exit", over));
      ended.then((code) => failed(new Error(`it ended with ${code}: ${said}`)));
      const goOn = async () => {
        child.kill("SIGCONT");
        assert.equal(await ended, 0, said);
      };
      proxy.plan(isThere, "sent", () => {
        child.kill("SIGSTOP");
        stopped(goOn);
      });
    });
  }

  /// While the rows are copied.
  async function readsAndDoesNotWrite(goOn) {
    assert.equal((await introspect()).json.active, true);
    const { status, headers } = await askForToken();
    assert.equal(status, 503);
    assert.equal(headers["retry-after"], "5");
    assert.equal((await introspect()).json.active, true);
    await goOn();
  }

  it("a rehearsal changes nothing and stops no process", async () => {
    const before = inFile(file);
    const { moved, rows } = await p.deployment.postern(["migrate", "--to", server.uri, "--dry-run"]);
    assert.equal(moved, false);
    assert.equal(rows.users, 1);
    assert.equal(rows.clients, Object.keys(p.clients).length);
    assert.equal(hasTables(server), false);
    assert.deepEqual(inFile(file), before);
    await serves();
  });

  it("to a server: each row is there; meanwhile the file is read and not written", async () => {
    const before = inFile(file);
    await readsAndDoesNotWrite(await stopAt(20, ["migrate", "--to", server.uriBy(directory)]));
    assert.deepEqual(inServer(), before);
    assert.deepEqual(
      [before.groups.length, before.group_members.length, before.allowed_groups.length, before.allowed_users.length],
      [1, 1, 2, 1],
    );
    assert.deepEqual([before.client_claims.length, before.client_group_names.length], [1, 1]);
    assert.ok(before.access_tokens.length > 0 && before.refresh_tokens.length > 0 && before.sessions.length > 0);
  });

  it("no process goes on with the file, and none starts on it", async () => {
    await isLeft();
    await p.deployment.halt();
    const isServed = await p.deployment.resume().then(
      () => true,
      () => false, // lighttpd ends when it sees in time that a program has
    );
    if (isServed) assert.notEqual((await introspect()).status, 200);
    // Whichever program lighttpd sees first; what it has written reaches this process a moment later.
    const isSaid = () => /^postern \w+: \S*postern.db: was moved to another database/m.test(p.deployment.log);
    for (let tries = 0; !isSaid() && tries < 500; ++tries) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(isSaid(), p.deployment.log);
    const refused = await p.deployment.postern(["user", "list"]).catch((error) => error.stderr);
    assert.match(refused, /postern.db: was moved to another database by `postern migrate --to`: name that one/);
    const found = await p.deployment.postern(["doctor"]).catch((error) => JSON.parse(error.stdout));
    assert.match(found.find(({ check }) => check === "database").detail, /was moved to another database/);
  });

  it("with the new configuration tokens and sessions go on", async () => {
    await configure(server.uri);
    await serves();
    const found = await p.deployment.postern(["doctor"]);
    assert.deepEqual(
      found.filter(({ state }) => state === "error"),
      [],
    );
  });

  it("has a backup in a file: the rows of one moment, beside writers", async () => {
    const copy = join(p.deployment.directory, "db/copy.db");
    let writes = true;
    const writer = (async () => {
      while (writes) assert.equal((await askForToken()).status, 200);
    })();
    try {
      await p.deployment.postern(["backup", copy]);
    } finally {
      writes = false;
      await writer;
    }
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.deepEqual(columnsOf(copy), columns);
    assert.equal(sqlite(copy, "PRAGMA integrity_check"), "ok");
    assert.equal(sqlite(copy, "PRAGMA foreign_key_check"), "");
    assert.equal(
      sqlite(copy, "SELECT count(*) FROM access_tokens t JOIN grants g ON g.id = t.grant_id WHERE TRUE"),
      sqlite(copy, "SELECT count(*) FROM access_tokens"),
    );
    const again = await p.deployment.postern(["backup", copy]).catch((error) => error.stderr);
    assert.match(again, /exists already/);
    const quiet = join(p.deployment.directory, "db/quiet.db");
    await p.deployment.postern(["backup", quiet]);
    assert.deepEqual(inFile(quiet), inServer());
  });

  it("back to a file: each row is there; meanwhile the server is read and not written", async () => {
    await configure(server.uriBy(directory));
    const before = inServer();
    const back = join(p.deployment.directory, "db/back.db");
    await readsAndDoesNotWrite(await stopAt(20, ["migrate", "--to", back]));
    assert.deepEqual(inFile(back), before);
    await isLeft();
    await configure(back);
    await serves();
  });
});
