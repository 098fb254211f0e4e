// A cluster of one test file from the distribution's packages, set up by the files and commands that OPERATIONS.md
// names: etcd, and three PostgreSQL servers that Patroni manages. Each is reached at loopback ports, so names,
// addresses and paths are others; so is what a test cannot have, three etcds and a watchdog.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identity, programs } from "../postgresql/server.mjs";
import { childrenOf } from "../security/workers.mjs";
import { ROOT } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { secrets } from "../support/secrets.mjs";
import { PATIENCE } from "../support/user_agent.mjs";
import { PATH, freePort, identity as web, makeCertificate } from "../support/web_server.mjs";

const HOST = "127.0.0.1";
const SCOPE = "postern";
const EXAMPLES = join(ROOT, "examples/postgresql");
export const LONGEST_WAIT = 300_000 * PATIENCE; // milliseconds

// A server is started again at its port, which therefore must not be one that the system gives to clients.
process.env.POSTERN_TEST_PORTS ??= "20000";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/// Waits until `condition` answers something true, and answers that. What it throws means "not yet".
export async function until(what, condition) {
  let reason = "";
  for (const end = Date.now() + LONGEST_WAIT; ; await pause(100)) {
    try {
      const found = await condition();
      if (found) return found;
    } catch (error) {
      reason = `: ${error.message}`;
    }
    if (Date.now() > end) throw new Error(`waited in vain until ${what}${reason}`);
  }
}

/// The shipped file with each [old, new] replaced wherever it stands; what is not there has been renamed.
export function filledIn(file, changes) {
  let text = readFileSync(file, "utf8");
  for (const [old, replacement] of changes) {
    if (!text.includes(old)) throw new Error(`${file} does not say ${old}`);
    text = text.replaceAll(old, replacement);
  }
  return text;
}

/// The commands of "On a Patroni cluster" in OPERATIONS.md, a list of lines for each block.
function manual() {
  const text = readFileSync(join(ROOT, "docs/OPERATIONS.md"), "utf8");
  const [, section] = text.split("\n### On a Patroni cluster\n");
  return [...section.split("\n### ")[0].matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block.trim().split("\n"));
}

/// The shipped configuration of a node.
export const nodeConfiguration = () =>
  JSON.parse(
    filledIn(join(ROOT, "examples/nodes/postern.json"), [])
      .replace(/(^|\s)\/\/ .*$/gm, "")
      .replace(/,(\s*})/g, "$1"),
  );

/// A program in the foreground, as the user of the servers; its output goes to a file.
class Program {
  #command;
  #env;
  #child;

  constructor(directory, name, command, env = {}) {
    this.directory = directory;
    this.logFile = join(directory, `${name}.log`);
    this.#command = command;
    this.#env = env;
  }

  start() {
    const log = openSync(this.logFile, "a");
    const [program, ...args] = this.#command;
    this.#child = spawn(program, args, {
      ...identity,
      cwd: this.directory,
      env: { ...process.env, PATH, HOME: this.directory, ...this.#env },
      stdio: ["ignore", log, log],
    });
  }

  get runs() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name) {
    if (this.runs) this.#child.kill(name);
  }

  /// Waits until it has ended.
  async end(name) {
    if (!this.runs) return;
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.signal("SIGCONT");
    this.signal(name);
    await ended;
  }
}

/// A PostgreSQL server and the Patroni that starts, stops and promotes it.
export class Member {
  constructor(directory, name, { port, rest, store, certificate }) {
    Object.assign(this, { name, port, rest });
    this.directory = join(directory, name);
    this.data = join(this.directory, "data");
    mkdirSync(this.directory, { mode: 0o700 });
    this.configFile = join(this.directory, "patroni.yml");
    const text = filledIn(join(EXAMPLES, "patroni.yml"), [
      ["name: db1\n", `name: ${name}\n`],
      ["db1.example.org:2379,db2.example.org:2379,db3.example.org:2379", `${HOST}:${store}`],
      ["0.0.0.0:8008", `${HOST}:${rest}`],
      ["db1.example.org:8008", `${HOST}:${rest}`],
      ["0.0.0.0:5432", `${HOST}:${port}`],
      ["db1.example.org:5432", `${HOST}:${port}`],
      ["/var/lib/postgresql/postern", this.data],
      ["/var/lib/postgresql/", `${this.directory}/`],
      ["/usr/lib/postgresql/15/bin", programs()],
      ["/var/run/postgresql", this.directory],
      ["/etc/patroni/ca.pem", certificate.caFile],
      ["/etc/patroni/server.pem", certificate.certificate],
      ["/etc/patroni/server.key", certificate.key],
      ["192.0.2.20/30", `${HOST}/32`],
      ["192.0.2.8/29", `${HOST}/32`],
      ["mode: required", "mode: off"],
      ...(identity.uid === undefined ? [[" peer\n", " trust\n"]] : []),
    ]);
    writeFileSync(this.configFile, text, { mode: 0o600 });
    if (identity.uid !== undefined)
      for (const file of [this.directory, this.configFile]) chownSync(file, identity.uid, identity.gid);
    this.manager = new Program(this.directory, "patroni", ["patroni", this.configFile]);
  }

