// Everything works for processes that have given up everything else: the whole flow behind each web server, and what
// happens to a server in the course of its life.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as apache from "../support/fronts/apache.mjs";
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import * as nginx from "../support/fronts/nginx.mjs";
import { Authenticator } from "../support/authenticator.mjs";
import { onPostgreSQL } from "../support/deployment.mjs";
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
