// What is left to a handler once its process serves: an endpoint of our own tries everything and tells how it ended.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { chmod, copyFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD } from "../support/deployment.mjs";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { privateDirectory } from "../support/web_server.mjs";
import { openProvider } from "./provider.mjs";
import { missingHere } from "./sandbox.mjs";

const missing = await missingHere();
const lacking = missing ? `here is no sandbox: ${missing}` : false;
const REFUSED = ["EPERM", "EACCES", "EROFS"];

/// How each attempt ends where nothing forbids it. Those without a program of that name, or a process of that number,
/// say so when the call was let through.
const OPEN = {
  database: "ok",
  "write database": "ok",
  random: "ok",
  "key set": "ok",
  "list keys": "ok",
  "write key set": "ok",
  "write seal.key": "ok",
  "write factor.key": "ok",
  gate: "ok",
  "file beside the database": "ok",
  configuration: "ok",
  "/etc/passwd": "ok",
  "/proc": "ok",
  "list /": "ok",
  file: "ok",
  "write file": "ok",
  "new file": "ok",
  truncate: "ok",
  rename: "ok",
  link: "ok",
  "symbolic link": "ok",
  directory: "ok",
  mode: "ok",
  tcp: "ok",
  bind: "ok",
  "bind in an older thread": "ok",
  "unix socket": "ok",
  datagram: "ok",
  mptcp: "ok",
  "fast open": "ok",
  "fast open by message": "ok",
  "fast open by messages": "ok",
  "deferred connection": "ok",
  udp: "ok",
  netlink: "ok",
  "packets of this machine": "ok",
  execute: "ENOENT",
  fork: "ok",
  program: "ok",
  thread: "ok",
  "beginning of a thread": "ok",
  trace: "ESRCH",
  "other memory": "ok",
  signal: "ok",
  owner: "ok",
  "owner by thread": "ok",
  "owner by ioctl": "ok",
  "signal of a descriptor": "ok",
  "executable memory": "ok",
  "memory made executable": "ok",
  "name space": "ok",
};
/// What the rules of a container may forbid everybody in it, and what a kernel may lack.
const CONTAINED = ["trace", "other memory", "name space"];
const LACKED = ["EPERM", "EPROTONOSUPPORT", "ENOPROTOOPT", "EOPNOTSUPP"];
const OPTIONAL = [...CONTAINED, "mptcp", "fast open", "fast open by message", "fast open by messages"];
const ITS_OWN = ["database", "random", "key set", "beginning of a thread"];
const WRITES = ["write database"];

/// One process of the probe for each: the mode it is configured with, its environment, and what goes beyond its own
/// needs.
const PROBES = {
  require: { sandbox: "require" },
  "query-only": { sandbox: "require", env: { PROBE_READS: "1" }, writes: [] },
  auto: { sandbox: "auto" },
  default: {},
  syslog: { sandbox: "require", log: { target: "syslog" }, more: ["datagram"] },
  fetcher: { sandbox: "require", outbound: { enabled: true }, env: { PROBE_FETCHES: "1" } },
  saslauthd: {
    sandbox: "require",
    login: { method: "saslauthd" },
    env: { PROBE_LOGINS: "1" },
    more: ["unix socket"],
  },
  "beside-saslauthd": { sandbox: "require", login: { method: "saslauthd" } },
  signer: { sandbox: "require", env: { PROBE_SIGNS: "1" }, more: ["list keys"] },
  factors: { sandbox: "require", env: { PROBE_FACTORS: "1" } }, // as login and account
  reader: { sandbox: "require", env: { PROBE_READ: "PLACE" }, more: ["file"] },
  writer: {
    sandbox: "require",
    env: { PROBE_WRITE: "PLACE" },
    more: ["file", "write file", "new file", "truncate", "rename", "link", "directory", "mode"],
  },
  caller: {
    sandbox: "require",
    env: { PROBE_NETWORK: "1" },
    more: (
      "tcp, unix socket, datagram, udp, netlink, packets of this machine, thread, executable memory, memory " +
      "made executable, /etc/passwd"
    ).split(", "),
  },
};
/// With a thread that has run before the sandbox: the filter for system calls is put on it, too, and Landlock cannot
/// be.
const THREADED = { sandbox: "auto", env: { PROBE_THREAD: "1" } };
/// On a kernel that has a half of it: what is forbidden still.
const HALVES = {
  landlock: (
    "bind, tcp, unix socket, datagram, mptcp, fast open, fast open by message, fast open by messages, " +
    "deferred connection, udp, netlink, packets of this machine, execute, fork, program, thread, trace, " +
    "other memory, signal, owner, owner by thread, owner by ioctl, signal of a descriptor, bind in an " +
    "older thread, executable memory, name space"
  ).split(", "),
  seccomp: (
    "list keys, write key set, write seal.key, write factor.key, gate, file beside the database, " +
    "/etc/passwd, list /, file, write file, new file, truncate, directory, program"
  ).split(", "),
};
const OPEN_PROBES = { off: { sandbox: "off" }, anything: { sandbox: "auto", env: { PROBE_ANYTHING: "1" } } };