  /// The server's processes, its first one in front; none when it does not run.
  #processes() {
    try {
      const first = Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0]);
      // The file of a server that was killed is left, and its number may be another's now.
      if (readlinkSync(`/proc/${first}/cwd`) !== this.data) return [];
      return [first, ...childrenOf(first)];
    } catch {
      return [];
    }
  }

  get serverRuns() {
    return this.#processes().length > 0;
  }

  /// Answers how many processes got it.
  signalServer(name) {
    const processes = this.#processes();
    for (const pid of processes) {
      try {
        process.kill(pid, name);
      } catch (error) {
        if (error.code !== "ESRCH") throw error; // it has ended since
      }
    }
    return processes.length;
  }

  /// Ends the manager and the server at once, as a machine that loses its power.
  async crash() {
    const manager = this.manager.end("SIGKILL");
    this.signalServer("SIGKILL");
    await manager;
  }

  async stop() {
    await this.manager.end("SIGKILL"); // it would start the server again
    this.signalServer("SIGCONT");
    this.signalServer("SIGQUIT");
    await until(`${this.name} has ended`, () => !this.serverRuns);
  }

  /// As the superuser of this server.
  sql(text, database = "postgres") {
    const options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"];
    return execFileSync("psql", [...options, "-h", this.directory, "-p", this.port, "-U", "postgres", "-d", database], {
      ...identity,
      cwd: this.directory,
      env: { ...process.env, PGCONNECT_TIMEOUT: "5", PGOPTIONS: "-csearch_path=postern,public" },
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 26,
      timeout: 60_000,
      stdio: ["pipe", "pipe", "pipe"],
    }).trim();
  }

  /// What an operator types as a superuser on this machine, in the shell.
  type(line, changes = []) {
    const words = [
      ["-h /var/run/postgresql", `-h ${this.directory} -p ${this.port}`],
      ["sudo -u postgres ", identity.uid === undefined ? "" : "runuser -u postgres -- "],
      ["ssh root@db1.example.org ", ""],
      ["sudo ", ""],
      ["/usr/local/share/doc/postern/", `${ROOT}/`],
      ...changes,
    ].reduce((text, [old, replacement]) => text.replaceAll(old, replacement), line);
    execFileSync("sh", ["-c", words], { cwd: "/", env: { ...process.env, PGUSER: "postgres" }, stdio: "pipe" });
  }
}

export class Cluster {
  #directory = mkdtempSync(join(tmpdir(), "postern-ha-"));

  /// Three servers, a leader among them, and the standbys follow it.
  static async start() {
    const cluster = new Cluster();
    try {
      await cluster.#begin();
      return cluster;
    } catch (error) {
      const said = cluster.log;
      await cluster.stop();
      throw new Error(`${error.message}\n${said}`);
    }
  }

