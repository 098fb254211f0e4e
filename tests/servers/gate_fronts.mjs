// Web servers with an application behind the gate, by the site files that are shipped. The application answers what it
// was told. A second site, at /admin/, lies inside the first, as the comments of the files say.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { dirname, join } from "node:path";
import { Deployment } from "../support/deployment.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { nginx } from "../support/fronts/nginx.mjs";
import { listening } from "../support/listening.mjs";
import { WebServer, freePort, identity, privateDirectory, startApache } from "../support/web_server.mjs";
import { startFastcgiApplication } from "./fastcgi_application.mjs";

/// In every answer of an application and in none of the gate.
export const MARK = "the application has been reached";
export const TOLD = ["user", "name", "email", "email_verified", "groups", "subject"];

/// More `options` of Deployment.start().
const start = (front, options) =>
  Deployment.start({ front, ...options, config: { ...options.config, paths: { gate: "/gate" } } });

/// Writes `files`, texts by their names, into a directory of the web server's user.
async function writeFiles(directory, files) {
  await privateDirectory(directory);
  for (const [name, text] of Object.entries(files)) {
    await privateDirectory(dirname(join(directory, name)));
    await writeFile(join(directory, name), text);
    await chmod(join(directory, name), 0o755);
  }
  return directory;
}

/// Edits what must be there.
function edit(text, changes) {
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), `the shipped file has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/// `lines` in the place of those from `first` to `last`.
function inPlaceOf(text, first, last, lines) {
  const [begin, end] = [text.indexOf(first), text.indexOf(last)];
  assert.ok(begin >= 0 && end >= begin, `${first} ... ${last}`);
  return text.slice(0, begin) + lines.join("\n") + text.slice(end + last.length);
}

/// The same with lines that the file has as comments.
function withLines(text, first, last, lines) {
  for (const line of lines) assert.ok(text.includes(`# ${line}`), `the shipped file has no ${line}`);
  return inPlaceOf(text, first, last, lines);
}

/// A page with a form, for browsers.
const PAGE = (url) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${MARK}</title>` +
  `<h1>${url.replaceAll("&", "&amp;")}</h1><form method="post" action="/sent">` +
  `<textarea name="text" id="text"></textarea><button id="send">Send</button></form></html>`;

/// An application that answers the headers that it is sent, or a page, greets WebSockets and speaks any other protocol.
async function startApplication() {
  const server = http.createServer({ maxHeaderSize: 65_536 }, (asked, answer) => {
    if (asked.headers.accept?.includes("text/html"))
      return answer.setHeader("content-type", "text/html").end(PAGE(asked.url));
    const told = { mark: MARK, url: asked.url, method: asked.method, headers: asked.headers, raw: asked.rawHeaders };
    answer.setHeader("content-type", "application/json");
    if (asked.url === "/accelerated") answer.setHeader("x-accel-redirect", "/admin/secret");
    let bytes = 0;
    asked.on("data", (part) => {
      bytes += part.length;
    });
    asked.on("end", () => answer.end(JSON.stringify({ ...told, bytes })));
  });
  server.on("upgrade", (asked, socket) =>
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${asked.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n${MARK}`,
    ),
  );
  const { port, close } = await listening(server);
  return { port, close };
}

/// The six as an application behind a proxy reads them, and whatever else has come that it could take for one of them.
function fromHeaders(page) {
  const { headers, raw, bytes, method } = JSON.parse(page.body);
  const name = (member) => `remote-${member.replaceAll("_", "-")}`;
  const all = raw.filter((_, at) => at % 2 === 0).map((each) => each.toLowerCase());
  return {
    told: Object.fromEntries(TOLD.map((member) => [member, headers[name(member)] ?? ""])),
    others: all.filter((each) => each.replaceAll("_", "-").startsWith("remote-") && !TOLD.map(name).includes(each)),
    cookie: headers.cookie ?? "",
    headers,
    bytes,
    method,
  };
}

function fromVariables(page) {
  const lines = page.body.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]);
  const variables = Object.fromEntries(lines);
  return {
    told: Object.fromEntries(TOLD.map((member) => [member, variables[`REMOTE_${member.toUpperCase()}`] ?? ""])),
    others: Object.keys(variables).filter((name) => name.startsWith("HTTP_REMOTE")),
    cookie: variables.HTTP_COOKIE ?? "",
    headers: {},
    bytes: Number(variables.BYTES ?? 0),
    method: variables.REQUEST_METHOD,
  };
}

