// A PostgreSQL server of one test file, from the distribution's package: its own directory, a Unix socket and no port.
// What it holds is thrown away with it, so it does not wait for the disk.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { endianness, tmpdir } from "node:os";
import { join } from "node:path";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { makeCertificate } from "../support/web_server.mjs";

const PLAIN = ["-X", "-q", "-A", "-t"]; // results alone, whatever the user has in ~/.psqlrc
const ROLES = join(ROOT, "examples/postgresql/roles.sql");

/// Debian keeps the programs of each version in a directory of its own.
export function programs() {
  const versions = "/usr/lib/postgresql";
  const installed = existsSync(versions) ? readdirSync(versions) : [];
  const latest = installed.sort((a, b) => Number(a) - Number(b)).at(-1);
  return latest ? join(versions, latest, "bin") : execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
}

const idOf = (kind) => Number(execFileSync("id", [kind, "postgres"], { encoding: "utf8" }));
/// The server refuses to run as root.
export const identity = process.getuid() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};

/// Runs what is typed into psql, without the script that Debian puts before it; answers what it prints.
function psql(options, input) {
  const args = [...PLAIN, ...options];
  return execFileSync(join(programs(), "psql"), args, {
    encoding: "utf8",
    input,
    stdio: ["pipe", "pipe", "pipe"],
  }).trim();
}

const SETTINGS = {
  listen_addresses: "",
  fsync: "off",
  full_page_writes: "off",
  max_connections: "100",
  lock_timeout: "4s",
  client_min_messages: "warning",
};

/// A certificate for a server on this machine: { caFile, settings }, the server's settings with its copy of the key.
export async function tlsIn(directory) {
  const { certificate, key, caFile } = await makeCertificate(directory);
  const own = join(directory, "server.key"); // PostgreSQL wants a key that no one else can read
  copyFileSync(key, own);
  chmodSync(own, 0o600);
  if (identity.uid !== undefined) chownSync(own, identity.uid, identity.gid);
  return { caFile, settings: { ssl: "on", ssl_cert_file: certificate, ssl_key_file: own } };
}

export class PostgreSQL {
  #directory = mkdtempSync(join(tmpdir(), "postern-pg-"));
  #settings;
  #env = {};
  #server;
  #said = "";

  /// Settings of postgresql.conf that differ from those above; undefined: the server's own, which can be changed later.
  /// clock: true for one that setClock() moves.
  static async start(settings = {}, { clock = false } = {}) {
    const server = new PostgreSQL();
    if (clock) server.#ownClock();
    server.#settings = { ...SETTINGS, ...settings, unix_socket_directories: server.#directory };
    server.#initialise();
    await server.resume();
    return server;
  }

  /// A standby of `primary`, whose durable commits wait for it from now on.
  static async startStandby(primary) {
    const standby = new PostgreSQL();
    standby.#settings = { ...SETTINGS, unix_socket_directories: standby.#directory };
    standby.#own();
    standby.#run("pg_basebackup", "-h", primary.directory, "-U", "postgres", "-D", standby.#data, "-R", "--no-sync");
    await standby.resume();
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.sql("SELECT pg_reload_conf()");
    while (primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") !== "1")
      await new Promise((resolve) => setTimeout(resolve, 20));
    return standby;
  }

  get uri() {
    return this.uriBy(this.#directory);
  }

  /// By way of another socket.
  uriBy(directory) {
    return `postgresql:///postgres?host=${directory}&user=postgres${this.#port}`;
  }

  /// In the name of the socket too.
  get #port() {
    return this.#settings.port ? `&port=${this.#settings.port}` : "";
  }

  /// Of the process that has started the others.
  get pid() {
    return this.#server.pid;
  }

  /// Where its socket is.
  get directory() {
    return this.#directory;
  }

  #run(program, ...args) {
    return execFileSync(join(programs(), program), args, { ...identity, cwd: this.#directory, stdio: "pipe" });
  }

  /// What it wrote to standard error.
  get log() {
    return this.#said;
  }

  /// As the server's superuser.
  sql(text, uri = this.uri) {
    return psql(["-v", "ON_ERROR_STOP=1", "-d", uri], text);
  }

  /// The SQLSTATE of each statement; they need not succeed. Not waited for like the others: the server writes a line
  /// about each failure, which has to be read meanwhile.
  async states(statements, uri) {
    const running = run(join(programs(), "psql"), [...PLAIN, "-d", uri]);
    running.child.stdin.end(statements.map((statement) => `${statement};\n\\echo :SQLSTATE\n`).join(""));
    return (await running).stdout.trim().split("\n");
  }

  /// Makes the database with a role for each program, by the script that is shipped. Answers the superuser's URI of it
  /// and the one for a configuration, which names no role.
  addDatabase(name) {
    this.sql(`CREATE DATABASE ${name}`);
    const superuser = this.uri.replace("/postgres?", `/${name}?`);
    const uri = superuser.replace("&user=postgres", "");
    this.runRoles(superuser);
    return { superuser, uri };
  }

  /// The script that is shipped, in the database of that URI.
  runRoles(superuser) {
    psql(["-d", superuser], readFileSync(ROLES, "utf8"));
  }

  get #data() {
    return join(this.#directory, "data");
  }

  #own() {
    chmodSync(this.#directory, 0o711); // the programs of a web server reach the socket, and nothing else
    if (identity.uid !== undefined) chownSync(this.#directory, identity.uid, identity.gid);
  }

  /// See fake_clock_preload.c.
  #ownClock() {
    const preloaded = join(this.#directory, "clock.so"); // a copy that the server's user can reach
    copyFileSync(join(BUILD, "tests/fake_clock_preload.so"), preloaded);
    this.#env = { LD_PRELOAD: preloaded, POSTERN_TEST_CLOCK_AHEAD: join(this.#directory, "ahead") };
    this.setClock(0);
  }

  /// From now on the server takes the time to be so many seconds later, or earlier, than it is.
  setClock(ahead) {
    const number = Buffer.alloc(8);
    (endianness() === "LE" ? number.writeBigInt64LE : number.writeBigInt64BE).call(number, BigInt(ahead));
    writeFileSync(join(this.#directory, "ahead"), number, { flag: existsSync(this.#data) ? "r+" : "w" });
  }

  #initialise() {
    this.#own();
    this.#run("initdb", "-D", this.#data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync");
  }

  /// Starts the server that halt() has ended.
  async resume() {
    const data = this.#data;
    const given = Object.entries(this.#settings).filter(([, value]) => value !== undefined);
    const options = given.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#server = spawn(join(programs(), "postgres"), ["-D", data, ...options], {
      ...identity,
      cwd: this.#directory,
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#server.stderr.setEncoding("utf8").on("data", (chunk) => (this.#said += chunk));
    const ready = () =>
      existsSync(join(data, "postmaster.pid")) && /ready/.test(readFileSync(join(data, "postmaster.pid")));
    while (!ready()) {
      if (this.#server.exitCode !== null) throw new Error(`postgres ended: ${this.#said}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /// Ends it at once, as a crash would.
  async halt() {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#server.once("exit", resolve));
    this.#server.kill("SIGQUIT");
    await ended;
  }

  async stop() {
    await this.halt();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
