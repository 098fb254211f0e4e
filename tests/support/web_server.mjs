// Starts a web server of a test in the foreground, with a configuration of its own and as the user it may have, and
// ends exactly that one.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { userInfo } from "node:os";
import { run } from "./run.mjs";
import { PATIENCE, request } from "./user_agent.mjs";

export const PATH = `${process.env.PATH}:/usr/sbin:/sbin`; // Debian's web servers are there
const START_TIMEOUT_MS = 60_000 * PATIENCE;

/// Whom web servers and their programs run as: Apache refuses to serve as root, so root's tests use Debian's user for
/// it. Elsewhere it is whoever runs the test. { user, group, uid, gid }
export const identity = await (async () => {
  const { username, uid, gid } = userInfo();
  if (uid !== 0) return { user: username, group: String(gid), uid, gid };
  const number = async (flag) => Number((await run("id", [flag, "www-data"])).stdout);
  return { user: "www-data", group: "www-data", uid: await number("-u"), gid: await number("-g") };
})();

/// A directory that `identity` owns and nobody else may enter.
export async function privateDirectory(path) {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (process.getuid() === 0) await chown(path, identity.uid, identity.gid);
  return path;
}

/// The next of the thousand ports from POSTERN_TEST_PORTS on, which scripts/run-suites gives to one test file alone;
/// without it one that the system picks. In turn, not at random: two servers of one test must not get the same one.
let turn = randomInt(1000);
function candidate() {
  if (!process.env.POSTERN_TEST_PORTS) return 0;
  turn = (turn + 1) % 1000;
  return Number(process.env.POSTERN_TEST_PORTS) + turn;
}

