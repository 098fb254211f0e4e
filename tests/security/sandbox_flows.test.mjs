// Everything works for processes that have given up everything else: the whole flow behind each web server, and what
// happens to a server in the course of its life.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as apache from "../support/fronts/apache.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import * as nginx from "../support/fronts/nginx.mjs";
import { Authenticator } from "../support/authenticator.mjs";
import { onPostgreSQL } from "../support/deployment.mjs";
import { assertion, newKey, proof } from "../support/signer.mjs";
import { privateDirectory } from "../support/web_server.mjs";
import { flows } from "../servers/flow.mjs";
import { prepared } from "../support/prepared.mjs";
import { openProvider } from "./provider.mjs";
import { missingHere } from "./sandbox.mjs";
import { Workers } from "./workers.mjs";

const missing = await missingHere();
const skip = missing ? `here is no sandbox: ${missing}` : false;
const config = { sandbox: "require" };
/// A test of the database file.
const ofFile = onPostgreSQL ? () => {} : it;

const fronts = [
  ["lighttpd", lighttpd.fastcgi, { redirectsPlain: false }],
  ["lighttpd as CGI programs", lighttpd.cgi, { redirectsPlain: false }],
  ["Apache", apache.proxyFcgi, {}],
  ["nginx", nginx.fastcgi, {}],
];
describe("a sandbox", () => {
  it("is there, or what keeps it away has a name", () => {
    if (missing) assert.match(missing, /sanitizers|[Ll]andlock|seccomp/);
  });
});
for (const [title, front, more] of fronts)
  flows(`confined, behind ${title}`, front, { ...more, bases: ["/auth"], config, skip });

describe("a confined server in the course of its life", { skip }, () => {
  let provider;
  let logs;
  const workers = new Workers(2);
  prepared(async (owned) => {
    logs = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    owned({ stop: () => rm(logs, { recursive: true }) });
    provider = owned(
      await openProvider({
        tls: false,
        host: "localhost", // a passkey is for a host with a name
        front: workers.front,
        config: { ...config, log: { target: join(logs, "postern.log") } },
      }),
    );
  });
  const pids = () => workers.processes.map(({ pid }) => pid).sort((a, b) => a - b);
  const kidOf = (token) => JSON.parse(Buffer.from(token.split(".")[0], "base64url")).kid;
  const database = (suffix = "") => join(provider.deployment.directory, `db/postern.db${suffix}`);

  it("the same processes sign and verify with a new key, and seal with a new seal.key [J18]", async () => {
    const { web } = provider.clients;
    const before = pids();
    const old = await provider.tokens(web);
    await provider.deployment.postern(["key", "rotate", "--lead", "0"]);
    await provider.deployment.postern(["key", "rotate", "--seal"]);
    for (let round = 0; round < 4; ++round) {
      // each of the processes
      const tokens = await provider.tokens(web, {}, provider.person());
      assert.notEqual(kidOf(tokens.access_token), kidOf(old.access_token));
      for (const { access_token } of [tokens, old]) {
        assert.equal((await provider.introspect(access_token)).active, true);
        assert.equal((await provider.userinfo(access_token)).status, 200);
      }
    }
    assert.deepEqual(pids(), before);
  });

  it("the log goes on in a new file when the old one was moved and the processes got the signal", async () => {
    const log = join(logs, "postern.log");
    await rename(log, `${log}.1`);
    const old = new Set(pids());
    for (const pid of old) process.kill(pid, "SIGUSR1");
    for (const end = Date.now() + 60_000; pids().filter((pid) => !old.has(pid)).length < old.size; ) {
      assert.ok(Date.now() < end, "others are started");
      await provider.ask("/jwks");
    }
    const { headers } = await provider.ask("/jwks");
    assert.ok(readFileSync(log, "utf8").includes(headers["x-request-id"]));
    assert.ok(!readFileSync(`${log}.1`, "utf8").includes(headers["x-request-id"]));
  });

  it("refusals are recorded, wrong passwords counted, and the right password signs in", async () => {
    const { headers } = await provider.post("/token", { grant_type: "parrot" }, { client: provider.clients.web });
    assert.equal((await provider.deployment.postern(["why", headers["x-request-id"]])).endpoint, "token");
    const person = provider.person();
    let page = await person.visit(provider.authorizationUrl(provider.clients.trusted));
    for (let round = 0; round < 3; ++round) page = await person.signIn(page, provider.user.username, "wrong");
    page = await person.signIn(page, provider.user.username, provider.user.password);
    assert.ok(page.location?.searchParams.get("code") || page.form?.buttons.approve, page.title);
  });

  for (const algorithm of ["ES256", "EdDSA", "RS256"])
    it(`a passkey of ${algorithm} is added, and signs in alone and behind the password [WEBAUTHN-8]`, async () => {
      const before = pids();
      const user = { username: `holder-${algorithm}`.toLowerCase(), password: "another quiet gate" };
      await provider.deployment.addUser(user.username, user.password);
      const key = new Authenticator(algorithm);
      const owner = provider.person();
      await provider.walk(owner, `${provider.issuer}/account`, { user });
      const form = await owner.visit(`${provider.issuer}/account/passkeys?add=yes`);
      const added = await owner.submit(form, "add-passkey", key.register(form));
      assert.match(added.body, /Your passkey is added/);
      for (const behindPassword of [false, true, false, true]) {
        // each of the processes
        const person = provider.person();
        let page = await person.visit(provider.authorizationUrl(provider.clients.trusted));
        if (behindPassword) page = await person.signIn(page, user.username, user.password);
        const signedIn = await person.submit(page, "use-passkey", key.use(page));
        assert.ok(signedIn.location?.searchParams.get("code"), signedIn.title);
      }
      assert.deepEqual(pids(), before);
    });

  it("a passkey that no user has is refused and recorded [WEBAUTHN-18]", async () => {
    const person = provider.person();
    const page = await person.visit(provider.authorizationUrl(provider.clients.trusted));
    const refused = await person.submit(page, "use-passkey", new Authenticator().use(page));
    assert.match(refused.body, /That passkey was not accepted/);
    const recorded = await provider.deployment.postern(["why", refused.headers["x-request-id"]]);
    assert.equal(recorded.endpoint, "login");
  });

  ofFile("the log of the database is written back as it grows, and stays small", async () => {
    const [small, large] = [statSync(database()).size, 5 * 1024 * 1024];
    for (let sent = 0; sent < 1200; sent += 8) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          provider.post("/token", { grant_type: "client_credentials" }, { client: provider.clients.machine }),
        ),
      );
      for (const { status, body } of answers) assert.equal(status, 200, body);
      assert.ok(statSync(database("-wal")).size <= large);
    }
    assert.ok(statSync(database()).size > small, "a checkpoint has been");
  });

  ofFile("introspection and UserInfo write nothing into the database", async () => {
    const { access_token } = await provider.tokens(provider.clients.web);
    const marks = () => ["", "-wal"].map((suffix) => statSync(database(suffix), { bigint: true }).mtimeNs);
    const before = marks();
    for (let round = 0; round < 8; ++round) {
      assert.equal((await provider.introspect(access_token)).active, true);
      assert.equal((await provider.introspect("unknown")).active, false);
      assert.equal((await provider.userinfo(access_token)).status, 200);
      assert.equal((await provider.userinfo("unknown")).status, 401);
    }
    assert.deepEqual(marks(), before);
  });
});

