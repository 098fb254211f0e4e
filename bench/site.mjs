// The servers that are measured: a deployment of Postern and the anchors behind one lighttpd, the same as plain CGI
// behind another, all on one core; and single endpoints by themselves, for what they need when they are idle.
import { readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { join } from "node:path";
import { BUILD } from "../tests/support/deployment.mjs";
import { WebServer, freePort, privateDirectory } from "../tests/support/web_server.mjs";
import { openProvider } from "../tests/security/provider.mjs";
import { run } from "../tests/support/run.mjs";
import { childrenOf, pinned, pssOf } from "./machine.mjs";

const quoted = JSON.stringify;
const ANCHOR_ROWS = 1000;

async function startLighttpd({ directory, env }, name, core, lines) {
  const file = join(directory, `${name}.conf`);
  await writeFile(file, [...lines, ""].join("\n"));
  const [program, ...words] = pinned(core, ["lighttpd", "-D", "-f", file]);
  return new WebServer(program, words, { env, logFiles: [join(directory, `${name}.log`)] });
}

const common = ({ directory, sockets, base, cgiBin, configFile }, name, port) => [
  `server.bind = "127.0.0.1"`,
  `server.port = ${port}`,
  `server.document-root = ${quoted(sockets)}`,
  `server.errorlog = ${quoted(join(directory, `${name}.log`))}`,
  "server.max-request-field-size = 32768",
  "server.max-request-size = 64",
  `var.postern_base = ${quoted(base)}`,
  `var.postern_cgi_bin = ${quoted(cgiBin)}`,
  `var.postern_sockets = ${quoted(sockets)}`,
  `var.postern_config = ${quoted(configFile)}`,
];

/// By itself lighttpd starts four at most, and more when it thinks that these are busy.
const exactly = (processes) => `"min-procs" => ${processes}, "max-procs" => ${processes}`;

/// Processes of a program at a path.
const pool = (path, socket, program, environment, processes = 2) => [
  `$HTTP["url"] == ${quoted(path)} {`,
  `  fastcgi.server = ( "/" => (( "socket" => ${quoted(socket)}, "bin-path" ` +
    `=> ${quoted(program)}, "check-local" => "disable", ${exactly(processes)},`,
  `    "bin-environment" => ( ${Object.entries(environment)
    .map((pair) => pair.map(quoted).join(" => "))
    .join(", ")} ) )) )`,
  "}",
];

const publishedIn = (directory) => join(directory, "published");

/// What is shipped for `postern publish`, at the same paths, for another name of the host, which no program looks at.
async function publishedFiles({ examples, directory }) {
  const loads = /^server\.modules \+= .*$/m;
  const shipped = await readFile(join(examples, "lighttpd/postern-published.conf"), "utf8");
  const modules = shipped.match(loads)?.[0]; // it belongs to no condition
  if (!modules) throw new Error("postern-published.conf loads its modules in another way now");
  return [
    modules,
    `var.postern_published = ${quoted(publishedIn(directory))}`,
    `$HTTP["host"] =~ "^published\\." {`,
    shipped.replace(loads, ""),
    "}",
  ];
}

/// The routing that is shipped, with so many processes of everything. A second one needs a name, a port and `sockets`
/// of its own.
export async function fastcgi(
  site,
  anchors,
  core,
  { name = "fastcgi", port = site.port, sockets = site.sockets, processes = 2 } = {},
) {
  const shipped = await readFile(join(site.examples, "lighttpd/postern-fastcgi.conf"), "utf8");
  if ((shipped.match(/"max-procs" => [12]\b/g) ?? []).length !== 2)
    throw new Error("the shipped routing is written in another way now");
  const routing = shipped.replaceAll(/"max-procs" => [12]\b/g, exactly(processes));
  const anchor = (one, program = one, environment = {}) =>
    pool(
      `/anchor/${one}`,
      join(sockets, one),
      join(anchors.programs, program),
      { ANCHOR_DATABASE: anchors.database, ...environment },
      processes,
    );
  return startLighttpd(site, name, core, [
    ...common({ ...site, sockets }, name, port),
    routing,
    ...anchor("hello"),
    ...anchor("lookup"),
    ...anchor("token_lazy", "token", { ANCHOR_SYNC: "NORMAL" }),
    ...anchor("token_durable", "token", { ANCHOR_SYNC: "FULL" }),
    ...(await publishedFiles(site)),
  ]);
}

function cgi(site, anchors, core, port) {
  return startLighttpd(site, "cgi", core, [
    ...common(site, "cgi", port),
    `include ${quoted(join(site.examples, "lighttpd/postern-cgi.conf"))}`,
    `$HTTP["url"] == "/anchor/cgi_lookup" {`,
    `  alias.url = ( "/anchor/" => ${quoted(`${anchors.programs}/`)} )`,
    `  setenv.set-environment = ( "ANCHOR_DATABASE" => ${quoted(anchors.database)} )`,
    `  cgi.assign = ( "" => "" )`,
    "}",
    // A program answers its own path alone, so this one is told apart by the name of the host, which no program looks
    // at.
    `$HTTP["host"] =~ "^static\\." {`,
    `  $HTTP["url"] == var.postern_base + "/token/introspect" {`,
    `    alias.url = ( var.postern_base + "/token/introspect" ` +
      `=> ${quoted(join(anchors.programs, "introspect_static"))} )`,
    `    setenv.set-environment = ( "POSTERN_CONFIG" => var.postern_config )`,
    `    cgi.assign = ( "" => "" )`,
    "  }",
    "}",
  ]);
}

/// A front (see tests/support/fronts) that starts both; `made` learns what the measurements need to know of them.
const both = (core, made) => async (site) => {
  const anchors = {
    programs: join(BUILD, "bench"),
    database: join(await privateDirectory(join(site.directory, "anchors")), "anchors.db"),
  };
  await run(join(BUILD, "bench/commit"), ["fill", anchors.database, String(ANCHOR_ROWS)]);
  // Lines of the log go to a file, as they do where a server is busy.
  const config = JSON.parse(await readFile(site.configFile, "utf8"));
  await writeFile(site.configFile, JSON.stringify({ ...config, log: { target: join(site.directory, "postern.log") } }));
  const cgiPort = await freePort();
  const servers = { fastcgi: await fastcgi(site, anchors, core) };
  try {
    servers.cgi = await cgi(site, anchors, core, cgiPort);
    Object.assign(made, { site, anchors, servers, cgiOrigin: `http://127.0.0.1:${cgiPort}` });
    const untilItAnswers = async (url, options) => {
      await servers.fastcgi.untilItAnswers(url, options);
      await servers.cgi.untilItAnswers(url.replace(`:${site.port}`, `:${cgiPort}`), options);
    };
    const stop = async () => {
      await servers.fastcgi.stop();
      await servers.cgi.stop();
    };
    return {
      untilItAnswers,
      stop,
      get log() {
        return servers.fastcgi.log + servers.cgi.log;
      },
    };
  } catch (error) {
    await servers.fastcgi.stop();
    throw error;
  }
};

/// `config`: members of the configuration. { provider (of tests/security), servers, origins, anchors, directory }; end
/// it with provider.stop().
export async function openSite(core, config = {}) {
  const made = {};
  const provider = await openProvider({
    tls: false,
    front: both(core, made),
    config: {
      accessTokenTTL: 7200,
      authorizationCodeTTL: 600,
      refreshTokenTTL: 86400,
      paths: { gate: "/gate", par: "/par" },
      clientAssertions: true,
      dpop: "allowed",
      replays: { maxSize: 2 ** 30 }, // one client sends all
      gate: { proxies: ["127.0.0.1"] },
      ...config,
    },
  }); // nothing ends on the way
  const { deployment } = provider;
  await deployment.postern(["publish", publishedIn(deployment.directory)]);
  return {
    provider,
    core,
    anchors: made.anchors,
    servers: made.servers,
    site: made.site,
    origins: { fastcgi: deployment.origin, cgi: made.cgiOrigin },
    directory: deployment.directory,
  };
}

/// The commits per second that one process makes when it does nothing else.
export async function commitRate({ anchors, core }, seconds) {
  const milliseconds = String(Math.round(seconds * 1000));
  const [program, ...words] = pinned(core, [join(BUILD, "bench/commit"), "loop", anchors.database, milliseconds]);
  const [commits, nanoseconds] = (await run(program, words)).stdout.split(" ").map(Number);
  return (commits * 1e9) / nanoseconds;
}

/// One connection, one request: the status, or 0.
function ask(port, path, headers) {
  return new Promise((done) => {
    http
      .get({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
        answer.resume().once("end", () => done(answer.statusCode));
      })
      .once("error", () => done(0));
  });
}

/// A web server with nothing but two processes of one program, `times` times: milliseconds from its start until it has
/// answered `expected`, and the bytes of all three when both processes have (the smallest that was seen).
export async function aloneWith(site, { name, program, path, environment, headers, expected }, times) {
  const found = [];
  for (let i = 0; i < times; ++i) {
    const port = await freePort();
    const started = process.hrtime.bigint();
    const server = await startLighttpd(site.site, `alone-${name}`, site.core, [
      `server.bind = "127.0.0.1"`,
      `server.port = ${port}`,
      `server.document-root = ${quoted(site.site.sockets)}`,
      `server.errorlog = ${quoted(join(site.directory, `alone-${name}.log`))}`,
      `server.modules += ( "mod_fastcgi" )`,
      ...pool(path, join(site.site.sockets, `alone-${name}`), program, environment),
    ]);
    try {
      for (let status = 0; status !== expected; ) {
        status = await ask(port, path, headers);
        if (Number(process.hrtime.bigint() - started) > 60e9)
          throw new Error(`${name} answers ${status}\n${server.log}`);
      }
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      for (let all = 0; all < 8; ++all) await Promise.all([ask(port, path, headers), ask(port, path, headers)]);
      const programs = childrenOf(server.pid);
      if (programs.length !== 2) throw new Error(`${name} has ${programs.length} processes`);
      found.push({ milliseconds, pss: pssOf([server.pid, ...programs]) });
    } finally {
      await server.stop();
    }
  }
  return found;
}
