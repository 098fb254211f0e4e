// A server whose name gets another address. A process resolves names when it starts, and cannot do it later; so one
// whose server is away for too long ends, and the web server starts the next.
import assert from "node:assert/strict";
import { copyFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { basicOf, openProvider } from "../security/provider.mjs";
import { SingleProcess } from "../security/single_process.mjs";
import { BUILD } from "../support/deployment.mjs";
import { freePort } from "../support/web_server.mjs";
import { PostgreSQL } from "./server.mjs";

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

describe("a server behind a name", () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-names-"));
  const names = join(directory, "names");
  const given = { ...process.env };
  let server;
  let port;
  let p;

  /// The server is at this address of the machine from now on, and nowhere else.
  async function moveServer(address) {
    server.sql(`ALTER SYSTEM SET listen_addresses = '${address}'`);
    await server.halt();
    await server.resume();
  }
  /// What is known of the name from now on.
  const resolveTo = (address) => writeFileSync(names, address);

  before(async () => {
    chmodSync(directory, 0o755);
    const preloaded = join(directory, "names.so"); // a copy that the web server's user can reach
    copyFileSync(join(BUILD, "tests/names_preload.so"), preloaded);
    // The sanitizer's library comes behind the preloaded one; that is well here.
    const ASAN_OPTIONS = [given.ASAN_OPTIONS, "verify_asan_link_order=0"].filter(Boolean).join(":");
    Object.assign(process.env, {
      LD_PRELOAD: preloaded,
      POSTERN_TEST_NAMES: names,
      POSTERN_MAX_AWAY: "1",
      ASAN_OPTIONS,
    });
    const rules = join(directory, "pg_hba.conf");
    writeFileSync(rules, "local all all trust\nhost all all 127.0.0.0/8 trust\n");
    port = await freePort();
    server = await PostgreSQL.start({ listen_addresses: undefined, port, hba_file: rules });
    await moveServer("127.0.0.1");
    resolveTo("127.0.0.1");
    p = await openProvider({ config: { database: uriOf("db.test"), sandbox: "auto" } });
  });
  after(async () => {
    await p?.stop();
    await server?.stop();
    process.env = given;
    rmSync(directory, { recursive: true, force: true });
  });

  const uriOf = (host) => `postgresql://${host}:${port}/postgres?user=postgres&sslmode=disable`;
  const form = { grant_type: "client_credentials" };
  const askForToken = () => p.post("/token", form, { client: p.clients.machine });
  const ends = () => p.deployment.log.match(/"program":"token","event":"end"[^\n]*/g) ?? [];

  /// 500 is the web server's, for a request that met a process as it ended.
  const isUnserved = (status) => assert.ok([500, 503].includes(status), `${status}`);
  async function untilServed() {
    for (;;) {
      const { status } = await askForToken();
      if (status === 200) return;
      isUnserved(status);
      await pause();
    }
  }
  /// The web server hands a line on when it gets to it.
  async function untilLogged(says) {
    while (!says.test(p.deployment.log)) await pause();
  }

  it("is found at its new address, also after many processes did not find it", { timeout: 120_000 }, async () => {
    await untilServed();
    assert.deepEqual(ends(), []);
    await moveServer("127.0.0.2");
    while (ends().length < 8) {
      isUnserved((await askForToken()).status);
      await pause();
    }
    assert.match(ends()[0], /no database server could be reached for \d+ s: .*resolves the names of its hosts again/);
    resolveTo("127.0.0.2");
    await untilServed();
  });

  it("is found when its name is unknown at the start, and known later", { timeout: 120_000 }, async () => {
    await p.deployment.halt();
    resolveTo("unknown");
    await p.deployment.resume();
    const { status, headers } = await askForToken();
    assert.equal(status, 503);
    assert.equal(headers["retry-after"], "5");
    await untilLogged(/"event":"store_failed"[^\n]*no host of \\"database\\" can be resolved: db.test/);
    resolveTo("127.0.0.2");
    await untilServed();
  });

  it("a process ends after an answer, with success", { timeout: 60_000 }, async () => {
    const authorization = basicOf(p.clients.machine.id, p.clients.machine.secret);
    const single = await SingleProcess.start(p.deployment, "token");
    assert.equal((await single.post("/token", form, authorization)).status, 200);
    await server.halt();
    let code;
    single.ended.then((ended) => (code = ended));
    let answers = 0;
    while (code === undefined) {
      try {
        const { status } = await single.post("/token", form, authorization);
        if (status === 0) continue; // it ended while this connection waited in the queue
        assert.equal(status, 503);
        ++answers;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await pause();
    }
    assert.equal(code, 0);
    assert.ok(answers > 1);
    await server.resume();
    await untilServed();
  });
});
