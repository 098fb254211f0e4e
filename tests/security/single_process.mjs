// One process of one executable, with its listener on descriptor 0 as spawn-fcgi and systemd start it, and the raw
// connections of somebody who reaches its socket. Nothing stands between: no web server mends or hides what happens.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PATIENCE } from "../support/user_agent.mjs";
import { PATH, identity } from "../support/web_server.mjs";
import { conversation, parseCgi, parseRecords } from "./records.mjs";

const TICKS = 100; // a second, in /proc on every Linux
const START_TIMEOUT_MS = 60_000 * PATIENCE;
const ANSWER_TIMEOUT_MS = 60_000 * PATIENCE;
/// Freed memory is put aside by AddressSanitizer, 256 MB of it: too much to see anything behind it.
export const ASAN_OPTIONS = [process.env.ASAN_OPTIONS, "quarantine_size_mb=1", "verify_asan_link_order=0"]
  .filter(Boolean)
  .join(":");
/// What AddressSanitizer, UBSan and the C++ library's assertions say before they end a process.
const SANITIZER = /AddressSanitizer|LeakSanitizer|runtime error:|Assertion .* failed/;
let counter = 0;

export class SingleProcess {
  #child;
  #stderr = "";
  #ended;

  /// The executable `name` of a deployment, with its configuration. `env` is added to the environment; `descriptors`:
  /// how many files are open before it starts, so that its connections have larger numbers; `cwd`: where it starts;
  /// `under`: a command that runs it, with its arguments.
  static async start(deployment, name, options = {}) {
    const worker = new SingleProcess(deployment, name, options);
    for (const end = Date.now() + START_TIMEOUT_MS; !(await worker.#connects()); ) {
      if (worker.#child.exitCode !== null || worker.#child.signalCode !== null || Date.now() > end) {
        await worker.stop();
        throw new Error(`${name} does not start: ${worker.log}`);
      }
      await new Promise((done) => setTimeout(done, 20));
    }
    return worker;
  }

  /// One that is expected to end by itself: { code, log }. The time is up when it has not.
  static async failure(deployment, name, options = {}) {
    const worker = new SingleProcess(deployment, name, options);
    const timer = setTimeout(() => worker.#child.kill("SIGKILL"), START_TIMEOUT_MS);
    const code = await worker.#ended;
    clearTimeout(timer);
    return { code, log: worker.log };
  }

  constructor(deployment, name, { env = {}, descriptors = 0, cwd, under = [] } = {}) {
    Object.assign(this, { name, issuer: deployment.issuer, socket: join(deployment.directory, "s", `w${++counter}`) });
    const program = join(deployment.cgiBin, name);
    const crowded =
      `ulimit -n 4096; for ((n = 3; n < ${descriptors}; ` + `n++)); do eval "exec $n</dev/null"; done; exec "$0"`;
    const command = descriptors > 0 ? ["/bin/bash", "-c", crowded, program] : [...under, program];
    const who = process.getuid() === 0 ? ["-u", identity.user, "-g", identity.group] : [];
    this.#child = spawn("spawn-fcgi", ["-n", "-s", this.socket, "-b", "2048", ...who, "--", ...command], {
      cwd,
      env: { ...process.env, PATH, POSTERN_CONFIG: join(deployment.directory, "postern.json"), ASAN_OPTIONS, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
    this.#ended = new Promise((done) =>
      this.#child.once("close", (code, signal) => done(code ?? signal)).once("error", done),
    );
  }

  get pid() {
    return this.#child.pid;
  }
  get log() {
    return this.#stderr;
  }
  /// Its exit code, or the signal that ended it, once it has ended by itself.
  get ended() {
    return this.#ended;
  }

  /// Whether abort(3) has ended it, once it can be known: a process that has only hung up is still there.
  async hasAborted() {
    if (!/Assertion .* failed|stack smashing/.test(this.#stderr)) return false;
    return (await this.#ended) === "SIGABRT";
  }

  /// Throws unless the process that was started is still there and nothing was found wrong inside it.
  verify() {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${this.name} ended with ${exitCode ?? signalCode}: ${this.log.slice(-2000)}`);
    if (SANITIZER.test(this.#stderr)) throw new Error(`${this.name}: ${this.log.slice(-4000)}`);
  }

  /// A connection to write to; `received` gathers what comes, `closed` is fulfilled when the process hangs up.
  open() {
    const socket = connect({ path: this.socket, allowHalfOpen: true });
    const peer = { socket, received: Buffer.alloc(0) };
    socket.on("data", (part) => {
      peer.received = Buffer.concat([peer.received, part]);
    });
    peer.connected = new Promise((done) => {
      socket.once("connect", () => done(true)).once("error", () => done(false));
    });
    peer.closed = new Promise((done) => {
      socket.once("close", done);
    });
    socket.on("error", () => {}); // whoever is hung up on while he still writes is told so
    socket.on("end", () => socket.end());
    return peer;
  }

  /// Writes the bytes, closes our side, and gives back what came until the process closed its own.
  async send(bytes) {
    const peer = this.open();
    peer.socket.setTimeout(ANSWER_TIMEOUT_MS, () => peer.socket.destroy());
    peer.socket.end(Array.isArray(bytes) ? Buffer.concat(bytes) : bytes);
    await peer.closed;
    return peer.received;
  }

  /// One whole request, see variablesOf(): { status, headers, body, json, ended }. Throws when the process is another,
  /// or gone.
  async ask(request) {
    const { stdout, ended } = parseRecords(await this.send(conversation(this.issuer, request)));
    this.verify();
    return { ...parseCgi(stdout), ended };
  }

  /// A form posted with an Authorization header.
  post(path, parameters, authorization, headers = {}) {
    const body = typeof parameters === "string" ? parameters : new URLSearchParams(parameters).toString();
    return this.ask({
      method: "POST",
      path,
      body,
      headers: { ...(authorization ? { authorization } : {}), ...headers },
    });
  }

  /// What the kernel says about the process: kilobytes of memory, seconds of work, and the size of its table of
  /// descriptors, which grows and never shrinks. All can be read of any process, also of one whose descriptors are
  /// nobody's business.
  usage() {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    const number = (name) => Number(status.match(new RegExp(`^${name}:\\s*(\\d+)`, "m"))[1]);
    const ticks = readFileSync(`/proc/${this.pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return { memory: number("VmRSS"), descriptors: number("FDSize"), work: (ticks[0] + ticks[1]) / TICKS };
  }

  /// Ends it with SIGTERM; gives its exit code, or the signal that ended it.
  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    return this.#ended;
  }

  async #connects() {
    const peer = this.open();
    const connected = await peer.connected;
    peer.socket.destroy();
    return connected;
  }
}
