// Which connections are left to a process whose database is on a server: those by which the server is reached. The
// handler is the one of tests/security/sandbox.test.mjs, which has everything else that a process tries.
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { missingHere } from "../security/sandbox.mjs";
import { BUILD } from "../support/deployment.mjs";
import { listening } from "../support/listening.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { freePort } from "../support/web_server.mjs";
import { PostgreSQL } from "./server.mjs";

const missing = await missingHere();

/// [the attempt, with the server at a Unix socket, with the server at a TCP port].
const ATTEMPTS = [
  ["database", /^ok$/, /^ok$/],
  ["tcp", /^EPERM$/, /^EACCES$/], // another port than the server's; "ok" before Landlock 4
  ["mptcp", /^EPERM$/, /^EPERM$/],
  ["fast open", /^EPERM$/, /^EPERM$/],
  ["fast open by message", /^EPERM$/, /^EPERM$/],
  ["fast open by messages", /^EPERM$/, /^EPERM$/],
  ["deferred connection", /^EPERM$/, /^EPERM$/],
  ["unix socket", /^ok$/, /^EPERM$/], // Landlock forbids no path, docs/THREAT-MODEL.md
  ["datagram", /^EPERM$/, /^EPERM$/],
  ["packets of this machine", /^EPERM$/, /^EPERM$/],
  ["udp", /^EPERM$/, /^EPERM$/],
  ["netlink", /^EPERM$/, /^EPERM$/],
  ["bind", /^EPERM$/, /^EPERM$/],
  ["program", /^EPERM$/, /^EPERM$/],
];

const skip = missing ? `here is no sandbox: ${missing}` : false;
describe("a process whose database is on a server", { skip }, () => {
  const directory = temporaryDirectory();
  let uris;
  let listener;

  prepared(async (owned) => {
    await chmod(directory, 0o755);
    const port = await freePort();
    const server = owned(await PostgreSQL.start({ listen_addresses: "127.0.0.1", port }));
    uris = [server.uri, `postgresql://127.0.0.1:${port}/postgres?user=postgres`];
    await run(join(BUILD, "bin/postern"), ["init"], { env: await environment(uris[0]) });
    const refusing = async (...where) =>
      owned(
        await listening(
          createServer((one) => one.destroy()),
          { where },
        ),
      );
    listener = await refusing(0, "127.0.0.1");
    await refusing(join(directory, "listener"));
  });

  /// Of a process with this database.
  async function environment(database) {
    const config = join(directory, "postern.json");
    const settings = { issuer: "https://id.example", database, keys: join(directory, "keys"), state: directory };
    await writeFile(config, JSON.stringify({ ...settings, sandbox: "require" }));
    return { ...process.env, POSTERN_CONFIG: config };
  }

  /// Before version 4 it knows no ports.
  async function knowsPorts(env) {
    const { stdout } = await run(join(BUILD, "bin/postern"), ["doctor", "--json"], { env }).catch((failure) => failure);
    return Number(stdout.match(/Landlock version (\d+)/)[1]) >= 4;
  }

  for (const [at, title] of [
    [0, "has Unix sockets alone where the server is at one [G05]"],
    [1, "has TCP to the server's port alone where the server is at one [G05]"],
  ]) {
    it(title, async () => {
      const env = await environment(uris[at]);
      const request = { REQUEST_METHOD: "GET", REQUEST_URI: "/probe" };
      const probe = {
        PROBE_PATH: "/probe",
        PROBE_PLACE: directory,
        PROBE_PORT: `${listener.port}`,
        PROBE_SOCKET: join(directory, "listener"),
      };
      const { stdout } = await run(join(BUILD, "tests/sandbox_probe"), [], { env: { ...env, ...request, ...probe } });
      const results = JSON.parse(stdout.slice(stdout.indexOf("\r\n\r\n")));
      const isPort = await knowsPorts(env);
      for (const [attempt, ...expected] of ATTEMPTS) {
        if (attempt !== "tcp" || isPort || at === 0) assert.match(results[attempt], expected[at], attempt);
      }
    });
  }
});
