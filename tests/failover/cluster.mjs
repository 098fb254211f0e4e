// A cluster of one test file from the distribution's packages: etcd, and three PostgreSQL servers that Patroni manages,
// with synchronous_mode and synchronous_mode_strict. Each server is reached at a loopback port.
import { execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { identity, programs } from "../postgresql/server.mjs";
import { childrenOf } from "../security/workers.mjs";
import { PATIENCE } from "../support/user_agent.mjs";
import { PATH, freePort } from "../support/web_server.mjs";

const run = promisify(execFile);
const HOST = "127.0.0.1";
const SCOPE = "postern";
const TTL = 20; // seconds
const LONGEST_WAIT = 300_000 * PATIENCE;

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

/// A program in the foreground, as the user of the servers; its output goes to a file.
class Program {
  #command;
  #child;

  constructor(directory, name, command) {
    this.directory = directory;
    this.logFile = join(directory, `${name}.log`);
    this.#command = command;
  }

  start() {
    const log = openSync(this.logFile, "a");
    const [program, ...args] = this.#command;
    this.#child = spawn(program, args, {
      ...identity,
      cwd: this.directory,
      env: { ...process.env, PATH, HOME: this.directory },
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
  constructor(directory, name, { port, rest, store }) {
    Object.assign(this, { name, port, rest });
    this.directory = join(directory, name);
    this.data = join(this.directory, "data");
    mkdirSync(this.directory, { mode: 0o700 });
    if (identity.uid !== undefined) chownSync(this.directory, identity.uid, identity.gid);
    this.configFile = join(this.directory, "patroni.json");
    writeFileSync(this.configFile, JSON.stringify(this.#configuration(store)));
    this.manager = new Program(this.directory, "patroni", ["patroni", this.configFile]);
  }

  #configuration(store) {
    return {
      scope: SCOPE,
      name: this.name,
      restapi: { listen: `${HOST}:${this.rest}`, connect_address: `${HOST}:${this.rest}` },
      etcd3: { host: `${HOST}:${store}` },
      bootstrap: {
        dcs: {
          ttl: TTL,
          loop_wait: 5,
          retry_timeout: 5,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, shared_buffers: "32MB" } },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
      },
      postgresql: {
        listen: `${HOST}:${this.port}`,
        connect_address: `${HOST}:${this.port}`,
        data_dir: this.data,
        bin_dir: programs(),
        pgpass: join(this.directory, "pgpass"),
        authentication: { superuser: { username: "postgres" }, replication: { username: "postgres" } },
        parameters: { unix_socket_directories: this.directory },
        pg_hba: [`host all all ${HOST}/32 trust`, `host replication all ${HOST}/32 trust`, "local all all trust"],
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
      },
      watchdog: { mode: "off" },
    };
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
    const uri = `postgresql://${HOST}:${this.port}/${database}?user=postgres&connect_timeout=5`;
    return execFileSync("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", uri], {
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 26,
      timeout: 60_000,
      stdio: ["pipe", "pipe", "pipe"],
    }).trim();
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
    if (identity.uid !== undefined) chownSync(this.#directory, identity.uid, identity.gid);
    this.store = new Program(this.#directory, "etcd", [
      "etcd",
      ...["--data-dir", join(this.#directory, "etcd")],
      ...["--listen-client-urls", `http://${HOST}:${store}`, "--advertise-client-urls", `http://${HOST}:${store}`],
      ...["--listen-peer-urls", `http://${HOST}:${peers}`, "--initial-advertise-peer-urls", `http://${HOST}:${peers}`],
      ...["--initial-cluster", `default=http://${HOST}:${peers}`],
    ]);
    this.members = ["a", "b", "c"].map(
      (name, i) => new Member(this.#directory, name, { store, port: rest[2 * i], rest: rest[2 * i + 1] }),
    );
    await this.repair();
  }

  /// Of `database`, by way of whichever server may be written.
  uri(database, user) {
    const hosts = this.members.map(({ port }) => `${HOST}:${port}`).join(",");
    return `postgresql://${hosts}/${database}?user=${user}&target_session_attrs=read-write`;
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
    return standbys === "2" && leader.sql("SELECT pg_is_in_recovery()") === "f" ? places : null;
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
