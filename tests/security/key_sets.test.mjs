// The keys that clients publish at a jwks_uri: who fetches them, from within its sandbox, and who keeps them fresh for
// the endpoints that fetch nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { assertion, newKey } from "../support/signer.mjs";
import { makeCertificate, privateDirectory } from "../support/web_server.mjs";
import { parseCgi } from "./records.mjs";
import { sandboxHere } from "./sandbox.mjs";

const PROGRAM = join(BUILD, "libexec/fetch/fetch");
const POSTERN = join(BUILD, "bin/postern");
const withoutProgram = existsSync(PROGRAM) ? false : "built without libcurl";
const issuer = "https://id.example";

describe("keys at a jwks_uri", { skip: withoutProgram }, () => {
  const directory = temporaryDirectory();
  const file = join(directory, "postern.json");
  const log = join(directory, "log");
  const database = join(directory, "postern.db");
  let server;
  let asked = [];
  let published = {}; // { path: the set, or undefined for a 404 }

  const at = (path) => `https://127.0.0.1:${server.address().port}${path}`;
  const sql = async (statement) => (await run("sqlite3", ["-batch", database, statement])).stdout.trim();
  /// { stdout, stderr, code }
  const postern = async (...words) => {
    const done = await run(POSTERN, [...words, "--config", file]).catch((failure) => failure);
    return { ...done, code: done.code ?? 0 };
  };
  const findings = async (...words) => JSON.parse((await postern("doctor", "--json", ...words)).stdout);
  const ofKeys = async (...words) => (await findings(...words)).filter(({ check }) => check === "client keys");
  /// All that was fetched becomes stale by so many seconds, and no host has been asked.
  const age = (seconds) =>
    sql(`UPDATE fetched SET fresh_until = unixepoch() - ${seconds}, fetched_at = 1; DELETE FROM fetch_limits`);

  before(async () => {
    const { certificate, key, caFile } = await makeCertificate(await privateDirectory(join(directory, "tls")));
    server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
      asked.push(request.url);
      const set = published[request.url];
      response.writeHead(set ? 200 : 404, { "Content-Type": "application/json" }).end(JSON.stringify(set ?? {}));
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const outbound = { enabled: true, ports: [server.address().port], allow: ["127.0.0.1/32"], ca: caFile };
    await writeFile(
      file,
      JSON.stringify({
        issuer,
        database,
        keys: join(directory, "keys"),
        templates: join(ROOT, "templates"),
        clientAssertions: true,
        outbound: { ...outbound, program: PROGRAM },
        sandbox: await sandboxHere(),
        log: { target: log },
      }),
    );
    await run(POSTERN, ["init", "--config", file]);
  });
  beforeEach(async () => {
    await sql("DELETE FROM fetched; DELETE FROM fetch_limits; DELETE FROM clients");
    await writeFile(log, "");
    asked = [];
    published = {};
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /// A client that publishes its keys there; the key that it has now.
  async function add(id, path, ...options) {
    const { jwk, jwks } = newKey("k1");
    published[path] = jwks;
    const words = ["client", "add", id, "--auth-method", "private_key_jwt", "--jwks-uri", at(path), ...options];
    const { code, stderr } = await postern(...words);
    assert.equal(code, 0, stderr);
    return { jwk, stderr };
  }
  const asApi = ["--grant", "client_credentials", "--scope", ""]; // as docs/CLIENTS.md registers one
  const asService = ["--grant", "client_credentials", "--scope", "reports"];
  function publishNew(path) {
    const { jwk, jwks } = newKey("k2");
    published[path] = jwks;
    return jwk;
  }

  /// The answer of the program, as plain CGI.
  function ask(program, path, form) {
    const body = new URLSearchParams(form).toString();
    const child = spawn(join(BUILD, "cgi-bin", program), [], {
      env: {
        POSTERN_CONFIG: file,
        REQUEST_METHOD: "POST",
        REQUEST_URI: path,
        SERVER_PROTOCOL: "HTTP/1.1",
        GATEWAY_INTERFACE: "CGI/1.1",
        REMOTE_ADDR: "192.0.2.1",
        CONTENT_TYPE: "application/x-www-form-urlencoded",
        CONTENT_LENGTH: body.length,
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("latin1").on("data", (part) => (output += part));
    child.stdin.end(body);
    return new Promise((done) => child.on("close", () => done(parseCgi(output))));
  }
  const introspect = (client, jwk) =>
    ask("introspect", "/token/introspect", { token: "x", ...assertion({ jwk, client, issuer }) });
  const getToken = (client, jwk) =>
    ask("token", "/token", { grant_type: "client_credentials", ...assertion({ jwk, client, issuer }) });

  it("the token endpoint fetches in its sandbox, once while it is fresh [FETCH-2, FETCH-9, FETCH-10]", async () => {
    const { jwk } = await add("robot", "/robot", ...asService);
    await sql("DELETE FROM fetched");
    asked = [];
    for (let time = 0; time < 2; ++time) assert.equal((await getToken("robot", jwk)).status, 200);
    assert.deepEqual(asked, ["/robot"]);
    const next = publishNew("/robot");
    assert.equal((await getToken("robot", next)).status, 401); // not again within 30 s
    await sql("UPDATE fetched SET fetched_at = fetched_at - 31");
    assert.equal((await getToken("robot", next)).status, 200);
    assert.equal((await getToken("robot", jwk)).status, 401);
    assert.deepEqual(asked, ["/robot", "/robot"]);
  });

  it("introspection takes the set that is kept, however old, and says what to do without one [FETCH-15]", async () => {
    const { jwk } = await add("api", "/api", ...asApi);
    await age(100_000);
    assert.equal((await introspect("api", jwk)).status, 200);
    await sql("DELETE FROM fetched");
    asked = [];
    const refused = await introspect("api", jwk);
    assert.equal(refused.status, 401);
    assert.deepEqual(asked, []);
    const { stdout } = await postern("why", refused.headers["x-request-id"]);
    const said = /no usable set is kept, and this endpoint fetches none; `(postern client set [^`]* api)` fetches it/;
    assert.match(stdout, said);
    const [, command] = stdout.match(said);
    assert.equal((await postern(...command.split(" ").slice(1))).code, 0);
    assert.equal((await introspect("api", jwk)).status, 200);
  });

  it("purge renews the sets of clients that only introspect, once they are stale [FETCH-15]", async () => {
    await add("api", "/api", ...asApi);
    await add("robot", "/robot", ...asService);
    await add("app", "/app", "--redirect-uri", "https://app.example/cb");
    const next = publishNew("/api");
    asked = [];
    await postern("purge", "--quick");
    assert.deepEqual(asked, []); // they are fresh
    await age(10);
    const { code, stderr } = await postern("purge", "--quick");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(asked.sort(), ["/api", "/robot"]); // a service may be an API, too
    assert.equal((await introspect("api", next)).status, 200);
    await age(10);
    await postern("client", "disable", "robot");
    await postern("client", "disable", "api");
    asked = [];
    await postern("purge");
    assert.deepEqual(asked, []);
  });

  it("purge names sets that cannot be had, and keeps to the limits [FETCH-11, FETCH-15]", async () => {
    for (let number = 1; number <= 7; ++number) {
      await add(`api${number}`, `/api${number}`, ...asApi);
      await sql("DELETE FROM fetch_limits"); // the command has them, too
    }
    await age(10_000); // stale for too long to serve
    published = { "/api1": { keys: [{ kty: "oct", k: "AA" }] } };
    asked = [];
    const { code, stderr, stdout } = await postern("purge", "--quick", "--json");
    assert.equal(code, 0);
    assert.ok("grants" in JSON.parse(stdout));
    assert.equal(asked.length, 6); // of one host in a minute
    assert.match(stderr, /the keys of client "api\d" at "https:[^"]*" cannot be had: the answer has status 404/);
    assert.match(stderr, /cannot be had: more than 6 fetches from this host in a minute/);
  });

  it("a set with a thousand keys is refused, registered or published, and costs no time [KEY-5, FETCH-8]", async () => {
    const { keys } = newKey("k").jwks;
    const thousand = { keys: Array.from({ length: 1000 }, (_, number) => ({ ...keys[0], kid: `k${number}` })) };
    const small = { keys: Array.from({ length: 1000 }, () => ({ kty: "x" })) };
    const words = ["client", "add", "robot", "--auth-method", "private_key_jwt", ...asService];
    for (const [set, reason] of [
      [thousand, /longer than 65536 bytes|larger|too|more than/],
      [small, /20 keys/],
    ]) {
      const path = join(directory, "many.jwks");
      await writeFile(path, JSON.stringify(set));
      published = { "/many": set };
      for (const place of [
        ["--jwks", path],
        ["--jwks-uri", at("/many")],
      ]) {
        await sql("DELETE FROM fetch_limits");
        const begun = Date.now();
        const { code, stderr } = await postern(...words, ...place);
        assert.equal(code, 1);
        assert.match(stderr, reason);
        assert.ok(Date.now() - begun < 5000);
      }
    }
  });

  it("client add advises to register the keys of a client that only introspects [FETCH-15]", async () => {
    assert.match((await add("api", "/api", ...asApi)).stderr, /introspects or revokes alone[^\n]*--jwks FILE/);
    assert.doesNotMatch((await add("robot", "/robot", ...asService)).stderr, /introspects or revokes alone/);
  });

  it("doctor names sets that are not kept, not renewed, not usable, and not to be had [FETCH-15]", async () => {
    await add("api", "/api", ...asApi);
    assert.deepEqual(await ofKeys(), []);
    const details = async (...words) => (await ofKeys(...words)).map(({ detail }) => detail).join();
    await age(90_000);
    assert.match(await details(), /client "api" at "https:.*" was not renewed for more than a day/);
    await sql("UPDATE fetched SET fresh_until = 0");
    assert.match(await details(), /could not be used when it was fetched last/);
    await sql("DELETE FROM fetched");
    assert.match(await details(), /is not kept, and introspection fetches none/);
    await postern("purge", "--quick");
    assert.deepEqual(await ofKeys("--url"), []);
    published = {};
    assert.match(await details("--url"), /client "api" .* cannot be had: the answer has status 404/);
    // It changes nothing.
    assert.equal(await sql("SELECT count(*) FROM fetch_limits WHERE limit_key LIKE 'failed%'"), "0");
  });
});