describe("a confined server that remembers what was used once", { skip }, () => {
  const { jwk, jwks } = newKey("k1");
  const workers = new Workers(2);
  let provider;
  prepared(async (owned) => {
    const options = { clientAssertions: true, dpop: "allowed" };
    provider = owned(await openProvider({ tls: false, front: workers.front, config: { ...config, ...options } }));
    const file = join(provider.deployment.directory, "robot.jwks");
    await writeFile(file, JSON.stringify(jwks));
    await chmod(file, 0o644);
    const signs = ["--auth-method", "private_key_jwt", "--jwks", file];
    const grants = ["--grant", "client_credentials", "--scope", "api"];
    await provider.deployment.postern(["client", "add", "robot", ...signs, ...grants]);
  });
  const replays = (name) => join(provider.deployment.directory, "db/replays", name);
  const signed = () => assertion({ jwk, client: "robot", issuer: provider.issuer });
  const shown = (path, more) => proof({ jwk, url: provider.issuer + path, ...more });
  const getToken = (form = signed(), headers = shown("/token")) =>
    provider.post("/token", { grant_type: "client_credentials", scope: "api", ...form }, { headers });

  it("each of the processes remembers what another took, introspection too [JTI-1, JTI-3, G05, CA-15]", async () => {
    for (let round = 0; round < 4; ++round) {
      const [once, first] = [signed(), shown("/token")];
      assert.equal((await getToken(once, first)).status, 200);
      assert.equal((await getToken(once)).json.error, "invalid_client");
      assert.equal((await getToken(signed(), first)).json.error, "invalid_dpop_proof");
      const again = signed();
      assert.equal((await provider.post("/token/introspect", { token: "x", ...again })).status, 200);
      assert.equal((await provider.post("/token/introspect", { token: "x", ...again })).status, 401);
      assert.equal((await getToken(again)).json.error, "invalid_client");
    }
  });

  it("UserInfo remembers proofs [DPOP-11, JTI-1, G05]", async () => {
    const { web } = provider.clients;
    const code = await provider.code(web, { scope: "openid" });
    const { json } = await provider.exchange(web, code, {}, { headers: shown("/token") });
    const ask = (headers) =>
      provider.ask("/userinfo", { headers: { authorization: `DPoP ${json.access_token}`, ...headers } });
    for (let round = 0; round < 4; ++round) {
      const once = shown("/userinfo", { method: "GET", token: json.access_token });
      assert.equal((await ask(once)).status, 200);
      assert.equal((await ask(once)).status, 401);
    }
  });

  ofFile("the logs of the marks are written back as they grow, and stay small [JTI-1]", async () => {
    for (let sent = 0; sent < 1200; sent += 8)
      for (const { status, body } of await Promise.all(Array.from({ length: 8 }, () => getToken())))
        assert.equal(status, 200, body);
    for (const name of ["assertions", "proofs"]) {
      assert.ok(statSync(replays(name)).size > 50_000, "a checkpoint has been");
      assert.ok(statSync(replays(`${name}-wal`)).size < 4 * 1024 * 1024);
    }
  });

  ofFile(
    "a process whose file of marks was taken away answers 503, and the next makes another [JTI-1, JTI-8]",
    async () => {
      await rm(replays("assertions"));
      const statuses = [];
      for (let tries = 0; statuses.at(-1) !== 200; ++tries) {
        assert.ok(tries < 20, statuses.join());
        statuses.push((await getToken()).status);
      }
      assert.equal(statuses[0], 503);
      // The web server answers 500 itself where it has given a request to a process that ends.
      assert.ok(
        statuses.every((status) => [200, 500, 503].includes(status)),
        statuses.join(),
      );
      const once = signed();
      const taken = [];
      for (let tries = 0; tries < 8; ++tries) taken.push((await getToken(once)).status);
      assert.equal(taken.filter((status) => status === 200).length, 1);
    },
  );
});