/// Ends the processes of the gate that belong to this deployment.
export function killGates({ directory, cgiBin }) {
  const config = `POSTERN_CONFIG=${join(directory, "postern.json")}`;
  let killed = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/exe`) !== join(cgiBin, "gate")) continue;
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(config)) continue;
      process.kill(Number(pid), "SIGKILL");
      killed += 1;
    } catch {
      /* it has ended, or belongs to another user */
    }
  }
  return killed;
}

const certificates = ({ certificate, key }) => [
  ["/etc/letsencrypt/live/wiki.example.org/fullchain.pem", certificate],
  ["/etc/letsencrypt/live/wiki.example.org/privkey.pem", key],
];

/// "/admin/" inside it, with addresses of its own.
function nestedNginx(text) {
  const own = text.slice(text.indexOf("    # The gate's own addresses"), text.lastIndexOf("}"));
  return text.replace(own, own + own.replace("/.postern/", "/admin/.postern/"));
}

const filesOfNginx = (directory) => (text) =>
  withLines(text, "# An application on another port.", "proxy_pass http://127.0.0.1:8000;", [
    "root /var/www/wiki;",
    "index index.html;",
  ]).replaceAll("/var/www/wiki", directory);

/// nginx with an application behind it, or another that listens at the port `upstream`, or the `files` of a directory.
export async function behindNginx({ files, upstream, ...options } = {}) {
  const port = await freePort();
  const application = await startApplication();
  const more = async ({ examples, directory, tls, sockets }) => {
    await copyFile(join(examples, "nginx/postern-gate_params"), join(directory, "postern-gate_params"));
    const shipped = nestedNginx(await readFile(join(examples, "nginx/postern-gate-site.conf"), "utf8"));
    const root = files && (await writeFiles(join(directory, "wiki"), files));
    const site = edit(files ? filesOfNginx(root)(shipped) : shipped, [
      ["listen 80;", `listen unix:${join(directory, "80")};`],
      ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
      ["server_name wiki.example.org;", "server_name localhost;"],
      ["https://wiki.example.org", `https://localhost:${port}`],
      ...certificates(tls),
      ...(files ? [] : [["http://127.0.0.1:8000", `http://127.0.0.1:${upstream ?? application.port}`]]),
      ["/run/postern/", `${sockets}/`],
    ]);
    await writeFile(join(directory, "gate-site.conf"), site);
    return [`include ${join(directory, "gate-site.conf")};`];
  };
  const deployment = await start(nginx({ more }), options);
  return {
    name: "nginx",
    read: fromHeaders,
    deployment,
    port,
    url: `https://localhost:${port}`,
    pages: ["/a/b"],
    async stop() {
      await deployment.stop();
      await application.close();
    },
  };
}

const nestedApache = (text) =>
  edit(text, [
    ['<LocationMatch "^/\\.postern/">', '<LocationMatch "^(/admin)?/\\.postern/">'],
    ['"" "expr=%{REQUEST_URI} !~ m#^/\\.postern/#"', '"" "expr=%{REQUEST_URI} !~ m#^(?:/admin)?/\\.postern/#"'],
    [
      '    ProxyPass "/.postern/" ',
      '    ProxyPass "/admin/.postern/" "unix:/run/postern/gate.sock|fcgi://gate/"\n    ProxyPass "/.postern/" ',
    ],
  ]);

/// From where to where Apache's file is about an application on another port.
const PROXIED = ['ProxyPass "/" ', "upgrade=websocket"];

const filesOfApache = (directory) => (text) =>
  withLines(text, ...PROXIED, [
    "DocumentRoot /var/www/wiki",
    "DirectoryIndex index.html index.php",
    "<Directory /var/www/wiki>",
    "    Options None",
    "    AllowOverride None",
    "</Directory>",
  ]).replaceAll("/var/www/wiki", directory);

