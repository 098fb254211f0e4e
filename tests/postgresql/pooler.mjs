// PgBouncer before a server, as CGI programs need one: each of their processes makes a connection, and for each of
// these the server starts a process. With `mode` "session" a client keeps its connection to the server until it ends,
// with "transaction" until its transaction has ended.
import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identity } from "./server.mjs";

const settings = (server, directory, { mode, size, users }) => `[databases]
* = host=${server.directory}${users ? "" : " user=postgres"}
[pgbouncer]
listen_addr =
unix_socket_dir = ${directory}
listen_port = 5432
auth_type = ${users ? "trust" : "any"}
${users ? `auth_file = ${join(directory, "users")}` : ""}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
server_reset_query = DISCARD ALL
server_idle_timeout = 5
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
`;

export class Pooler {
  #process;

  /// It goes before the server does: `server` is a PostgreSQL, in whose directory it has its own. `size`: how many
  /// connections to the server there are at most, for each database. `users`: who may connect, each as itself, instead
  /// of all as the superuser; the size is then for each of them.
  static async start(server, { mode = "session", size = 20, users = undefined } = {}) {
    const directory = join(server.directory, "pooler");
    mkdirSync(directory, { mode: 0o711 });
    const file = join(directory, "pgbouncer.ini");
    writeFileSync(file, settings(server, directory, { mode, size, users }));
    writeFileSync(join(directory, "users"), (users ?? []).map((name) => `"${name}" ""\n`).join(""));
    if (identity.uid !== undefined)
      for (const path of [directory, file, join(directory, "users")]) chownSync(path, identity.uid, identity.gid);
    const pooler = new Pooler();
    let said = "";
    pooler.#process = spawn("/usr/sbin/pgbouncer", [file], { ...identity, stdio: ["ignore", "ignore", "pipe"] });
    pooler.#process.stderr.on("data", (chunk) => (said += chunk));
    while (!existsSync(join(directory, ".s.PGSQL.5432"))) {
      if (pooler.#process.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    pooler.uri = server.uriBy(directory);
    return pooler;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
  }
}
