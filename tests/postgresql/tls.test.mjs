// A database server that proves its name by TLS, and roles that prove theirs by a password file of each program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { sandboxHere } from "../security/sandbox.mjs";
import { BUILD } from "../support/deployment.mjs";
import { secrets } from "../support/secrets.mjs";
import { WITH_DATABASE } from "../support/endpoints.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { freePort, identity, makeCertificate } from "../support/web_server.mjs";
import { PostgreSQL, tlsIn } from "./server.mjs";

const SCOPE = "openid profile offline_access";
/// Of this machine in a network; undefined without one.
const OWN_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;
const chown = (owner, file) => process.getuid() === 0 && execFileSync("chown", [owner, file]);

describe("a database server over TLS, with a password for each role", () => {
  const directory = temporaryDirectory();
  const passwordOf = (program) => `geheim-${program}-7Qm2xW`;
  let server;
  let port;
  let caFile;
  let superuser;
  let p;

  /// `host` is the name that the certificate has to have: another address than this machine's is never asked.
  const uriFor = (host, rest = "") =>
    `postgresql://${host}:${port}/postern?hostaddr=127.0.0.1&sslrootcert=${caFile}` +
    `&passfile=${directory}/{endpoint}.pass${rest}`;

  function writePassword(program, password, owner) {
    const file = join(directory, `${program}.pass`);
    writeFileSync(file, `*:*:*:postern_${program}:${password}\n`, { mode: 0o600 });
    chown(owner, file);
  }

  prepared(async (owned) => {
    chmodSync(directory, 0o755);
    const tls = await tlsIn(directory);
    ({ caFile } = tls);
    const rules = join(directory, "pg_hba.conf");
    const own = OWN_ADDRESS ? `host postern postern_admin ${OWN_ADDRESS}/32 scram-sha-256\n` : "";
    writeFileSync(rules, `local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n${own}`);
    port = await freePort();
    server = owned(
      await PostgreSQL.start({
        listen_addresses: ["127.0.0.1", OWN_ADDRESS].filter(Boolean).join(),
        port,
        ...tls.settings,
        hba_file: rules,
      }),
    );
    ({ superuser } = server.addDatabase("postern"));
    for (const program of [...WITH_DATABASE, "admin"]) {
      const password = passwordOf(program);
      secrets.remember("password", password);
      server.sql(`ALTER ROLE postern_${program} PASSWORD '${password}'`);
      writePassword(program, password, program === "admin" ? "root" : identity.user);
    }
    p = owned(await openProvider({ config: { database: uriFor("localhost"), sandbox: await sandboxHere() } }));
  });

  const command = (...args) =>
    run(join(BUILD, "bin/postern"), args, { env: p.deployment.environment }).catch((failure) => failure);

  /// What the command says with another URI in the configuration.
  async function doctorWith(database) {
    const file = p.deployment.environment.POSTERN_CONFIG;
    const configured = readFileSync(file, "utf8");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(configured), database }));
    try {
      return (await command("doctor")).stdout;
    } finally {
      writeFileSync(file, configured);
    }
  }

  it("a sign-in, with every program over TLS under its own role, without a word in the URI about either", async () => {
    const { access_token: token, refresh_token: refresh } = await p.tokens(p.clients.web, { scope: SCOPE });
    assert.equal((await p.introspect(token)).active, true);
    assert.equal((await p.userinfo(token)).status, 200);
    assert.equal((await p.refresh(p.clients.web, refresh)).status, 200);
    assert.equal((await p.revoke(p.clients.web, token)).status, 200);
    await p.person().visit(`${p.issuer}/logout`);
    const connected = server.sql(
      `SELECT DISTINCT usename, application_name, ssl, version IN ('TLSv1.2', 'TLSv1.3')
       FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name LIKE 'postern%' ORDER BY 1`,
      superuser,
    );
    assert.deepEqual(
      connected.split("\n"),
      [...WITH_DATABASE].sort().map((program) => `postern_${program}|postern-${program}|t|t`),
    );
  });

  it("a server whose certificate has another name is refused, and so is one of another authority", async () => {
    assert.match(
      await doctorWith(uriFor("db.example.org")),
      /certificate[^\n]*does not match host name "db.example.org"/,
    );
    const other = mkdtempSync(join(directory, "other-"));
    const another = await makeCertificate(other);
    assert.match(await doctorWith(uriFor("localhost", `&sslrootcert=${another.caFile}`)), /certificate verify failed/);
  });

  it("doctor names a connection through a network that is not encrypted, or not verified", async (t) => {
    if (!OWN_ADDRESS) return t.skip("this machine has the loopback address alone");
    const through = async (mode) => {
      const uri = uriFor("localhost", `&sslmode=${mode}`).replace("127.0.0.1", OWN_ADDRESS);
      return (await doctorWith(uri)).match(/the connection is[^\n]*/g) ?? [];
    };
    const fix = /set ssl = on at the server, and sslmode=verify-full with sslrootcert=FILE in the URI/;
    assert.match((await through("disable")).join(), /^the connection is not encrypted: who can read the network reads/);
    assert.match(
      (await through("require")).join(),
      /^the connection is encrypted, but the server's name is not checked/,
    );
    assert.match((await through("verify-ca")).join(), /^the connection is encrypted, but the server's name is not/);
    assert.match(await doctorWith(uriFor("localhost", "&sslmode=disable").replace("127.0.0.1", OWN_ADDRESS)), fix);
    assert.match((await through("verify-full&sslmode=require")).join(), /^the connection is encrypted, but/);
    assert.deepEqual(await through("verify%2Dfull"), []);
    const verified = await doctorWith(uriFor("localhost").replace("127.0.0.1", OWN_ADDRESS));
    assert.match(verified, /^ok +role:/m); // it is connected
    assert.doesNotMatch(verified, /the connection is/);
  });

  it("a program with a wrong password answers 503 and says why, and serves when the password is right", async () => {
    const ask = () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
    assert.equal((await ask()).status, 200);
    writePassword("token", "another", identity.user);
    server.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'postern_token'");
    const refused = await ask();
    assert.equal(refused.status, 503);
    assert.equal(refused.headers["retry-after"], "5");
    assert.match(
      p.deployment.log,
      /"event":"store_failed"[^\n]*password authentication failed for user .*postern_token/,
    );
    assert.equal((await p.userinfo("none")).status, 401);
    writePassword("token", passwordOf("token"), identity.user);
    while ((await ask()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  });

  it("no password is in arguments or environment of a process, in a log, or in what the command prints", async () => {
    let said = p.deployment.log + server.log;
    for (const args of [["doctor"], ["doctor", "--json"], ["stats"], ["user", "list"]]) {
      const { stdout, stderr } = await command(...args);
      said += stdout + stderr;
    }
    said += execFileSync("ps", ["-eww", "-o", "args"], { encoding: "utf8", maxBuffer: 1 << 26 });
    for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const file = `/proc/${entry}/environ`;
      try {
        if (existsSync(file)) said += readFileSync(file, "latin1");
      } catch {
        /* another user's, or the process has ended */
      }
    }
    assert.doesNotMatch(said, /geheim-/);
    assert.match(said, /postern-token|cgi-bin\/token/); // the programs are among the processes
  });
});
