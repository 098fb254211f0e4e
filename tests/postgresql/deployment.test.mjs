// An installation on PostgreSQL behind a web server: what clients and the operator see, also while the server is away.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { sandboxHere } from "../security/sandbox.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { PostgreSQL } from "./server.mjs";

const SCOPE = "openid profile offline_access";

describe("an installation on PostgreSQL", () => {
  let server;
  let p;
  let tokens;

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start({ fsync: "on", full_page_writes: "on" })); // as doctor wants them
    p = owned(await openProvider({ config: { database: server.uri, sandbox: await sandboxHere() } }));
    tokens = await p.tokens(p.clients.web, { scope: SCOPE });
  });

  const introspect = () => p.post("/token/introspect", { token: tokens.access_token }, { client: p.clients.other });
  const askForToken = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });

  /// Once each program has noticed that the server is there: they look for it twice a second.
  async function untilServed() {
    for (const ask of [introspect, askForToken]) {
      let answer;
      while ((answer = await ask()).status === 503) await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(answer.status, 200);
    }
    assert.equal((await introspect()).json.active, true);
  }

  async function isUnavailable() {
    for (const answer of [await introspect(), await askForToken()]) {
      assert.equal(answer.status, 503);
      assert.equal(answer.headers["retry-after"], "5");
      assert.equal(answer.json.error, "temporarily_unavailable");
    }
  }

  const command = (...args) =>
    run(join(BUILD, "bin/postern"), args, { env: p.deployment.environment }).catch((failure) => failure);

  it("answers 503 with Retry-After while the server is away, and serves when it is back", async () => {
    await server.halt();
    await isUnavailable();
    assert.equal((await p.ask("/jwks")).status, 200);
    assert.equal((await p.ask("/.well-known/openid-configuration")).status, 200);
    assert.match(p.deployment.log, /"event":"store_failed"[^\n]*cannot connect to the database/);
    await server.resume();
    await untilServed();
  });

  it("starts while the server is away, and serves when it is there", async () => {
    await server.halt();
    await p.deployment.halt();
    await p.deployment.resume();
    await isUnavailable();
    await server.resume();
    await untilServed();
  });

  it("takes a server that may not be written for one that is away", async () => {
    server.sql("ALTER SYSTEM SET default_transaction_read_only = on");
    await server.halt();
    await server.resume();
    await isUnavailable();
    server.sql("ALTER SYSTEM RESET default_transaction_read_only");
    await server.halt();
    await server.resume();
    await untilServed();
  });

  it("has commands that list, change, copy and examine it", async () => {
    const { clients } = p;
    const listed = await p.deployment.postern(["client", "list"]);
    assert.deepEqual(listed.map(({ client_id: id }) => id).sort(), Object.keys(clients).sort());
    await p.deployment.postern(["client", "disable", "machine"]);
    assert.equal((await askForToken()).json.error, "invalid_client");
    await p.deployment.postern(["client", "enable", "machine"]);
    assert.equal((await askForToken()).status, 200);
    await p.deployment.postern(["purge"]);

    const found = await p.deployment.postern(["doctor"]);
    assert.deepEqual(
      found.filter(({ check, state }) => check === "database" && state === "ok").map(({ detail }) => detail),
      ["schema version 5"],
    );
    await p.deployment.postern(["backup", join(p.deployment.directory, "copy.db")]);
    assert.match((await command("migrate")).stdout, /has schema version 5 already; nothing to do/);
    assert.match((await command("init")).stderr, /has tables of Postern already|exists already/);
  });

  it("stats has the size of the tables with their indexes, as the server counts it", async () => {
    const size = () =>
      Number(
        server.sql(
          "SELECT sum(pg_table_size(oid) + pg_indexes_size(oid)) FROM pg_class" +
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
        ),
      );
    /// What stats says while nothing changes: a server vacuums when it gets to it.
    async function told() {
      for (;;) {
        const before = size();
        const { bytes } = await p.deployment.postern(["stats"]);
        if (size() === before) return [bytes, before];
      }
    }
    const [first, own] = await told();
    assert.deepEqual(first, { database: own, log: 0 });
    const ROWS = 20_000;
    const WIDTH = 64;
    server.sql(
      `INSERT INTO login_attempts SELECT rpad(CAST(i AS text), ${WIDTH}, '.'), 1, 1 FROM generate_series(1, ${ROWS}) i`,
    );
    const [second, grown] = await told();
    assert.deepEqual(second, { database: grown, log: 0 });
    assert.ok(second.database - first.database > 2 * ROWS * WIDTH); // each key is in the index too
    assert.match(
      (await command("stats", "--prometheus")).stdout,
      new RegExp(`^postern_file_size_bytes{file="database"} ${grown}$`, "m"),
    );
    server.sql("TRUNCATE login_attempts");
  });

  it("repeats a password of the URI nowhere", async () => {
    const file = p.deployment.environment.POSTERN_CONFIG;
    const configured = readFileSync(file, "utf8");
    for (const [uri, refused] of [
      ["postgresql://one:s3cret@127.0.0.1/op", "password in its URI"],
      ["postgresql://one:s3%cret@127.0.0.1/op", "is not a URI"],
    ]) {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(configured), database: uri }));
      try {
        for (const args of [["doctor"], ["doctor", "--json"], ["user", "list"], ["stats"]]) {
          const { stdout, stderr } = await command(...args);
          assert.ok((stdout + stderr).includes(refused), args.join(" "));
          assert.doesNotMatch(stdout + stderr, /s3.?cret/);
        }
      } finally {
        writeFileSync(file, configured);
      }
    }
  });

  it("has keys that are not replaced while the server is away, not even stolen ones", async () => {
    const published = () => readFileSync(join(p.deployment.directory, "keys/jwks.json"), "utf8");
    const before = published();
    await server.halt();
    const { stderr, code } = await command("key", "rotate", "--stolen");
    assert.equal(code, 1);
    assert.match(stderr, /nothing was changed; try again: cannot connect to the database/);
    assert.equal(published(), before);
    await server.resume();
    await untilServed();
    assert.equal((await command("key", "rotate", "--stolen")).code ?? 0, 0);
    assert.notEqual(published(), before);
    assert.equal((await introspect()).json.active, false);
    tokens = await p.tokens(p.clients.web, { scope: SCOPE });
  });
});
