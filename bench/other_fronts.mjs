// nginx and Apache in front of the same programs, where they are installed: what another web server costs. The routing
// is the one that is shipped, without TLS; the programs are started outside, two of each behind one socket, as
// spawn-fcgi does.
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { programOf, untilTheyRun } from "./machine.mjs";
import { edited } from "../tests/support/fronts/apache.mjs";
import { PATH, freePort, identity, privateDirectory, startApache, startNginx } from "../tests/support/web_server.mjs";

const run = promisify(execFile);
const PROCESSES = 2;
const LONGER_MS = 50;
/// As many requests on a connection as the others take.
const KEPT_REQUESTS = 1000;

/// With fewer threads it hangs up on kept connections when many requests come at once.
const DEBIANS_APACHE = [
  "StartServers 2",
  "ServerLimit 6",
  "ThreadsPerChild 25",
  "MaxRequestWorkers 150",
  "MinSpareThreads 25",
  "MaxSpareThreads 75",
];

const isInstalled = (program) => PATH.split(":").some((directory) => existsSync(join(directory, program)));

/// Answers the numbers of the processes. They are whoever lighttpd's are; the socket is the web server's.
async function spawnPool(sockets, name, program, env) {
  const file = join(sockets, `${name}.pid`);
  const owner = process.getuid() === 0 ? ["-U", identity.user, "-G", identity.group] : [];
  await run(
    "spawn-fcgi",
    ["-s", join(sockets, `${name}.sock`), "-M", "0660", ...owner, "-F", String(PROCESSES), "-P", file, "--", program],
    { env: { ...env, PATH } },
  );
  return readFileSync(file, "latin1").trim().split(/\s+/).map(Number);
}

/// What has ended and nobody has asked about is there no more, whatever is first in a container.
const isThere = (pid) => {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

async function end(pids) {
  for (const pid of pids) if (isThere(pid)) process.kill(pid, "SIGTERM");
  while (pids.some(isThere)) await new Promise((done) => setTimeout(done, LONGER_MS));
}

async function nginx({ examples, directory, sockets, port, env }) {
  const shipped = (name) => join(examples, "nginx", name);
  const locations = (await readFile(shipped("postern-locations.conf"), "utf8")).replaceAll(
    "/run/postern/",
    `${sockets}/`,
  );
  await writeFile(join(directory, "postern-locations.conf"), locations);
  await copyFile(shipped("postern-fastcgi_params"), join(directory, "postern-fastcgi_params"));
  return startNginx({
    directory,
    port,
    env,
    lines: [
      `keepalive_requests ${KEPT_REQUESTS};`,
      "large_client_header_buffers 4 32k;",
      "include postern-locations.conf;",
      `location = /anchor/hello { include postern-fastcgi_params; fastcgi_pass unix:${sockets}/hello.sock; }`,
    ],
  });
}

async function apache({ root, directory, sockets, port, env, cgiBin, configFile }) {
  const site = edited(await readFile(join(root, "apache-example.conf"), "utf8"), {
    BASE: "/",
    CGI_BIN: cgiBin,
    CONFIG: configFile,
    SOCKETS: sockets,
  });
  const [from, to] = ["# ---- Postern ----", "# ---- end of Postern ----"].map((mark) => site.indexOf(mark));
  if (from < 0 || to < from) throw new Error("apache-example.conf marks its parts in another way now");
  return startApache({
    directory,
    port,
    env,
    modules: ["proxy", "proxy_fcgi"],
    lines: [
      ...DEBIANS_APACHE,
      `DocumentRoot "${sockets}"`,
      `MaxKeepAliveRequests ${KEPT_REQUESTS}`,
      "Define POSTERN_PROXY_FCGI",
      ...site.match(/^Define POSTERN_(BASE|CGI_BIN|CONFIG|SOCKETS) .*$/gm),
      site.slice(from, to),
      `<Location "/anchor/hello">`,
      "ProxyFCGIBackendType GENERIC",
      `SetHandler "proxy:unix:${sockets}/hello.sock|fcgi://hello"`,
      "</Location>",
    ],
  });
}

const KNOWN = { nginx: ["nginx", nginx], apache: ["apache2", apache] };

/// { servers, origins, absent, stop }: by name what measure() needs to know of a web server, and the names of those
/// that are not installed. hello and introspect answer there; the other paths have no programs.
export async function startOtherFronts({ site, anchors }) {
  const made = { servers: {}, origins: {}, absent: [] };
  const programs = [];
  made.stop = async () => {
    for (const { front } of Object.values(made.servers)) await front.stop();
    await end(programs);
  };
  if (!isInstalled("spawn-fcgi")) return { ...made, absent: Object.keys(KNOWN) };
  try {
    const sockets = await privateDirectory(join(site.directory, "o"));
    programs.push(...(await spawnPool(sockets, "hello", join(anchors.programs, "hello"), site.env)));
    programs.push(...(await spawnPool(sockets, "introspect", join(site.cgiBin, "introspect"), site.env)));
    for (const [name, [program, start]] of Object.entries(KNOWN)) {
      if (!isInstalled(program)) {
        made.absent.push(name);
        continue;
      }
      const port = await freePort();
      const front = await start({
        ...site,
        directory: await privateDirectory(join(site.directory, name)),
        sockets,
        port,
      });
      made.servers[name] = { pid: front.pid, programs, front };
      made.origins[name] = `http://127.0.0.1:${port}`;
      await front.untilItAnswers(`${made.origins[name]}/anchor/hello`, { status: 200 });
    }
    await untilTheyRun(programs, "spawn-fcgi");
    const seen = programs.map(programOf).sort().join(" ");
    if (seen !== "hello hello introspect introspect")
      throw new Error(`the processes behind other web servers are ${seen}`);
    return made;
  } catch (error) {
    await made.stop();
    throw error;
  }
}