/// A port that was free a moment ago. Another process may take it first, so a test that starts a server tries again
/// with another.
export function freePort() {
  return new Promise((done, failed) => {
    const server = createServer().on("error", (error) =>
      error.code === "EADDRINUSE" ? freePort().then(done, failed) : failed(error),
    );
    server.listen(candidate(), "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/// What tells `openssl x509` how long a certificate is valid: for `days`, or, if they are negative, until so long ago.
/// Since version 3.4 it refuses a negative -days, and knows -not_before and -not_after.
export async function validity(days) {
  const [, major, minor] = /^OpenSSL (\d+)\.(\d+)/.exec((await run("openssl", ["version"])).stdout);
  if (days > 0 || Number(major) * 100 + Number(minor) < 304) return ["-days", String(days)];
  const time = (at) => new Date(Date.now() + at * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
  return ["-not_before", time(days - 1), "-not_after", time(days)];
}

/// An authority of this directory alone, and a certificate of it for 127.0.0.1 and localhost: { ca, caFile,
/// certificate, key }, the authority as text and the rest as paths. `days` may be negative: an expired certificate.
export async function makeCertificate(directory, { days = 2 } = {}) {
  const file = (name) => join(directory, name);
  const newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await run("openssl", [
    ...newKey,
    "-x509",
    "-days",
    "2",
    "-subj",
    "/CN=Test authority",
    // Python 3.13 demands it (RFC 5280 §4.2.1.3).
    "-addext",
    "keyUsage=critical,keyCertSign,cRLSign",
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
  ]);
  await run("openssl", [...newKey, "-subj", "/CN=127.0.0.1", "-keyout", file("tls.key"), "-out", file("tls.csr")]);
  await writeFile(
    file("tls.ext"),
    "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid\n",
  );
  await run("openssl", [
    "x509",
    "-req",
    "-in",
    file("tls.csr"),
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-CAcreateserial",
    ...(await validity(days)),
    "-extfile",
    file("tls.ext"),
    "-out",
    file("tls.pem"),
  ]);
  return {
    ca: readFileSync(file("ca.pem"), "utf8"),
    caFile: file("ca.pem"),
    certificate: file("tls.pem"),
    key: file("tls.key"),
  };
}

/// A started process: `log` is what it wrote to standard error and to its log files so far.
export class WebServer {
  #child;
  #stderr = "";
  #failure = null;
  #logFiles;

  constructor(command, args, { env = {}, logFiles = [] } = {}) {
    this.#logFiles = logFiles;
    this.#child = spawn(command, args, { env: { ...process.env, PATH, ...env }, stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
    this.#child
      .once("error", (error) => {
        this.#failure = error;
      })
      .once("exit", (code, signal) => {
        this.#failure ??= new Error(`${command} ended with ${code ?? signal}`);
      });
  }

  get pid() {
    return this.#child.pid;
  }

  get log() {
    const text = (file) => {
      try {
        return readFileSync(file, "utf8");
      } catch {
        return "";
      }
    };
    return this.#stderr + this.#logFiles.map(text).join("");
  }

  /// Waits until `url` is answered with `status` (any status below 500 when none is given); throws with the log
  /// otherwise. `patience`: how many times longer than usual.
  async untilItAnswers(url, { ca, status, patience = 1 } = {}) {
    const good = (answer) => answer && (status === undefined ? answer.status < 500 : answer.status === status);
    for (const end = Date.now() + START_TIMEOUT_MS * patience; ; ) {
      const answer = await request(url, { ca }).catch(() => null);
      if (good(answer)) return this;
      const why =
        this.#failure ?? (Date.now() > end ? new Error(`no answer in time (last status: ${answer?.status})`) : null);
      if (why) throw new Error(`${why.message}\n${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /// Ends it, and what it started, with SIGTERM.
  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) {
      this.#child.stderr?.destroy(); // what it had started may be left without it, and must not keep the test waiting
      return;
    }
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.kill("SIGTERM");
    await ended;
  }
}

const APACHE_MODULES = "/usr/lib/apache2/modules";
/// What every configuration of ours needs; the rest is named by whoever needs it.
const ALWAYS = ["mpm_event", "authn_core", "authz_core", "alias", "dir", "env", "headers", "mime", "setenvif"];

/// A whole Apache configuration: one listener on 127.0.0.1, and `lines` in its main server. `modules` are names without
/// "mod_" and ".so"; `tls` is what makeCertificate answered, or undefined. `directory` belongs to `identity`.
export function apacheConfig({ directory, port, tls, modules = [], lines = [] }) {
  const all = [...new Set([...ALWAYS, ...(tls ? ["socache_shmcb", "ssl"] : []), ...modules])];
  return [
    `ServerRoot "${directory}"`,
    `PidFile "${directory}/apache.pid"`,
    `ErrorLog "${directory}/apache.log"`,
    "LogLevel warn",
    `DefaultRuntimeDir "${directory}"`,
    `Mutex file:${directory} default`,
    ...(process.getuid() === 0 ? [`User ${identity.user}`, `Group ${identity.group}`] : []),
    "StartServers 1",
    "ServerLimit 2",
    "ThreadsPerChild 16",
    "MaxRequestWorkers 32",
    "MinSpareThreads 1",
    "MaxSpareThreads 32",
    ...all.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`),
    `Listen 127.0.0.1:${port}`,
    `ServerName ${tls ? "https" : "http"}://127.0.0.1:${port}`,
    "UseCanonicalName On",
    "TypesConfig /etc/mime.types",
    ...(tls ? ["SSLEngine on", `SSLCertificateFile "${tls.certificate}"`, `SSLCertificateKeyFile "${tls.key}"`] : []),
    ...lines,
    "",
  ].join("\n");
}

/// Writes the configuration and starts Apache with it.
export async function startApache(options) {
  const file = join(options.directory, "apache.conf");
  await writeFile(file, apacheConfig(options));
  return new WebServer("apache2", ["-D", "FOREGROUND", "-f", file], {
    env: options.env,
    logFiles: [join(options.directory, "apache.log")],
  });
}

/// A whole nginx configuration: one server on 127.0.0.1 with `lines` inside its server block and `httpLines` around it.
/// Without a port there are `httpLines` alone.
export function nginxConfig({ directory, port, tls, modules = [], lines = [], httpLines = [] }) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${directory}/nginx-${name};`,
  );
  return [
    ...modules.map((name) => `load_module /usr/lib/nginx/modules/ngx_${name}_module.so;`),
    ...(process.getuid() === 0 ? [`user ${identity.user} ${identity.group};`] : []),
    "daemon off;",
    "worker_processes 1;",
    `pid ${directory}/nginx.pid;`,
    `error_log ${directory}/nginx.log warn;`,
    "events { worker_connections 256; }",
    "http {",
    "access_log off;",
    ...temporary,
    ...httpLines,
    ...(port === undefined
      ? []
      : [
          "server {",
          `listen 127.0.0.1:${port}${tls ? " ssl" : ""};`,
          "server_name 127.0.0.1;",
          ...(tls ? [`ssl_certificate ${tls.certificate};`, `ssl_certificate_key ${tls.key};`] : []),
          ...lines,
          "}",
        ]),
    "}",
    "",
  ].join("\n");
}

/// Writes the configuration and starts nginx with it.
export async function startNginx(options) {
  const file = join(options.directory, "nginx.conf");
  await writeFile(file, nginxConfig(options));
  return new WebServer("nginx", ["-c", file, "-e", join(options.directory, "nginx.log")], {
    env: options.env,
    logFiles: [join(options.directory, "nginx.log")],
  });
}
