// A Postern of one test: own directory, keys, database and certificate, behind its own lighttpd on a loopback port.
import { spawn, execFile } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { request } from "./user_agent.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const BUILD = resolve(process.env.POSTERN_BUILD ?? join(ROOT, "build"));
const PATH = `${process.env.PATH}:/usr/sbin`; // Debian's lighttpd is there
const START_TIMEOUT_MS = 20_000;
const run = promisify(execFile);

/// A port that was free a moment ago. Somebody else may take it first, so start() tries again with another one.
function freePort() {
  return new Promise((done, failed) => {
    const server = createServer().on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class Deployment {
  #directory;
  #environment;
  #server = null;
  #stderr = "";

  /// Options: mode "fastcgi" (default) or "cgi"; tls (default true); config, members to add to the configuration file;
  /// base, a path for the issuer; demo, true to serve examples/demo/ at /demo/. End it with stop().
  static async start(options = {}) {
    for (let attempt = 1; ; ++attempt) {
      const deployment = new Deployment();
      try {
        await deployment.#begin({ mode: "fastcgi", tls: true, base: "", config: {}, demo: false, ...options });
        return deployment;
      } catch (error) {
        await deployment.stop();
        if (attempt === 3 || !/already in use/i.test(deployment.log)) throw error;
      }
    }
  }

  /// What lighttpd and the executables wrote to standard error so far.
  get log() { return this.#stderr; }

  /// Runs the administration command with the deployment's configuration; answers what it printed, parsed.
  async postern(args, input = "") {
    const running = run(join(BUILD, "bin/postern"), [...args, "--json"], { env: this.#environment });
    running.child.stdin.on("error", () => {}); // a command that reads no input may end before this is written
    running.child.stdin.end(input);
    const { stdout } = await running;
    return stdout.trim() === "" ? null : JSON.parse(stdout);
  }

  async addUser(username, password, claims = {}) {
    const input = `${password}\n${JSON.stringify(claims)}\n`;
    return this.postern(["user", "add", username, "--password-stdin", "--claims-stdin"], input);
  }

  /// Answers client_id and, for a confidential client, client_secret.
  async addClient(id, redirectUri, ...options) {
    return this.postern(["client", "add", id, "--redirect-uri", redirectUri, ...options]);
  }

  /// Ends exactly the web server that start() started, which ends its processes, and removes the directory.
  async stop() {
    if (this.#server?.exitCode === null && this.#server.signalCode === null) {
      const ended = new Promise((done) => this.#server.once("exit", done));
      this.#server.kill("SIGTERM");
      await ended;
    }
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true });
  }

  async #begin({ mode, tls, base, config, demo }) {
    // Short: the path of a Unix socket has at most 107 bytes. mkdtemp makes it 0700, so the sockets are private.
    this.#directory = await mkdtemp(join(tmpdir(), "pt-"));
    this.port = await freePort();
    this.origin = `${tls ? "https" : "http"}://127.0.0.1:${this.port}`;
    this.issuer = this.origin + base;
    const configFile = join(this.#directory, "postern.json");
    this.#environment = { ...process.env, PATH, POSTERN_CONFIG: configFile };
    await writeFile(configFile, JSON.stringify({
      issuer: this.issuer, oidc: { userClaims: "database" }, database: join(this.#directory, "db/postern.db"),
      keys: join(this.#directory, "keys"), templates: join(ROOT, "templates"), ...config,
    }));
    await this.postern(["init"]);
    this.ca = tls ? await this.#makeCertificates() : undefined;
    await this.#serve({ mode, tls, base, demo, configFile });
  }

  /// An authority of this deployment alone, and a certificate of it for 127.0.0.1.
  async #makeCertificates() {
    const file = (name) => join(this.#directory, name);
    const newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    await run("openssl", [...newKey, "-x509", "-days", "2", "-subj", "/CN=Test authority", "-keyout", file("ca.key"), "-out", file("ca.pem")]);
    await run("openssl", [...newKey, "-subj", "/CN=127.0.0.1", "-keyout", file("tls.key"), "-out", file("tls.csr")]);
    await writeFile(file("tls.ext"), "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n");
    await run("openssl", ["x509", "-req", "-in", file("tls.csr"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial",
      "-days", "2", "-extfile", file("tls.ext"), "-out", file("tls.pem")]);
    return readFile(file("ca.pem"), "utf8");
  }

  #lighttpdConfig({ mode, tls, base, demo, configFile }, sockets) {
    const quoted = JSON.stringify;
    return [
      `server.bind = "127.0.0.1"`, `server.port = ${this.port}`, `server.document-root = ${quoted(sockets)}`,
      `server.modules = ( ${tls ? `"mod_openssl", ` : ""}"mod_alias" )`,
      `server.max-request-field-size = 32768`, `server.max-request-size = 64`,
      `index-file.names = ( "index.html" )`,
      `mimetype.assign = ( ".html" => "text/html; charset=utf-8", ".js" => "text/javascript", ".css" => "text/css" )`,
      ...(tls ? [`ssl.engine = "enable"`, `ssl.pemfile = ${quoted(join(this.#directory, "tls.pem"))}`,
        `ssl.privkey = ${quoted(join(this.#directory, "tls.key"))}`] : []),
      ...(demo ? [`alias.url = ( "/demo/" => ${quoted(join(ROOT, "examples/demo/"))} )`] : []),
      `var.postern_base = ${quoted(base)}`, `var.postern_cgi_bin = ${quoted(join(BUILD, "cgi-bin"))}`,
      `var.postern_sockets = ${quoted(sockets)}`, `var.postern_config = ${quoted(configFile)}`,
      // The routing that is shipped is the routing that is tested.
      `include ${quoted(join(ROOT, `examples/lighttpd/postern-${mode}.conf`))}`, "",
    ].join("\n");
  }

  async #serve(options) {
    const sockets = join(this.#directory, "s");
    await mkdir(sockets, { mode: 0o700 });
    const file = join(this.#directory, "lighttpd.conf");
    await writeFile(file, this.#lighttpdConfig(options, sockets));
    this.#server = spawn("lighttpd", ["-D", "-f", file], { env: this.#environment, stdio: ["ignore", "ignore", "pipe"] });
    this.#server.stderr.setEncoding("utf8").on("data", (text) => { this.#stderr += text; });
    let failure = null;
    this.#server.once("error", (error) => { failure = error; }).once("exit", (code) => { failure ??= new Error(`lighttpd ended with ${code}`); });
    await this.#untilItAnswers(() => failure);
  }

  async #untilItAnswers(failure) {
    const url = `${this.issuer}/.well-known/openid-configuration`;
    for (const end = Date.now() + START_TIMEOUT_MS; ;) {
      const answer = await request(url, { ca: this.ca }).catch(() => null);
      if (answer?.status === 200) return;
      const why = failure() ?? (Date.now() > end ? new Error(`no answer in time (last status: ${answer?.status})`) : null);
      if (why) throw new Error(`${why.message}\n${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