const quoted = JSON.stringify;

/// What /proc tells everybody, of processes that nobody may look into, too: [{ pid, parent, command }].
function processes() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")[1];
        return [{ pid, parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

describe("a handler that tries everything", () => {
  let provider;
  prepared(async (owned) => {
    const refusing = async (...where) =>
      owned(
        await listening(
          createServer((one) => one.destroy()),
          { where },
        ),
      );
    const { port } = await refusing(0, "127.0.0.1");
    const probes = async (site) => {
      const place = await privateDirectory(join(site.directory, "place"));
      const socket = join(site.sockets, "listener");
      await refusing(socket);
      await chmod(socket, 0o666);
      const program = join(place, "..", "probe"); // where the web server's user can reach it
      await copyFile(join(BUILD, "tests/sandbox_probe"), program);
      await chmod(program, 0o755);
      const config = JSON.parse(readFileSync(site.configFile, "utf8"));
      const lines = [];
      const halves = Object.fromEntries(Object.keys(HALVES).map((without) => [`without-${without}`, { without }]));
      for (const [name, { sandbox, log, login, outbound, without, env = {} }] of Object.entries({
        ...PROBES,
        ...OPEN_PROBES,
        ...halves,
        threaded: THREADED,
      })) {
        const directory = await privateDirectory(join(place, name)); // of its own: they run beside each other
        await writeFile(join(directory, "file"), "text");
        await chmod(join(directory, "file"), 0o666);
        const file = join(site.directory, `${name}.json`);
        delete config.sandbox;
        delete config.log;
        await writeFile(file, quoted({ ...config, sandbox, log, login, outbound }));
        const settings = {
          POSTERN_CONFIG: file,
          PROBE_PATH: `/${name}`,
          PROBE_PLACE: directory,
          PROBE_PORT: `${port}`,
          PROBE_SOCKET: socket,
          ...Object.fromEntries(
            Object.entries(env).map(([key, value]) => [key, value === "PLACE" ? directory : value]),
          ),
        };
        const environment = Object.entries(settings)
          .map((pair) => pair.map(quoted).join(" => "))
          .join(", ");
        if (process.getuid() === 0) await run("chown", ["-R", `--reference=${place}`, directory]);
        const path = quoted(without ? `${program} without ${without} ${program}` : program);
        lines.push(`$HTTP["url"] == "/${name}" { fastcgi.server = ( "/" => ((
          "socket" => ${quoted(join(site.sockets, `p-${name}`))}, "bin-path" => ${path},
          "check-local" => "disable", "max-procs" => 1, "bin-environment" => ( ${environment} ) )) ) }`);
      }
      return lines;
    };
    const front = async (site) => lighttpd("fastcgi", await probes(site))(site);
    provider = owned(await openProvider({ front }));
  });
  const tried = async (name) => (await provider.ask(`/${name}`)).json;
  const logOf = () =>
    provider.deployment.log
      .split("\n")
      .filter((line) => line.includes('"program":"probe"'))
      .map((line) => JSON.parse(line.slice(line.indexOf("{"))));

  for (const name of Object.keys(OPEN_PROBES)) {
    it(`can do all of it without a sandbox (${name}), so the attempts are good ones`, async (t) => {
      const { dumpable, core, ...results } = await tried(name);
      for (const attempt of OPTIONAL.filter((one) => LACKED.includes(results[one]))) {
        t.diagnostic(`${attempt}: forbidden here without a sandbox, too`);
        results[attempt] = OPEN[attempt];
      }
      assert.deepEqual(results, OPEN);
    });
  }

  for (const [name, { more = [], writes = WRITES }] of Object.entries(PROBES)) {
    const but = more.length ? `, but what it declared or is configured for: ${more.join(", ")}` : "";
    it(
      `opens no other file, executes, forks, connects and traces nothing (${name})${but} [G05]`,
      { skip: lacking },
      async () => {
        const { dumpable, core, ...results } = await tried(name);
        assert.deepEqual(Object.keys(results), Object.keys(OPEN));
        for (const [attempt, result] of Object.entries(results)) {
          if ([...ITS_OWN, ...writes, ...more].includes(attempt)) assert.equal(result, "ok", attempt);
          else assert.ok(REFUSED.includes(result), `${attempt}: ${result}`);
        }
      },
    );
  }

  for (const [without, refused] of Object.entries(HALVES)) {
    it(
      `does without ${without} where the kernel has none, with the other half and one warning`,
      { skip: lacking },
      async () => {
        const results = await tried(`without-${without}`);
        for (const attempt of refused) assert.ok(REFUSED.includes(results[attempt]), `${attempt}: ${results[attempt]}`);
        assert.equal(results[without === "landlock" ? "file" : "fork"], "ok");
        const [line] = logOf().filter(
          ({ event, missing: part }) => event === "sandbox" && part.toLowerCase().includes(without),
        );
        assert.deepEqual([line.level, line[without === "landlock" ? "files" : "calls"]], ["warn", "open"]);
      },
    );

    it(`does not start without ${without} when all is required, and doctor says why`, { skip: lacking }, async () => {
      const { cgiBin } = provider.deployment;
      const env = {
        POSTERN_CONFIG: join(provider.deployment.directory, "require.json"),
        REQUEST_METHOD: "GET",
        REQUEST_URI: "/jwks",
      };
      const on = (...command) =>
        run(join(BUILD, "tests/sandbox_probe"), ["without", without, ...command], { env }).then(
          (output) => ({ code: 0, ...output }),
          (failure) => failure,
        );
      const refused = await on(join(cgiBin, "jwks"));
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, new RegExp(`^postern jwks: "sandbox" is "require", and .*${without}`, "im"));
      assert.match(refused.stdout, /^Status: 500 /);
      const found = async () =>
        JSON.parse((await on(join(BUILD, "bin/postern"), "doctor", "--json")).stdout).find(
          ({ check }) => check === "sandbox",
        );
      assert.equal((await found()).state, "error");
      env.POSTERN_CONFIG = join(provider.deployment.directory, "auto.json");
      assert.match((await on(join(cgiBin, "jwks"))).stdout, /^Status: 200 /);
      const finding = await found();
      assert.equal(finding.state, "warning");
      assert.ok(finding.detail.toLowerCase().includes(without) && finding.fix);
    });
  }

  it("filters the calls of an earlier thread, and warns that its files are open [G05]", { skip: lacking }, async () => {
    const results = await tried("threaded");
    for (const attempt of ["bind in an older thread", "file", "program"])
      assert.ok(REFUSED.includes(results[attempt]), `${attempt}: ${results[attempt]}`);
    const [line] = logOf().filter(
      ({ event, missing: part }) => event === "sandbox" && part.startsWith("threads that were started earlier (1)"),
    );
    assert.deepEqual([line.level, line.calls], ["warn", "seccomp"]);
  });

  it("does not start next to such a thread when all of it is required", { skip: lacking }, async () => {
    const env = {
      POSTERN_CONFIG: join(provider.deployment.directory, "require.json"),
      REQUEST_METHOD: "GET",
      REQUEST_URI: "/p",
      PROBE_PATH: "/p",
    };
    const start = (more) =>
      run(join(BUILD, "tests/sandbox_probe"), [], { env: { ...env, ...more } }).then(
        (output) => ({ code: 0, ...output }),
        (failure) => failure,
      );
    assert.equal((await start({})).code, 0);
    const refused = await start({ PROBE_THREAD: "1" });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /"sandbox" is "require", and .*threads that were started earlier \(1\)/);
  });

  it("leaves no core file, and no debugger of its user attaches, under any sandbox setting [G05]", async () => {
    for (const name of ["off", "auto"]) {
      const { dumpable, core } = await tried(name);
      assert.deepEqual({ dumpable, core }, { dumpable: false, core: false }, name);
    }
  });

  it("says in one line what the process has given up", { skip: lacking }, async () => {
    await tried("require");
    const [line] = logOf().filter(({ event, files }) => event === "sandbox" && /^Landlock \d+$/.test(files));
    assert.deepEqual([line.calls, line.missing, line.level], ["seccomp", "", "info"]);
  });

  it("every endpoint that is shipped is confined, and can gain no privilege [G05]", { skip: lacking }, async () => {
    const { cgiBin, directory } = provider.deployment;
    const server = processes().find(({ command }) => command.includes(join(directory, "lighttpd.conf")));
    for (const name of ENDPOINTS) {
      const ours = processes().filter(
        ({ parent, command }) => parent === server.pid && command[0] === join(cgiBin, name),
      );
      assert.ok(ours.length >= 1, name);
      for (const { pid } of ours) {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        assert.match(status, /^NoNewPrivs:\t1$/m, name);
        assert.match(status, /^Seccomp:\t2$/m, name);
      }
    }
  });
});