/// Apache with an application behind it, or the files of a directory, or with `lines` in the place of those for an
/// application on another port. Its gate listens at a port, too.
export async function behindApache({ files, lines, ...options } = {}) {
  const [port, plainPort, gatePort] = [await freePort(), await freePort(), await freePort()];
  const application = await startApplication();
  let place;
  const more = async (site) => {
    place = site;
    return [];
  };
  const deployment = await start(nginx({ more }), options);
  const user = process.getuid() === 0 ? ["-u", identity.user, "-g", identity.group] : [];
  const gate = new WebServer(
    "spawn-fcgi",
    ["-n", "-a", "127.0.0.1", "-p", `${gatePort}`, ...user, "--", join(place.cgiBin, "gate")],
    { env: deployment.environment },
  );
  let apache;
  const stop = async () => {
    await apache?.stop();
    await gate.stop();
    await deployment.stop();
    await application.close();
  };
  try {
    const directory = await privateDirectory(join(deployment.directory, "apache"));
    let shipped = nestedApache(await readFile(join(place.examples, "apache/gate-site.conf"), "utf8"));
    if (files) shipped = filesOfApache(await writeFiles(join(directory, "wiki"), files))(shipped);
    if (lines) shipped = inPlaceOf(shipped, ...PROXIED, lines);
    await writeFile(
      join(directory, "gate-site.conf"),
      edit(shipped, [
        ["<VirtualHost *:443>", `<VirtualHost 127.0.0.1:${port}>`],
        ["<VirtualHost *:80>", `<VirtualHost 127.0.0.1:${plainPort}>`],
        ["ServerName wiki.example.org", `ServerName https://localhost:${port}`],
        ["https://wiki.example.org", `https://localhost:${port}`],
        ...certificates(place.tls),
        ["# CGIPassAuth On", "CGIPassAuth On"],
        ["fcgi://127.0.0.1:9055/", `fcgi://127.0.0.1:${gatePort}/`],
        ...(files || lines ? [] : [["http://127.0.0.1:8000/", `http://127.0.0.1:${application.port}/`]]),
        ["/run/postern/", `${place.sockets}/`],
      ]),
    );
    apache = await startApache({
      directory,
      port,
      tls: place.tls,
      modules: ["authz_user", "authnz_fcgi", "proxy", "proxy_http", "proxy_fcgi"],
      lines: [`Listen 127.0.0.1:${plainPort}`, `Include "${join(directory, "gate-site.conf")}"`],
    });
    await apache.untilItAnswers(`https://localhost:${port}/.postern/x`, { ca: deployment.ca });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: "Apache",
    read: fromHeaders,
    deployment,
    port,
    url: `https://localhost:${port}`,
    pages: ["/a/b"],
    stop,
  };
}

/// Prints its variables, and how much it was sent.
const SCRIPT = `printf 'Content-Type: text/plain\\r\\n\\r\\n${MARK}\\n'; printf 'BYTES=%s\\n' "$(wc -c)"; env\n`;

const PROGRAMS = Object.fromEntries(
  ["", "admin/"].flatMap((directory) => [
    [`${directory}app.sh`, SCRIPT],
    [`${directory}app.php`, "a program\n"],
  ]),
);

/// lighttpd with a CGI program, a FastCGI program and files.
export async function behindLighttpd({ files = PROGRAMS, ...options } = {}) {
  let application;
  const lines = ({ directory, port, tls }) => [
    `server.modules += ( "mod_cgi" )`,
    `var.gate_site = "https://localhost:${port}"`,
    `var.gate_root = "${join(directory, "wiki")}"`,
    `var.gate_certificate = "${tls.certificate}"`,
    `var.gate_key = "${tls.key}"`,
    `var.application = "${join(directory, "s", "application")}"`,
    `include "${join(directory, "gate-site.conf")}"`,
    `$HTTP["host"] == "localhost" { cgi.assign = ( ".sh" => "/bin/sh" ) }`,
  ];
  const front = async (site) => {
    const shipped = await readFile(join(site.examples, "lighttpd/postern-gate-site.conf"), "utf8");
    await writeFiles(join(site.directory, "wiki"), files);
    application ??= await startFastcgiApplication(join(site.directory, "s", "application"), MARK);
    await writeFile(
      join(site.directory, "gate-site.conf"),
      edit(shipped, [
        ['"wiki.example.org"', '"localhost"'],
        ['"https://wiki.example.org"', "var.gate_site"],
        ['"/var/www/wiki"', "var.gate_root"],
        ['"/etc/letsencrypt/live/wiki.example.org/fullchain.pem"', "var.gate_certificate"],
        ['"/etc/letsencrypt/live/wiki.example.org/privkey.pem"', "var.gate_key"],
        ['=~ "^/\\.postern/"', '=~ "^(/admin)?/\\.postern/"'],
        ['# ".php" => (', '".php" => ('],
        ['#     ( "socket" => "/run/php/php-fpm.sock"', '    ( "socket" => var.application'],
        ["            # ),\n", "            ),\n"],
      ]),
    );
    return lighttpd("fastcgi", lines)(site);
  };
  const deployment = await start(front, options);
  return {
    name: "lighttpd",
    read: fromVariables,
    deployment,
    port: deployment.port,
    url: `https://localhost:${deployment.port}`,
    pages: ["/app.php", "/app.sh"],
    async stop() {
      await deployment.stop();
      await application.stop();
    },
  };
}
