// A Postern of one test: own directory, keys, database and certificate, behind its own web server on a loopback port.
import { randomBytes } from "node:crypto";
import { constants, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { copyFile, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { endianness, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as lighttpd from "./fronts/lighttpd.mjs";
import { initialise } from "./model.mjs";
import { reachable } from "./reachable.mjs";
import { run } from "./run.mjs";
import { secrets } from "./secrets.mjs";
import { PATH, freePort, identity, makeCertificate, privateDirectory } from "./web_server.mjs";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const BUILD = resolve(process.env.POSTERN_BUILD ?? join(ROOT, "build"));
export const EXAMPLES = join(BUILD, "examples"); // as they are installed

/// Of a PostgreSQL database, in whose server each deployment makes one of its own; undefined: database files.
const SERVER = process.env.POSTERN_TEST_DATABASE;
export const onPostgreSQL = Boolean(SERVER);

/// Answers its URI.
async function newDatabase() {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await run("psql", ["-X", "-q", "-d", SERVER, "-c", `CREATE DATABASE ${name}`]);
  return SERVER.replace(/^(postgresql:\/\/\/)[^?]*/, `$1${name}`);
}

/// Where web servers name a failed request they name its query, and the seal in it; it opens nothing for who is not in
/// the browser that it was made for. Lines of our own have no seal either.
function foundInLog(text) {
  const own = text
    .split("\n")
    .filter((line) => line.includes('"program":"'))
    .join("\n");
  return secrets.foundIn(text).filter((kind) => kind !== "sealed request" || secrets.foundIn(own).includes(kind));
}

export class Deployment {
  #directory;
  #environment;
  #server = null;
  #serve; // starts the web server
  #base;
  #former = ""; // what earlier web servers of this deployment wrote
  #ahead = 0;
  #clockSet = Promise.resolve(); // settled when the last setting of the clock was written
  #said = ""; // by the command, to standard error
  #config;

  /// Options: front, which web server (see fronts/); or mode "fastcgi" (default) or "cgi", both of lighttpd; tls
  /// (default true); config, members to add to the configuration file; base, a path for the issuer; host, the issuer's,
  /// of another name for this machine; demo, true to serve examples/demo/ at /demo/; clock, true for one that advance()
  /// moves, "apart" if it also differs from a database server; own, true for a database and keys that no other
  /// deployment began with; prepare, which puts something into the directory before `postern init`, and join, true for
  /// a further node. End it with stop().
  static async start(options = {}) {
    for (let attempt = 1; ; ++attempt) {
      const deployment = new Deployment();
      try {
        await deployment.#begin({
          front: lighttpd[options.mode ?? "fastcgi"],
          tls: true,
          base: "",
          config: {},
          demo: false,
          clock: false,
          host: "127.0.0.1",
          prepare: async () => {},
          join: false,
          ...options,
        });
        return deployment;
      } catch (error) {
        await deployment.stop();
        if (attempt === 3 || !/already in use/i.test(`${error.message}${deployment.log}`)) throw error;
      }
    }
  }

  /// What the web server and the executables wrote to standard error and their logs so far.
  get log() {
    return this.#former + (this.#server?.log ?? "");
  }

  /// The directory of this deployment alone; it goes with stop().
  get directory() {
    return this.#directory;
  }

  /// Runs the administration command with the deployment's configuration; answers what it printed, parsed.
  async postern(args, input = "") {
    const running = run(join(BUILD, "bin/postern"), [...args, "--json"], {
      env: { ...this.#environment, ...this.#ownSyslog },
    });
    running.child.stdin.on("error", () => {}); // a command that reads no input may end before this is written
    running.child.stdin.end(input);
    const { stdout, stderr } = await running;
    this.#said += stderr;
    const printed = stdout.trim() === "" ? null : JSON.parse(stdout);
    secrets.remember("client secret", printed?.client_secret);
    secrets.remember("link", printed?.link && new URL(printed.link).searchParams.get("t"));
    return printed;
  }

  async addUser(username, password, claims = {}) {
    secrets.remember("password", password);
    const input = `${password}\n${JSON.stringify(claims)}\n`;
    return this.postern(["user", "add", username, "--password-stdin", "--claims-stdin"], input);
  }

  /// Answers client_id and, for a confidential client, client_secret.
  async addClient(id, redirectUri, ...options) {
    return this.postern(["client", "add", id, "--redirect-uri", redirectUri, ...options]);
  }

  /// From now on the programs see the time so many seconds later.
  async advance(seconds) {
    this.#ahead += seconds;
    await (this.#clockSet = this.#clockSet.then(() => this.#setClock()));
  }

  /// Seconds since the epoch as the programs see them.
  now() {
    return Math.floor(Date.now() / 1000) + this.#ahead;
  }

  /// Ends the web server with its processes; resume() starts it again, as it was.
  async halt() {
    await this.#server.stop();
    this.#former = this.log;
    this.#server = null;
  }

  async resume() {
    this.#server = await this.#serve();
    await this.#server.untilItAnswers(`${this.origin}${this.#base}/.well-known/openid-configuration`, {
      ca: this.ca,
      status: 200,
    });
  }

  /// The environment of the programs and of postern().
  get environment() {
    return this.#environment;
  }

  /// Ends exactly the web server that start() started, which ends its processes, and removes the directory. Throws when
  /// a secret that passed through the tests so far stands in its logs, its database, its keys or a core file.
  async stop() {
    await this.#server?.stop();
    const report = this.log.match(/^.*(AddressSanitizer|LeakSanitizer|runtime error:)[^]{0,4000}/m);
    if (report) throw new Error(`a program misbehaved in ${this.#directory}:\n${report[0]}`);
    const found = this.#directory && existsSync(this.#directory) ? this.#leftSecrets() : [];
    if (onPostgreSQL && this.database) found.push(...(await this.#storedSecrets()));
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true });
    if (found.length > 0) throw new Error(`secrets were left behind:\n${found.join("\n")}`);
  }

  /// Lines of the command for syslog are the test's, not the machine's.
  get #ownSyslog() {
    const preloaded = this.#environment.LD_PRELOAD ?? join(BUILD, "tests/fake_clock_preload.so");
    return {
      LD_PRELOAD: preloaded,
      POSTERN_TEST_SYSLOG: join(this.#directory, "syslog.log"),
      ASAN_OPTIONS: [process.env.ASAN_OPTIONS, "verify_asan_link_order=0"].filter(Boolean).join(":"),
    };
  }

  async #storedSecrets() {
    const { stdout } = await run("pg_dump", ["--data-only", "-d", this.database], { maxBuffer: 1 << 28 });
    return secrets.foundIn(stdout).map((kind) => `the database: ${kind}`);
  }

  #leftSecrets() {
    const found = secrets.foundBelow(this.#directory, (file) => /^((db|keys)\/|syslog\.log$)|(^|\/)core\b/.test(file));
    const logs = readdirSync(this.#directory)
      .filter((name) => name.endsWith(".log"))
      .map((name) => [name, readFileSync(join(this.#directory, name), "utf8")]);
    for (const [name, text] of [...logs, ["log", this.log]])
      for (const kind of foundInLog(text)) found.push(`${name}: ${kind}`);
    for (const kind of secrets.foundIn(this.#said)) found.push(`standard error of the command: ${kind}`);
    const target = this.#config?.log?.target;
    if (target?.startsWith("/") && existsSync(target) && statSync(target).isFile())
      for (const kind of secrets.foundIn(readFileSync(target))) found.push(`${target}: ${kind}`);
    return [...new Set(found)];
  }

  // Written over in one piece, since the processes have it mapped: who looks meanwhile sees the old time or the new
  // one.
  async #setClock() {
    const number = Buffer.alloc(8);
    (endianness() === "LE" ? number.writeBigInt64LE : number.writeBigInt64BE).call(number, BigInt(this.#ahead));
    const file = await open(this.#environment.POSTERN_TEST_CLOCK_AHEAD, constants.O_RDWR | constants.O_CREAT, 0o644);
    await file.write(number, 0, number.length, 0);
    await file.close();
  }

  async #begin({ front, tls, base, config, demo, clock, host, own, prepare, join: further }) {
    this.#config = config;
    // Short: the path of a Unix socket has at most 107 bytes. It is closed to others, so the sockets are private.
    this.#directory = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    const { cgiBin, templates } = await reachable({
      cgiBin: join(BUILD, "cgi-bin"),
      templates: join(ROOT, "templates"),
    });
    this.cgiBin = cgiBin;
    this.port = await freePort();
    this.plainPort = await freePort(); // where the sites that are shipped redirect from, in the place of 80
    this.origin = `${tls ? "https" : "http"}://127.0.0.1:${this.port}`;
    this.issuer = this.origin.replace("127.0.0.1", host) + base;
    if (onPostgreSQL && config.database === undefined) config = { ...config, database: await newDatabase() };
    /// The file, or a URI.
    this.database = config.database ?? join(this.#directory, "db/postern.db");
    const configFile = join(this.#directory, "postern.json");
    this.#environment = { ...process.env, PATH, POSTERN_CONFIG: configFile };
    await writeFile(
      configFile,
      JSON.stringify({
        issuer: this.issuer,
        oidc: { userClaims: "database" },
        database: this.database,
        state: join(this.#directory, "db"),
        keys: join(this.#directory, "keys"),
        templates,
        ...config,
        ...JSON.parse(process.env.POSTERN_TEST_CONFIG ?? "{}"),
      }),
    );
    if (clock) {
      const preloaded = join(this.#directory, "clock.so"); // a copy that the web server's user can reach
      await copyFile(join(BUILD, "tests/fake_clock_preload.so"), preloaded);
      // The sanitizer's library comes behind the preloaded one; that is well here.
      const ASAN_OPTIONS = [process.env.ASAN_OPTIONS, "verify_asan_link_order=0"].filter(Boolean).join(":");
      Object.assign(this.#environment, {
        LD_PRELOAD: preloaded,
        ASAN_OPTIONS,
        POSTERN_TEST_CLOCK_AHEAD: join(this.#directory, "clock"),
        ...(clock === "apart" ? { POSTERN_TEST_CLOCK_APART: "1" } : {}),
      });
      await this.#setClock();
    }
    // A web server that root starts gives its rights away, and its programs have those of `identity`.
    const owner = process.getuid() === 0 ? ["--owner", `${identity.user}:${identity.group}`] : [];
    const init = () => this.postern(["init", ...(further ? ["--join"] : []), ...owner]);
    await prepare(this.#directory);
    await (own ? init() : initialise(this.#directory, config, init));
    const certificate = tls ? await makeCertificate(this.#directory) : undefined;
    this.ca = certificate?.ca;
    this.caFile = certificate?.caFile;
    this.#serve = async () =>
      front({
        root: ROOT,
        examples: EXAMPLES,
        directory: this.#directory,
        cgiBin,
        port: this.port,
        plainPort: this.plainPort,
        tls: certificate,
        base,
        host,
        demo,
        configFile,
        sockets: await privateDirectory(join(this.#directory, "s")),
        env: this.#environment,
      });
    this.#base = base;
    await this.resume();
  }
}
