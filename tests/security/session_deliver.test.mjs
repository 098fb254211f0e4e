// `postern session deliver`: what an application gets that is told of the end of a session, and what those cost that
// hang, redirect, fail or are somewhere inside (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5, §2.8).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { makeCertificate, privateDirectory } from "../support/web_server.mjs";

const PROGRAM = join(BUILD, "libexec/fetch/fetch");
const POSTERN = join(BUILD, "bin/postern");
const withoutProgram = existsSync(PROGRAM) ? false : "built without libcurl";
const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const ISSUER = "https://id.example";

const decoded = (segment) => JSON.parse(Buffer.from(segment, "base64url"));

describe("postern session deliver", { skip: withoutProgram }, () => {
  const directory = temporaryDirectory();
  let server;
  let received = []; // { path, method, type, form }
  let open = []; // answers that are never given
  let configured;
  const file = join(directory, "postern.json");
  const database = join(directory, "postern.db");

  /// How an application answers, by the path.
  const ANSWERS = {
    "/ok": (response) => response.writeHead(200).end("{}"),
    "/empty": (response) => response.writeHead(204).end(),
    "/long": (response) => response.writeHead(200).end("x".repeat(100_000)),
    "/drip": (response) => response.writeHead(200).write("x"), // and no more
    "/bad": (response) => response.writeHead(400, { "Content-Type": "application/json" }).end('{"error":"x"}'),
    "/broken": (response) => response.writeHead(500).end(),
    "/away": (response) => response.writeHead(302, { Location: "/ok" }).end(),
    "/hang": (response) => open.push(response),
  };

  const port = () => server.address().port;
  const at = (path, host = "127.0.0.1") => `https://${host}:${port()}${path}`;
  const sql = async (statement) => (await run("sqlite3", ["-batch", "-json", database, statement])).stdout;
  const rows = async (statement) => JSON.parse((await sql(statement)) || "[]");
  const waiting = () => rows("SELECT client_id, tries, jti FROM logout_outbox ORDER BY client_id");
  const configure = (outbound = {}) =>
    writeFile(file, JSON.stringify({ ...configured, outbound: { ...configured.outbound, ...outbound } }));
  const postern = async (...words) => {
    const { stdout, stderr } = await run(POSTERN, [...words, "--json", "--config", file]);
    return { ...JSON.parse(stdout), stderr };
  };
  const deliver = async () => {
    const { sent, failed, dropped, stderr } = await postern("session", "deliver");
    return { counts: { sent, failed, dropped }, stderr };
  };
  const makeDue = () => sql("UPDATE logout_outbox SET not_before = 1");
  const audited = async (event) =>
    (await readFile(join(directory, "log"), "utf8"))
      .split("\n")
      .filter((line) => line.includes(`"${event}"`))
      .map((line) => JSON.parse(line));

  before(async () => {
    const { certificate, key, caFile } = await makeCertificate(await privateDirectory(join(directory, "tls")));
    server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
      let body = "";
      request.on("data", (bytes) => (body += bytes));
      request.on("end", () => {
        const form = new URLSearchParams(body);
        received.push({ path: request.url, method: request.method, type: request.headers["content-type"], form });
        ANSWERS[request.url.replace(/\?.*/, "")](response);
      });
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    configured = {
      issuer: ISSUER,
      database,
      keys: join(directory, "keys"),
      templates: join(ROOT, "templates"),
      oidc: { userClaims: "database" },
      backchannelLogout: true,
      outbound: { enabled: true, ports: [port()], allow: ["127.0.0.1/32", "::1/128"], ca: caFile, program: PROGRAM },
      log: { target: join(directory, "log") },
    };
    await configure();
    await run(POSTERN, ["init", "--config", file]);
    const adding = spawn(POSTERN, ["user", "add", "ada", "--password-stdin", "--config", file], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    adding.stdin.end("secret boats of ada\n");
    await new Promise((done) => adding.on("exit", done));
  });
  beforeEach(async () => {
    received = [];
    await configure();
    await writeFile(join(directory, "log"), "");
    await sql("DELETE FROM logout_outbox; DELETE FROM session_clients; DELETE FROM clients; DELETE FROM sessions");
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /// Ends a session in which each of the clients has an ID token: { id: address }.
  async function endSession(clients, sid = "a session") {
    for (const [id, uri] of Object.entries(clients)) {
      const words = ["client", "add", id, "--redirect-uri", `https://${id}.example/cb`];
      await postern(...words, "--backchannel-logout-uri", uri);
    }
    const now = Math.floor(Date.now() / 1000);
    await sql(`INSERT INTO sessions (cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at)
      SELECT 'cookie', '${sid}', subject, ${now}, ${now}, ${now}, ${now + 3600} FROM users`);
    const ids = Object.keys(clients).map((id) => `'${id}'`);
    await sql(`INSERT INTO session_clients SELECT '${sid}', id, ${now}, ${now + 3600} FROM clients
      WHERE id IN (${ids})`);
    const ended = await postern("session", "end", "--user", "ada");
    assert.equal(ended.sessions, 1);
    assert.equal(ended.applications, Object.keys(clients).length);
  }

  it("posts a logout token alone, signed as ID tokens are [BCL-6, BCL-7, Back-Channel Logout §2.5]", async () => {
    await endSession({ app: at("/ok?a=1") });
    assert.deepEqual((await deliver()).counts, { sent: 1, failed: 0, dropped: 0 });
    const [{ path, method, type, form }] = received;
    assert.deepEqual([path, method, type], ["/ok?a=1", "POST", "application/x-www-form-urlencoded"]);
    assert.deepEqual([...form.keys()], ["logout_token"]);
    const [header, payload, signature] = form.get("logout_token").split(".");
    const { alg, typ, kid } = decoded(header);
    assert.deepEqual([alg, typ], ["RS256", "logout+jwt"]);
    const { keys } = JSON.parse(readFileSync(join(directory, "keys/jwks.json"), "utf8"));
    const key = createPublicKey({ key: keys.find((each) => each.kid === kid), format: "jwk" });
    assert.ok(verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url")));
    const claims = decoded(payload);
    const [{ subject }] = await rows("SELECT subject FROM users");
    assert.deepEqual(Object.keys(claims).sort(), ["aud", "events", "exp", "iat", "iss", "jti", "sid", "sub"]);
    assert.deepEqual([claims.iss, claims.aud, claims.sub, claims.sid], [ISSUER, "app", subject, "a session"]);
    assert.deepEqual(claims.events, { [EVENT]: {} });
    assert.equal(claims.exp, claims.iat + 120);
    assert.deepEqual(await waiting(), []);
    const [line] = await audited("logout_notified");
    assert.equal(line.client_id, "app");
    assert.ok(!JSON.stringify(line).includes(claims.jti));
  });

  it("what counts as told, and what is tried again [BCL-5, BCL-7, Back-Channel Logout §2.8]", async () => {
    const outcomes = {
      ok: "told",
      empty: "told",
      long: "told", // nothing of the answer is kept
      drip: "told",
      bad: "ended",
      broken: "again",
      away: "again", // nobody follows
    };
    await endSession(Object.fromEntries(Object.keys(outcomes).map((name) => [name, at(`/${name}`)])));
    const { counts, stderr } = await deliver();
    assert.deepEqual(counts, { sent: 4, failed: 3, dropped: 0 });
    assert.match(stderr, /application away was not told that a session has ended: the application answered 302/);
    const left = (await waiting()).map(({ client_id, tries }) => [client_id, tries]);
    assert.deepEqual(left, [
      ["away", 1],
      ["broken", 1],
    ]);
    assert.equal(received.filter(({ path }) => path === "/ok").length, 1);
    const [failed] = await audited("logout_notification_failed");
    assert.deepEqual([failed.client_id, failed.reason], ["bad", "the application answered 400"]);
  });

  it("four tries in two hours, and then it is given up [BCL-5]", async () => {
    await endSession({ app: at("/broken") });
    const next = async () => (await rows("SELECT not_before - unixepoch() AS wait FROM logout_outbox"))[0]?.wait;
    for (const wait of [60, 600, 3600]) {
      await deliver();
      const left = await next();
      assert.ok(left > wait - 5 && left <= wait, `${left} of ${wait}`);
      await deliver(); // is not due
      await makeDue();
    }
    await deliver();
    assert.deepEqual(await waiting(), []);
    assert.equal(received.length, 4);
    const tokens = received.map(({ form }) => decoded(form.get("logout_token").split(".")[1]));
    assert.equal(new Set(tokens.map(({ jti }) => jti)).size, 1);
    assert.equal((await audited("logout_notification_failed")).length, 1);

    await endSession({ late: at("/ok") }, "another session");
    await sql("UPDATE logout_outbox SET expires_at = 1");
    assert.deepEqual((await deliver()).counts, { sent: 0, failed: 1, dropped: 0 });
    assert.deepEqual(await waiting(), []);
    assert.equal((await audited("logout_notification_failed")).length, 2);
  });

  it("an application that hangs keeps no other from being told, and its other rows lose no try [BCL-5]", async () => {
    const hanging = Object.fromEntries(["h1", "h2", "h3", "h4"].map((id) => [id, at("/hang", "localhost")]));
    await endSession({ ...hanging, good: at("/ok") });
    const begun = Date.now();
    const { counts } = await deliver();
    assert.ok(Date.now() - begun < 10_000);
    assert.equal(counts.sent, 1);
    assert.equal(counts.failed, 2); // at once
    const tries = (await waiting()).map((row) => row.tries);
    assert.deepEqual(tries.sort(), [0, 0, 1, 1]);
    for (const response of open) response.destroy();
  });

  it("an address that leads inside is not connected to, whenever it does [BCL-1, BCL-4, FETCH-5]", async () => {
    await endSession({ app: at("/ok", "localhost"), other: at("/ok") });
    await configure({ allow: [] }); // as if the names had been moved since
    const { counts } = await deliver();
    assert.deepEqual(counts, { sent: 0, failed: 2, dropped: 0 });
    assert.equal(received.length, 0);
    assert.equal((await waiting()).length, 2);
    const words = ["client", "set", "app", "--backchannel-logout-uri", at("/ok")];
    await assert.rejects(postern(...words), /not one of the public Internet|outbound.allow/);
  });

  it("TLS is verified, and a host that refuses is a host that gave no answer [BCL-5, FETCH-7]", async () => {
    await endSession({ app: at("/ok") });
    await configure({ ca: "/etc/ssl/certs/ca-certificates.crt" });
    assert.deepEqual((await deliver()).counts, { sent: 0, failed: 1, dropped: 0 });
    assert.equal(received.length, 0);
    assert.equal((await waiting())[0].tries, 1);
  });

  it("the address is that of now; without client or address the row goes; disabled is told [BCL-4]", async () => {
    await endSession({ moved: at("/broken"), gone: at("/ok"), bare: at("/ok"), off: at("/ok") });
    await postern("client", "set", "moved", "--backchannel-logout-uri", at("/empty"));
    await postern("client", "set", "bare", "--no-backchannel-logout-uri");
    await run(POSTERN, ["client", "remove", "gone", "--config", file]);
    await run(POSTERN, ["client", "disable", "off", "--config", file]);
    assert.deepEqual((await deliver()).counts, { sent: 2, failed: 0, dropped: 2 });
    assert.deepEqual(received.map(({ path }) => path).sort(), ["/empty", "/ok"]);
    assert.deepEqual(await waiting(), []);
  });

  it("a sender that is killed costs a wait, and the token comes with the same jti [BCL-4, BCL-5]", async () => {
    await endSession({ app: at("/hang") });
    const sender = spawn(POSTERN, ["session", "deliver", "--config", file], { stdio: "ignore" });
    while (received.length === 0) await new Promise((done) => setTimeout(done, 20));
    sender.kill("SIGKILL");
    await new Promise((done) => sender.on("exit", done));
    for (const response of open) response.destroy();
    assert.equal((await waiting())[0].tries, 1);
    assert.deepEqual((await deliver()).counts, { sent: 0, failed: 0, dropped: 0 }); // is not due yet
    await postern("client", "set", "app", "--backchannel-logout-uri", at("/ok"));
    await makeDue();
    assert.deepEqual((await deliver()).counts, { sent: 1, failed: 0, dropped: 0 });
    const jtis = received.map(({ form }) => decoded(form.get("logout_token").split(".")[1]).jti);
    assert.equal(jtis.length, 2);
    assert.equal(jtis[0], jtis[1]);
  });

  it("two senders at once send each token once [BCL-5]", async () => {
    const ids = [...Array(24).keys()].map((number) => `app${number}`);
    await endSession(Object.fromEntries(ids.map((id, at_) => [id, at("/ok", at_ % 2 ? "localhost" : "127.0.0.1")])));
    const both = await Promise.all([deliver(), deliver()]);
    assert.equal(both[0].counts.sent + both[1].counts.sent, ids.length);
    const told = received.map(({ form }) => decoded(form.get("logout_token").split(".")[1]).aud);
    assert.deepEqual(told.sort(), [...ids].sort());
    assert.deepEqual(await waiting(), []);
  });

  it("one run sends all rows of one host, and those that are made meanwhile [BCL-5]", async () => {
    await endSession({ app: at("/ok") });
    await sql(`INSERT INTO logout_outbox WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      SELECT 'row ' || i, 'app', 'sub', 'sid', 'jti ' || i, 0, 1, unixepoch() + 7200 FROM n`);
    const running = deliver();
    while (received.length < 3) await new Promise((done) => setTimeout(done, 20));
    await sql(`INSERT INTO logout_outbox VALUES ('a late one', 'app', 'sub', 'sid', 'late', 0, 1, unixepoch() + 7200)`);
    const { counts } = await running;
    const left = (await waiting()).length;
    assert.equal(counts.sent + left, 702);
    assert.equal(counts.failed, 0);
    if (left === 0) return;
    assert.ok(counts.sent > 500, `${counts.sent} in one run`); // of 50 s, on a busy machine
  });

  it("what is wrong here costs no try: no program, no key [BCL-5]", async () => {
    await endSession({ app: at("/ok") });
    await configure({ program: join(directory, "none") });
    await assert.rejects(postern("session", "deliver"), /cannot be run/);
    await configure();
    await sql("UPDATE clients SET details = json_set(details, '$.id_token_signed_response_alg', 'EdDSA')");
    await assert.rejects(postern("session", "deliver"), /cannot be made/);
    assert.equal((await waiting())[0].tries, 0);
    await sql("UPDATE clients SET details = json_remove(details, '$.id_token_signed_response_alg')");
    assert.deepEqual((await deliver()).counts, { sent: 1, failed: 0, dropped: 0 });
  });

  it("without the option there is nothing to send [BCL-1]", async () => {
    await writeFile(file, JSON.stringify({ ...configured, backchannelLogout: false }));
    await assert.rejects(postern("session", "deliver"), /backchannelLogout/);
  });
});
