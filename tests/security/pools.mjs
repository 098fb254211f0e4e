// Pools of FastCGI processes that a test may signal one by one, alone or behind lighttpd.
import { spawn } from "node:child_process";
import { chownSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { PATH, WebServer, identity } from "../support/web_server.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

/// Processes of one program behind one socket; pool.py keeps their number.
export class Pool {
  #child;
  #ended;
  #stderr = "";
  #pids = new Set();
  #waiting = [];
  started = 0;

  /// `wrapper`: a command that starts the program for us, strace perhaps.
  static async start({ program, socket, count, env, wrapper = [] }) {
    const pool = new Pool();
    pool.socket = socket;
    pool.count = count;
    // Root's web servers run as another user, who must be able to connect.
    pool.#child = spawn("python3", [join(HERE, "pool.py"), socket, String(count), ...wrapper, program], {
      env: { ...process.env, PATH, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    pool.#child.stderr.setEncoding("utf8").on("data", (text) => {
      pool.#stderr += text;
    });
    pool.#child.stdin.on("error", () => {}); // it has ended: whoever asks it something notices by its pids
    pool.#ended = new Promise((done) =>
      pool.#child.once("exit", (code) => {
        pool.#say();
        done(code);
      }),
    );
    createInterface({ input: pool.#child.stdout }).on("line", (line) => {
      const [what, pid] = line.split(" ");
      if (what === "started") {
        pool.#pids.add(Number(pid));
        ++pool.started;
      } else pool.#pids.delete(Number(pid));
      pool.#say();
    });
    await pool.until(() => pool.started >= count);
    if (process.getuid() === 0) chownSync(socket, identity.uid, identity.gid);
    return pool;
  }

  #say() {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /// Waits until `condition` holds; it is looked at whenever a process has started or ended.
  async until(condition) {
    while (!condition()) {
      if (this.#child.exitCode !== null) throw new Error(`the pool of ${this.socket} has ended: ${this.#stderr}`);
      await new Promise((done) => this.#waiting.push(done));
    }
  }

  get pids() {
    return [...this.#pids];
  }
  get log() {
    return this.#stderr;
  }

  /// A signal for the process of that place, from its parent.
  signal(place, number) {
    this.#child.stdin.write(`${place} ${number}\n`);
  }

  /// Ends exactly these processes: 0 when all had worked until then.
  async stop() {
    this.#child.stdin.end();
    return this.#ended;
  }
}

/// A front (see ../support/fronts): lighttpd by the routing that is shipped, without TLS, and pools of
/// `counts[program]` processes that the test gets into `pools`. `wrapper(program, site)` may name a command that starts
/// them.
export const lighttpdWithPools =
  (pools, counts, { wrapper = () => [] } = {}) =>
  async (site) => {
    const { examples, directory, cgiBin, port, base, sockets, env } = site;
    const shipped = await readFile(join(examples, "lighttpd/postern-fastcgi.conf"), "utf8");
    const routing = shipped
      .replaceAll(/, "bin-path" => var\.postern_cgi_bin \+ "[^"]*"/g, "")
      .replaceAll(/^ *"max-procs" .*\n| *"bin-environment".*\n/gm, "");
    if (/bin-path"|max-procs/.test(routing)) throw new Error("the shipped routing is written in another way now");
    const stopPools = () => Promise.all(Object.values(pools).map((pool) => pool.stop()));
    try {
      for (const program of ENDPOINTS) {
        pools[program] = await Pool.start({
          program: join(cgiBin, program),
          socket: join(sockets, program),
          count: counts[program] ?? 1,
          env,
          wrapper: wrapper(program, site),
        });
      }
    } catch (error) {
      await stopPools(); // nobody else knows them yet
      throw error;
    }
    const file = join(directory, "lighttpd.conf");
    await writeFile(
      file,
      [
        `server.bind = "127.0.0.1"`,
        `server.port = ${port}`,
        `server.document-root = ${JSON.stringify(sockets)}`,
        `server.max-connections = 1024`,
        `server.max-request-field-size = 32768`,
        `server.max-request-size = 64`,
        `server.errorlog = ${JSON.stringify(join(directory, "lighttpd.log"))}`,
        `var.postern_base = ${JSON.stringify(base)}`,
        `var.postern_sockets = ${JSON.stringify(sockets)}`,
        routing,
        "",
      ].join("\n"),
    );
    const server = new WebServer("lighttpd", ["-D", "-f", file], { env, logFiles: [join(directory, "lighttpd.log")] });
    return {
      get pid() {
        return server.pid;
      },
      get log() {
        return (
          server.log +
          Object.values(pools)
            .map((pool) => pool.log)
            .join("")
        );
      },
      async untilItAnswers(...asked) {
        await server.untilItAnswers(...asked);
        return this;
      },
      async stop() {
        await server.stop();
        await stopPools();
      },
    };
  };

/// What /proc tells anybody about a process, in bytes: { resident, size, descriptorTable }.
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  const number = (name) => Number(text.match(new RegExp(`^${name}:\\s+(\\d+)`, "m"))?.[1] ?? 0);
  return { resident: number("VmRSS") * 1024, size: number("VmSize") * 1024, descriptorTable: number("FDSize") };
}