  async #begin() {
    const ports = new Set();
    while (ports.size < 8) ports.add(await freePort());
    const [store, peers, ...rest] = ports;
    chmodSync(this.#directory, 0o711);
    const certificate = await makeCertificate(this.#directory);
    chmodSync(certificate.key, 0o600);
    if (identity.uid !== undefined)
      for (const file of [this.#directory, certificate.key]) chownSync(file, identity.uid, identity.gid);
    /// Of the authority that has signed the servers' certificates.
    this.caFile = certificate.caFile;
    const settings = filledIn(join(EXAMPLES, "etcd"), [
      [",db2=http://db2.example.org:2380,db3=http://db3.example.org:2380", ""],
      ["db1.example.org:2380", `${HOST}:${peers}`],
      ["db1.example.org:2379", `${HOST}:${store}`],
      ["192.0.2.21:2380", `${HOST}:${peers}`],
      ["192.0.2.21:2379", `${HOST}:${store}`],
      ["/var/lib/etcd/postern", join(this.#directory, "etcd")],
    ]);
    const env = Object.fromEntries(
      [...settings.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    this.store = new Program(this.#directory, "etcd", ["etcd"], env);
    this.members = ["db1", "db2", "db3"].map(
      (name, i) => new Member(this.#directory, name, { store, port: rest[2 * i], rest: rest[2 * i + 1], certificate }),
    );
    await this.repair();
  }

  /// Makes the database with a role for each program and their passwords, as the manual says. Answers the `database` of
  /// a node's configuration.
  async addDatabase() {
    const { leader } = await this.repair();
    const [, , roles, passwords, ...others] = manual();
    if (others.length > 0) throw new Error("OPERATIONS.md has commands that are not typed here");
    for (const line of roles) leader.type(line);
    const directory = join(this.#directory, "passwords");
    mkdirSync(directory, { mode: 0o755 });
    const there = ["/etc/postern ", `${directory} `];
    for (const line of passwords) leader.type(line, [there, [" www-data ", ` ${web.user} `]]);
    for (const name of readdirSync(directory))
      secrets.remember("password", readFileSync(join(directory, name), "utf8").trim().split(":").at(-1));
    const { database } = nodeConfiguration();
    return [
      [
        "//db1.example.org,db2.example.org,db3.example.org/",
        `//${this.members.map(({ port }) => `localhost:${port}`)}/`,
      ],
      ["hostaddr=192.0.2.21,192.0.2.22,192.0.2.23", `hostaddr=${[HOST, HOST, HOST]}`],
      ["/etc/postern/db.pem", this.caFile],
      ["/etc/postern/{endpoint}.pass", `${directory}/{endpoint}.pass`],
    ].reduce((uri, [old, replacement]) => uri.replace(old, replacement), database);
  }

  get versions() {
    const first = (program, ...args) => execFileSync(program, args, { encoding: "utf8" }).split("\n")[0].trim();
    return [
      first(join(programs(), "postgres"), "--version"),
      first("patroni", "--version"),
      first("etcd", "--version"),
    ];
  }

  /// What the managers and servers have said.
  get log() {
    const text = ({ logFile }) => {
      try {
        return `${logFile}\n${readFileSync(logFile, "utf8").split("\n").slice(-60).join("\n")}`;
      } catch {
        return "";
      }
    };
    return [this.store, ...(this.members ?? []).map(({ manager }) => manager)].filter(Boolean).map(text).join("\n");
  }

  /// { leader, synchronous, other } when each server has its place.
  async #places() {
    const answer = await fetch(`http://${HOST}:${this.members.find(({ manager }) => manager.runs).rest}/cluster`);
    const reported = (await answer.json()).members;
    const named = (role) => this.members.find(({ name }) => name === reported.find((one) => one.role === role)?.name);
    const places = { leader: named("leader"), synchronous: named("sync_standby"), other: named("replica") };
    if (!Object.values(places).every(Boolean)) return null;
    const { leader } = places;
    const standbys = leader.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'");
    if (standbys !== "2" || leader.sql("SELECT pg_is_in_recovery()") !== "f") return null;
    // A server waits for standbys once its checkpointer has read that it has to. One that was just promoted is busy
    // with a checkpoint until then, for seconds on a slow disk, and acknowledges what only it has.
    leader.sql("CHECKPOINT");
    return places;
  }

  /// Starts what does not run, lets go on what was stopped, and waits until each server has its place.
  async repair() {
    for (const each of [this.store, ...this.members.map(({ manager }) => manager)]) {
      each.signal("SIGCONT");
      if (!each.runs) each.start();
    }
    for (const member of this.members) member.signalServer("SIGCONT");
    return until("the cluster is complete", () => this.#places());
  }

  /// Waits until a server other than `former` may be written.
  untilAnotherLeads(former) {
    const others = this.members.filter((member) => member !== former);
    const leads = (member) => member.serverRuns && member.sql("SELECT pg_is_in_recovery()") === "f";
    return until("another server leads", () => others.some(leads));
  }

  /// By the manager's own command.
  async switchOver() {
    const { configFile } = this.members[0];
    await run("patronictl", ["-c", configFile, "switchover", SCOPE, "--force"], { env: { ...process.env, PATH } });
  }

  /// Ends exactly what was started.
  async stop() {
    for (const member of this.members ?? []) await member.stop();
    await this.store?.end("SIGKILL");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
