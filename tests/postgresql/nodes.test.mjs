// Two nodes with one PostgreSQL and one issuer: each has its own keys directory and state, and every second request
// goes to the other one.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { sandboxHere } from "../security/sandbox.mjs";
import { BUILD, Deployment } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { request } from "../support/user_agent.mjs";
import { Balancer } from "./balancer.mjs";
import { PostgreSQL } from "./server.mjs";

const SCOPE = "openid profile offline_access";

describe("two nodes on one PostgreSQL", () => {
  let server;
  let balancer;
  let p; // by way of the balancer
  let a;
  let b;

  const optionsOf = async (node) => ({
    tls: false,
    clock: "apart", // from the database's
    config: { issuer: balancer.origin, database: server.uri, node, sandbox: await sandboxHere() },
  });
  const keysOf = (deployment, ...name) => join(deployment.directory, "keys", ...name);

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start());
    balancer = owned(await Balancer.start());
    p = owned(await openProvider(await optionsOf("a")));
    a = p.deployment;
    b = owned(
      await Deployment.start({
        ...(await optionsOf("b")),
        join: true,
        prepare: async (directory) => {
          mkdirSync(join(directory, "keys"), { mode: 0o750 });
          copyFileSync(keysOf(a, "transport.key"), join(directory, "keys/transport.key"));
        },
      }),
    );
    balancer.nodes = [a.origin, b.origin];
    a.issuer = balancer.origin;
  });

  /// As it was typed: { code, stdout, stderr }.
  const postern = (node, ...args) =>
    run(join(BUILD, "bin/postern"), args, { env: node.environment }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  async function refuses(node, args, reason) {
    const { code, stderr } = await postern(node, ...args);
    assert.equal(code, 1, stderr);
    assert.match(stderr, reason);
  }
  /// Findings about the shared keys; the server of a test is not set up as one that matters would be.
  const sharedKeys = async (node) =>
    JSON.parse((await postern(node, "doctor", "--json")).stdout).filter(({ check }) => check === "shared keys");
  const sync = (node) => node.postern(["key", "sync"]);

  /// The key files of a node, with their bytes.
  const filesOf = (node) =>
    readdirSync(keysOf(node))
      .filter((name) => /\.pem$|^jwks\.json$|^(seal|factor)\.key$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(keysOf(node, name), "latin1")]);
  const kidOf = (token) => JSON.parse(Buffer.from(token.split(".")[0], "base64url")).kid;

  /// Whether one node takes a token for active.
  async function isActiveAt(node, token) {
    const { id, secret } = p.clients.other;
    const { status, body } = await request(`${node.origin}/token/introspect`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: `token=${token}`,
    });
    assert.equal(status, 200);
    return JSON.parse(body).active;
  }
  /// A token that this node has signed.
  async function tokenOf(node) {
    balancer.nodes = [node.origin];
    const { status, json } = await p.post(
      "/token",
      { grant_type: "client_credentials" },
      { client: p.clients.machine },
    );
    balancer.nodes = [a.origin, b.origin];
    assert.equal(status, 200);
    return json.access_token;
  }

  it("a further node has the keys of the first, and nothing that others could read", () => {
    assert.deepEqual(filesOf(b), filesOf(a));
    for (const node of [a, b]) {
      assert.equal(statSync(keysOf(node, "transport.key")).mode & 0o777, 0o600);
      for (const [name] of filesOf(node).filter(([each]) => each !== "jwks.json"))
        assert.equal(statSync(keysOf(node, name)).mode & 0o777, 0o640, name);
    }
    const rows = server.sql("SELECT string_agg(sealed, ' ') FROM key_files");
    assert.doesNotMatch(rows, /PRIVATE|"kty"/);
  });

  it("signs in with consent, code, introspection, refresh, UserInfo and logout, half of it on each", async () => {
    balancer.served.length = 0;
    const person = p.person();
    const { clients } = p;
    const first = await p.tokens(clients.web, { scope: SCOPE }, person);
    for (const node of [a, b]) assert.equal(await isActiveAt(node, first.access_token), true);
    const codes = new Set();
    let last = first;
    for (let round = 0; round < 4; ++round) {
      const next = await p.refresh(clients.web, last.refresh_token);
      assert.equal(next.status, 200);
      last = next.json;
      assert.equal((await p.userinfo(last.access_token)).json.sub, p.user.sub);
      assert.equal((await p.introspect(last.access_token)).active, true);
      codes.add((await p.code(clients.web, { scope: SCOPE }, person)).code); // without another login
    }
    assert.equal(codes.size, 4);
    const code = await p.code(clients.web, { scope: SCOPE }, person);
    assert.equal((await p.exchange(clients.web, code)).status, 200);
    assert.equal((await p.exchange(clients.web, code)).json.error, "invalid_grant"); // a replay, on the other node

    const out = await person.visit(`${p.issuer}/logout?id_token_hint=${first.id_token}`);
    const ended = out.form ? await person.submit(out, Object.keys(out.form.buttons)[0]) : out;
    assert.equal(ended.status, 200);
    const again = await person.visit(p.authorizationUrl(clients.web, { scope: SCOPE }));
    assert.ok(again.form?.buttons.login, again.title);
    const share = balancer.served.filter((node) => node === 0).length / balancer.served.length;
    assert.ok(share > 0.3 && share < 0.7, `${share} of the requests on the first node`);
  });

  it("names the node in its request ids, and `postern why` says which one to ask", async () => {
    balancer.nodes = [b.origin];
    const { headers } = await p.post("/token", { grant_type: "nothing" }, { client: p.clients.machine });
    balancer.nodes = [a.origin, b.origin];
    const id = headers["x-request-id"];
    assert.match(id, /^b[0-9a-z]{12}$/);
    await refuses(a, ["why", id], /is of node "b": run this command there/);
    assert.equal((await b.postern(["why", id])).request_id, id);
  });

  it("a sign-in goes on when its node is killed", async () => {
    const person = p.person();
    const url = p.authorizationUrl(p.clients.other, { scope: SCOPE });
    const login = await person.visit(url);
    assert.ok(login.form.buttons.login);
    await b.halt();
    const consent = await person.signIn(login, p.user.username, p.user.password);
    assert.ok(consent.form.buttons.approve, consent.title);
    const done = await person.submit(consent, "approve");
    assert.ok(done.location.searchParams.get("code"));
    await b.resume();
  });

  it("keys of one node are those of the other after its next `key sync`, and both sign with them", async () => {
    const before = await tokenOf(a);
    const { code, stderr } = await postern(a, "key", "rotate", "--lead", "30");
    assert.equal(code, 1);
    assert.match(stderr, /other nodes take new keys over once a minute/);
    assert.deepEqual(filesOf(a), filesOf(b));

    // Longer than three minutes by the clocks of both.
    await a.postern(["key", "rotate", "--lead", "200"]);
    assert.notDeepEqual(filesOf(a), filesOf(b));
    const { changed, generation } = await sync(b);
    assert.ok(changed.includes("jwks.json"));
    assert.deepEqual(filesOf(b), filesOf(a));
    const again = await sync(b);
    assert.deepEqual([again.changed, again.generation], [[], generation]);
    const [next] = (await b.postern(["key", "list"])).filter(({ state, alg }) => state === "next" && alg === "RS256");
    assert.notEqual(next.kid, kidOf(before));

    // It is forced to sign now: the same kid at both, and each verifies what the other has signed.
    const forced = postern(a, "key", "rotate", "--force", "--lead", "0", "--wait", "30");
    let done = false;
    forced.then(() => (done = true));
    while (!done) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sync(b).catch(() => {});
    }
    assert.doesNotMatch((await forced).stderr, /not taken over yet/);
    const tokens = [await tokenOf(a), await tokenOf(b)];
    assert.equal(kidOf(tokens[0]), kidOf(tokens[1]));
    assert.notEqual(kidOf(tokens[0]), kidOf(before));
    for (const token of [before, ...tokens])
      for (const node of [a, b]) assert.equal(await isActiveAt(node, token), true);
  });

  it("a change on a node that is behind begins with the keys of the other", async () => {
    const namesOf = (node) => filesOf(node).map(([name]) => name);
    const before = filesOf(b);
    await a.postern(["key", "rotate", "--force"]);
    const names = namesOf(a);
    await b.postern(["key", "rotate", "--seal"]);
    assert.deepEqual(namesOf(b), names); // private keys are named by their kid
    assert.notDeepEqual(
      names,
      before.map(([name]) => name),
    );
    await sync(a);
    assert.deepEqual(filesOf(a), filesOf(b));
    const sealOf = (files) => files.find(([name]) => name === "seal.key")[1];
    assert.notEqual(sealOf(filesOf(a)), sealOf(before));
  });

  it("a new factor.key seals nothing before the other node has it", async () => {
    const factorOf = (node) => readFileSync(keysOf(node, "factor.key"), "latin1");
    const former = factorOf(b);
    const early = await postern(a, "key", "rotate", "--factors", "--wait", "1");
    assert.equal(early.code, 1);
    assert.match(early.stderr, /not taken over yet by b:/);
    assert.match(early.stderr, /another node does not have the new factor\.key yet/);
    const both = factorOf(a);
    assert.equal(both.length, 96);
    assert.equal(both.slice(64), former);
    assert.equal(factorOf(b), former);
    // The next one goes on with the same key, and still waits for the other node.
    assert.equal((await postern(a, "key", "rotate", "--factors", "--wait", "1")).code, 1);
    assert.equal(factorOf(a), both);

    const { changed } = await sync(b);
    assert.ok(changed.includes("factor.key"));
    assert.equal(factorOf(b), both);
    const { code, stderr } = await postern(a, "key", "rotate", "--factors", "--wait", "1");
    assert.equal(code, 0, stderr);
    assert.equal(factorOf(a), both.slice(0, 64));
    await sync(b);
    assert.deepEqual(filesOf(b), filesOf(a));
  });

  it("`key repair` on a node that has lost files takes those of the others", async () => {
    const before = filesOf(b);
    for (const name of readdirSync(keysOf(b, "."))) if (name !== "transport.key") rmSync(keysOf(b, name));
    await b.postern(["key", "repair"]);
    assert.deepEqual(filesOf(b), before);
    assert.deepEqual(filesOf(b), filesOf(a));
  });

  it("--stolen names a node that is asleep, which believes the old keys until it wakes up", async () => {
    const old = await tokenOf(b);
    const { code, stderr } = await postern(a, "key", "rotate", "--stolen", "--wait", "1");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not taken over yet by b:/);
    assert.deepEqual([await isActiveAt(a, old), await isActiveAt(b, old)], [false, true]);
    const fresh = await tokenOf(a);
    assert.equal(await isActiveAt(b, fresh), false);
    const found = (await sharedKeys(a)).filter(({ state }) => state !== "ok");
    assert.match(found.map(({ detail }) => detail).join(), /node "b" has generation \d+ of the keys/);

    await sync(b);
    assert.deepEqual(filesOf(b), filesOf(a));
    assert.deepEqual([await isActiveAt(b, old), await isActiveAt(b, fresh)], [false, true]);
    assert.deepEqual(
      (await sharedKeys(b)).map(({ state }) => state),
      ["ok"],
    );
  });

  it("does not take keys of a database that was restored, unless it is told to", async () => {
    server.sql("CREATE TABLE backup AS SELECT * FROM key_files");
    const before = filesOf(a);
    await a.postern(["key", "rotate", "--force"]);
    await sync(b);
    const own = filesOf(b);
    server.sql("DELETE FROM key_files; INSERT INTO key_files SELECT * FROM backup");
    for (const args of [["sync"], ["rotate", "--force"], ["retire", "--force", "none"]])
      await refuses(b, ["key", ...args], /an older database was restored/);
    assert.deepEqual(filesOf(b), own);
    const found = (await sharedKeys(b)).filter(({ state }) => state === "error");
    assert.match(found[0].detail, /an older database was restored/);

    await b.postern(["key", "share"]); // the keys of this node count
    await sync(a);
    assert.deepEqual(filesOf(a), own);
    server.sql("DELETE FROM key_files; INSERT INTO key_files SELECT * FROM backup; DROP TABLE backup");
    for (const node of [a, b]) await node.postern(["key", "sync", "--accept-older"]);
    assert.deepEqual([filesOf(a), filesOf(b)], [before, before]);
  });

  it("takes nothing with another transport.key", async () => {
    const file = keysOf(b, "transport.key");
    const right = readFileSync(file);
    const before = filesOf(b);
    await a.postern(["key", "rotate", "--force"]);
    writeFileSync(file, Buffer.alloc(32, 7));
    await refuses(b, ["key", "sync"], /generation \d+ of the keys was not sealed with .*transport\.key/);
    writeFileSync(file, right);
    assert.deepEqual(filesOf(b), before);
    await sync(b);
    assert.deepEqual(filesOf(b), filesOf(a));
  });

  it("keeps its keys when rows are missing, added or exchanged in the database, which doctor sees", async () => {
    server.sql("CREATE TABLE earlier AS SELECT * FROM key_files");
    await a.postern(["key", "rotate", "--force"]);
    await sync(b);
    const before = filesOf(b);
    server.sql("CREATE TABLE whole AS SELECT * FROM key_files");
    for (const change of [
      "DELETE FROM key_files WHERE name LIKE '%.pem'",
      "INSERT INTO key_files SELECT 'ES256.5.x.pem', sealed, generation, changed_at FROM key_files LIMIT 1",
      "UPDATE key_files k SET sealed = e.sealed FROM earlier e WHERE e.name = k.name AND k.name = 'seal.key'",
    ]) {
      server.sql(change);
      for (const args of [["sync"], ["sync", "--accept-older"], ["rotate", "--force"]])
        await refuses(b, ["key", ...args], /a row of key_files is missing, added or exchanged, so nothing was changed/);
      assert.deepEqual(filesOf(b), before, change);
      const [{ state, detail }] = await sharedKeys(b);
      assert.deepEqual([state, /a row of key_files is missing, added or exchanged/.test(detail)], ["error", true]);
      server.sql("DELETE FROM key_files; INSERT INTO key_files SELECT * FROM whole");
    }
    server.sql("DROP TABLE whole, earlier; DELETE FROM key_files WHERE name LIKE '%.pem'");
    await b.postern(["key", "share"]);
    await sync(a);
    assert.deepEqual([filesOf(a), filesOf(b)], [before, before]);
  });

  it("a change that the database does not take is told, and handed on later", async () => {
    await server.halt();
    await refuses(a, ["key", "rotate", "--force"], /cannot connect to the database/);
    await server.resume();
    const before = filesOf(b);
    assert.deepEqual(filesOf(a), before);
    server.sql(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS" +
        " $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$;" +
        " CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON key_files EXECUTE FUNCTION refuse()",
    );
    await refuses(
      a,
      ["key", "rotate", "--force", "--lead", "3600"],
      /were changed, and the database did not take them/,
    );
    const own = filesOf(a);
    assert.notDeepEqual(own, before);
    await refuses(a, ["key", "sync"], /did not reach the database; run `postern key share`/);
    server.sql("DROP TRIGGER refuse ON key_files; DROP FUNCTION refuse()");
    assert.deepEqual((await sync(b)).changed, []);
    await a.postern(["key", "share"]);
    await sync(b);
    assert.deepEqual([filesOf(a), filesOf(b)], [own, own]);

    // A command that ends between its commit and its last file leaves this behind.
    const { generation } = await sync(a);
    writeFileSync(keysOf(a, "generation"), `${generation - 1} changing\n`);
    assert.deepEqual([(await sync(a)).generation, filesOf(a)], [generation, own]);
    assert.equal(readFileSync(keysOf(a, "generation"), "utf8"), `${generation}\n`);
  });

  it("a transport.key is replaced when the database has what it sealed, and not before", async () => {
    const file = keysOf(a, "transport.key");
    const old = readFileSync(file);
    await sync(a);
    await b.postern(["key", "rotate", "--force"]);
    await refuses(a, ["key", "share", "--renew"], /run `postern key sync` to take it/);
    await server.halt();
    await refuses(a, ["key", "share", "--renew", "--force"], /cannot connect to the database/);
    await server.resume();
    assert.deepEqual(readFileSync(file), old);
    await sync(a);
    assert.deepEqual(filesOf(a), filesOf(b));

    await a.postern(["key", "share", "--renew"]);
    const renewed = readFileSync(file);
    assert.notDeepEqual(renewed, old);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(`${file}.new`), false);
    await refuses(b, ["key", "sync"], /was not sealed with/);

    copyFileSync(file, keysOf(b, "transport.key"));
    await sync(b);
    assert.deepEqual(filesOf(a), filesOf(b));
  });

  it("without transport.key keys are replaced while no server answers, and do not come back", async () => {
    const file = keysOf(a, "transport.key");
    const aside = join(a.directory, "transport.key");
    const before = filesOf(a);
    renameSync(file, aside);
    await refuses(a, ["key", "rotate", "--stolen"], /the nodes of this installation share their keys/);
    await server.halt();
    const { code, stderr } = await postern(a, "key", "rotate", "--stolen");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /whether other nodes share their keys is unknown \(cannot connect to the database/);
    const own = filesOf(a);
    const replaced = before.filter(([name]) => name !== "factor.key"); // that is for --factors
    for (const [name, bytes] of replaced) assert.ok(!own.some((each) => each[0] === name && each[1] === bytes), name);
    await server.resume();
    renameSync(aside, file);
    await refuses(a, ["key", "sync"], /did not reach the database; run `postern key share`/);
    assert.deepEqual(filesOf(a), own);
    await a.postern(["key", "share"]);
    await sync(b);
    assert.deepEqual([filesOf(a), filesOf(b)], [own, own]);
  });

  it("--stolen names a node that was not seen lately, and does not wait for it", async () => {
    await sync(b);
    server.sql("UPDATE key_nodes SET seen_at = seen_at - 700 WHERE node = 'b'");
    const { code, stderr } = await postern(a, "key", "rotate", "--stolen", "--wait", "3600");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not seen for more than ten minutes, and without the new keys: b;/);
    assert.doesNotMatch(stderr, /not taken over yet/);
    await sync(b);
    server.sql("UPDATE key_nodes SET seen_at = seen_at - 700 WHERE node = 'b'");
    assert.doesNotMatch((await postern(a, "key", "share")).stderr, /not seen/);
    await sync(b);
  });

  it("a clock that differs is told; with more than half a minute nothing is issued there", async () => {
    const token = await tokenOf(a);
    const connectAgain = () =>
      server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'postern-%'");
    const ask = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
    try {
      await b.advance(10);
      connectAgain();
      const next = await tokenOf(b);
      for (const node of [a, b]) assert.equal(await isActiveAt(node, next), true);
      assert.match(b.log, /"event":"database_warning","reason":"the clock of this machine is \d+ s ahead of/);

      await b.advance(50);
      connectAgain();
      balancer.nodes = [b.origin];
      const refused = await ask();
      assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "5"]);
      assert.match(b.log, /"event":"store_failed"[^\n]*is \d\d s ahead of the database's[^\n]*nothing is issued/);
      assert.equal(await isActiveAt(b, token), true); // what only reads goes on
      await refuses(b, ["purge"], /nothing is issued or deleted here/);
    } finally {
      await b.advance(-60);
      balancer.nodes = [a.origin, b.origin];
    }
    connectAgain();
    assert.equal((await ask()).status, 200);
    assert.equal((await ask()).status, 200);
  });

  it("a name that is in use is not given twice, and a node can be forgotten", async () => {
    await sync(b);
    assert.deepEqual(
      (await a.postern(["key", "nodes"])).map(({ node }) => node),
      ["a", "b"],
    );
    const config = JSON.parse(readFileSync(b.environment.POSTERN_CONFIG, "utf8"));
    const other = join(b.directory, "third.json");
    mkdirSync(join(b.directory, "third"));
    copyFileSync(keysOf(b, "transport.key"), join(b.directory, "third/transport.key"));
    const init = (members) => {
      writeFileSync(other, JSON.stringify({ ...config, keys: join(b.directory, "third"), ...members }));
      return ["init", "--join", "--config", other];
    };
    await refuses(b, init({}), /node "b" was seen \d+ seconds ago/);
    await b.postern(init({ node: "c" }));
    assert.equal((await a.postern(["key", "nodes"])).length, 3);
    await a.postern(["key", "nodes", "--forget", "c"]);
    await refuses(a, ["key", "nodes", "--forget", "c"], /there is no node "c"/);
  });

  it("shares nothing when configuration management copies the keys", async () => {
    await a.postern(["key", "share", "--stop"]);
    assert.equal(server.sql("SELECT (SELECT count(*) FROM key_files) + (SELECT count(*) FROM key_nodes)"), "0");
    await a.postern(["key", "rotate", "--force"]);
    assert.equal(server.sql("SELECT count(*) FROM key_files"), "0");
    assert.deepEqual(await sharedKeys(a), []);
    await server.halt();
    const { code, stderr } = await postern(a, "key", "rotate", "--force");
    await server.resume();
    assert.equal(code, 0, stderr);
  });

  it("of two nodes that share for the first time at the same moment, one is refused", async () => {
    for (const name of ["transport.key", "generation"]) rmSync(keysOf(b, name));
    server.sql("ALTER ROLE postgres SET lock_timeout = 0");
    const holder = spawn("psql", ["-X", "-q", "-d", server.uri], { stdio: ["pipe", "ignore", "inherit"] });
    const released = new Promise((resolve) => holder.once("exit", resolve));
    const waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'schema_version'";
    const held = "SELECT count(*) FROM pg_locks WHERE mode = 'RowShareLock' AND relation = 'schema_version'::regclass";
    const until = async (query, count, isOver = () => false) => {
      while (!isOver() && server.sql(query) !== count) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    holder.stdin.write("BEGIN; SELECT FROM schema_version FOR NO KEY UPDATE;\n");
    await until(held, "1");
    let ended = 0;
    const commands = [a, b].map((node) => postern(node, "key", "share").finally(() => ++ended));
    await until(waiting, "2", () => ended > 0);
    holder.stdin.end("COMMIT;\n");
    await released;
    const done = await Promise.all(commands);
    server.sql("ALTER ROLE postgres RESET lock_timeout");
    assert.deepEqual(done.map(({ code }) => code).sort(), [0, 1], JSON.stringify(done));
    const [winner, loser] = done[0].code === 0 ? [a, b] : [b, a];
    assert.match(done.find(({ code }) => code === 1).stderr, /other nodes share their keys already/);
    assert.equal(existsSync(keysOf(loser, "transport.key")), false);
    assert.equal(server.sql("SELECT string_agg(DISTINCT CAST(generation AS text), ' ') FROM key_files"), "1");
    copyFileSync(keysOf(winner, "transport.key"), keysOf(loser, "transport.key"));
    await sync(loser);
    assert.deepEqual(filesOf(loser), filesOf(winner));
  });
});
