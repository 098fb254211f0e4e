// The lines of OPERATIONS.md for pg_ident.conf and pg_hba.conf, in a server: each program logs in with the certificate
// of its own role, and with no other.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { sandboxHere } from "../security/sandbox.mjs";
import { ROOT } from "../support/deployment.mjs";
import { WITH_DATABASE } from "../support/endpoints.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { freePort, identity } from "../support/web_server.mjs";
import { PostgreSQL, tlsIn } from "./server.mjs";

const isRoot = process.getuid() === 0;
const chown = (owner, file) => isRoot && execFileSync("chown", [owner, file]);

/// The lines of pg_ident.conf and those of pg_hba.conf.
function shown() {
  const [, section] = readFileSync(join(ROOT, "docs/OPERATIONS.md"), "utf8").split("\n### Roles\n");
  return section.match(/```text\n([^]*?)```/)[1].split("\n\n");
}

describe("a database server that asks each role for its certificate", () => {
  const directory = temporaryDirectory();
  const file = (name) => join(directory, name);
  let server;
  let database;
  let caFile;
  let port;
  let p;

  /// Of the authority that has signed the server's. `name` is that of the user of a program.
  async function issue(program, name, owner) {
    const [key, request] = [file(`${program}.key`), file(`${program}.csr`)];
    const fresh = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
    await run("openssl", [...fresh, "-subj", `/CN=${name}`, "-out", request]);
    const signed = ["-CA", caFile, "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2"];
    await run("openssl", ["x509", "-req", "-in", request, ...signed, "-out", file(`${program}.crt`)]);
    chmodSync(key, 0o600);
    chown(owner, key);
  }

  prepared(async (owned) => {
    chmodSync(directory, 0o755);
    const tls = await tlsIn(directory);
    ({ caFile } = tls);
    for (const program of [...WITH_DATABASE, "admin"])
      await issue(program, `postern-${program}`, program === "admin" ? "root" : identity.user);
    const [names, rules] = shown();
    assert.ok(rules.includes("192.0.2.8/29"));
    assert.match(names, /^postern +root +postern_admin$/m);
    writeFileSync(file("pg_ident.conf"), names.replace(/^(postern +)root /m, `$1${userInfo().username} `));
    // The superuser of the test comes by the socket.
    writeFileSync(file("pg_hba.conf"), `local all postgres trust\n${rules.replace("192.0.2.8/29", "127.0.0.1/32")}`);
    port = await freePort();
    server = owned(
      await PostgreSQL.start({
        listen_addresses: "127.0.0.1",
        port,
        ...tls.settings,
        ssl_ca_file: caFile,
        hba_file: file("pg_hba.conf"),
        ident_file: file("pg_ident.conf"),
      }),
    );
    database = server.addDatabase("postern");
    p = owned(
      await openProvider({
        config: {
          database:
            `postgresql://localhost:${port}/postern?hostaddr=127.0.0.1&sslrootcert=${caFile}` +
            `&sslcert=${directory}/{endpoint}.crt&sslkey=${directory}/{endpoint}.key`,
          sandbox: await sandboxHere(),
        },
      }),
    );
  });

  it("the server reads every line", () => {
    const found = server.sql("SELECT count(*), count(error) FROM pg_hba_file_rules");
    assert.equal(found, "3|0");
    if (server.sql("SELECT to_regclass('pg_ident_file_mappings')") === "") return; // since version 15
    assert.equal(server.sql("SELECT count(*), count(error) FROM pg_ident_file_mappings"), "2|0");
  });

  it("a sign-in, with every program under its own role by its certificate", async () => {
    const { access_token: token } = await p.tokens(p.clients.web, { scope: "openid profile offline_access" });
    assert.equal((await p.introspect(token)).active, true);
    assert.equal((await p.userinfo(token)).status, 200);
    assert.equal((await p.revoke(p.clients.web, token)).status, 200);
    await p.person().visit(`${p.issuer}/logout`);
    const connected = server.sql(
      `SELECT DISTINCT usename, client_dn FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
       WHERE application_name LIKE 'postern-%' ORDER BY 1`,
    );
    assert.deepEqual(
      connected.split("\n"),
      [...WITH_DATABASE].sort().map((program) => `postern_${program}|/CN=postern-${program}`),
    );
  });

  /// What psql says as a role with the certificate of a program; "" when it may log in.
  async function logIn(role, program) {
    const key = file("copy.key"); // psql takes none of another user's
    writeFileSync(key, readFileSync(file(`${program}.key`)), { mode: 0o600 });
    const uri =
      `postgresql://localhost:${port}/postern?hostaddr=127.0.0.1&user=${role}&sslmode=verify-full` +
      `&sslrootcert=${caFile}&sslcert=${file(`${program}.crt`)}&sslkey=${key}`;
    return run("psql", ["-X", "-q", "-d", uri, "-c", "SELECT 1"]).then(
      () => "",
      ({ stderr }) => stderr,
    );
  }

  it("a certificate is refused for the role of any other program, and for the owner and the superuser", async () => {
    for (const program of [...WITH_DATABASE, "admin"]) assert.equal(await logIn(`postern_${program}`, program), "");
    for (const other of ["postern_login", "postern_admin", "postern_sweep", "postern_owner", "postgres"])
      assert.match(
        await logIn(other, "token"),
        /certificate authentication failed for user|is not permitted to log in/,
      );
    assert.match(server.log, /no match in usermap "postern" for user "postern_login" authenticated as "postern-token"/);
  });

  it("no role logs in without a certificate, and a user of this machine only as the map says", async () => {
    const plain = `postgresql://localhost:${port}/postern?hostaddr=127.0.0.1&user=postern_token`;
    for (const options of ["&sslmode=disable", `&sslmode=require&sslcert=${file("none")}&sslkey=${file("none")}`])
      await assert.rejects(
        run("psql", ["-X", "-q", "-d", plain + options, "-c", "SELECT 1"]),
        /pg_hba.conf|certificate/,
      );
    const bySocket = (role) => `${database.uri}&user=${role}`;
    assert.equal(server.sql("SELECT session_user", bySocket("postern_admin")), "postern_admin");
    for (const role of ["postern_token", "postern_sweep"])
      assert.throws(() => server.sql("SELECT 1", bySocket(role)), /Peer authentication failed for user/);
  });
});
