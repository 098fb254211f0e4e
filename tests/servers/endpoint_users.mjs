// A front whose processes are users of their own, as examples/systemd/postern-sysusers.conf divides them: the sockets
// are made by root and handed in on descriptor 0, and each program starts as its user with its groups and nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { BUILD, EXAMPLES } from "../support/deployment.mjs";
import { WITH_DATABASE, withRight } from "../support/endpoints.mjs";
import { run } from "../support/run.mjs";
import { identity } from "../support/web_server.mjs";

// Numbers that no account has; nothing is looked up in /etc/passwd.
const GROUP_IDS = { postern: 61000, "postern-sign": 61001, "postern-seal": 61002, "postern-factor": 61003 };
const FIRST_USER = 61010;

/// { token: { id, groups: ["postern", "postern-sign"] }, ... }, from the file that is shipped.
export function endpointUsers() {
  const users = {};
  for (const line of readFileSync(join(EXAMPLES, "systemd/postern-sysusers.conf"), "utf8").split("\n")) {
    const [kind, user, group] = line.split(/\s+/);
    const name = user?.replace(/^postern-/, "");
    if (name === "mail" || name === "notify") continue; // they run the command, not an endpoint
    if (kind === "u") users[name] = { id: FIRST_USER + Object.keys(users).length, groups: [] };
    if (kind === "m") users[name].groups.push(group);
  }
  return users;
}

/// setpriv and its arguments: what comes after them runs as that user. `more` are names of further groups.
export function as({ id, groups }, more = []) {
  const ids = [...groups, ...more].map((group) => GROUP_IDS[group]);
  return [
    "setpriv",
    `--reuid=${id}`,
    `--regid=${id}`,
    ids.length ? `--groups=${ids}` : "--clear-groups",
    "--no-new-privs",
    "--inh-caps=-all",
    "--bounding-set=-all",
  ];
}

/// May this machine's root make mounts? In a container it often may not.
export const mayMount = await run("unshare", ["--mount", "--net", "true"]).then(
  () => true,
  () => false,
);

/// No network, and the database's directory for reading only, all but the ring: what the units of these two do.
const READERS = withRight("reads");
const READ_ONLY =
  'mount --bind "$1" "$1" && mount --bind "$2" "$2" && mount -o remount,bind,ro "$1" && shift 2 && exec "$@"';
const confined = (name, data, command) =>
  READERS.includes(name) && mayMount
    ? ["unshare", "--mount", "--net", "sh", "-c", READ_ONLY, "sh", data, join(data, "refusals.ring"), ...command]
    : command;

// What a shell starts in the background has no standard input of its own.
const TWICE = 'exec 3<&0; "$@" <&3 3<&- & "$@" <&3 3<&- & wait';

/// Started processes, two behind each socket, and the web server in front of them.
class Processes {
  #children = [];
  #log = "";
  server = null;

  start(name, { user, cgiBin, sockets, data, env }) {
    const program = confined(name, data, [
      ...as(user, WITH_DATABASE.includes(name) ? [] : ["postern"]),
      join(cgiBin, name),
    ]);
    const twice = ["/bin/sh", "-c", TWICE, "sh", ...program];
    const socket = ["-s", join(sockets, `${name}.sock`), "-M", "0660", "-U", identity.user, "-G", identity.group];
    // In a process group of its own, so that it can be ended as one.
    const child = spawn("spawn-fcgi", ["-n", ...socket, "--", ...twice], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#log += text;
    });
    child.once("error", (error) => {
      this.#log += error.message;
    });
    this.#children.push(child);
  }

  get log() {
    return (this.server?.log ?? "") + this.#log;
  }
  async untilItAnswers(...asked) {
    await this.server.untilItAnswers(...asked).catch((error) => {
      throw new Error(`${this.#log}\n${error.message}`);
    });
    return this;
  }
  async stop() {
    await this.server?.stop();
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        process.kill(-child.pid, "SIGTERM");
        await ended;
      }),
    );
  }
}

/// `front` starts a web server that finds NAME.sock in `sockets`. The data, which belong to one user, are made anew for
/// many.
export const dividedUsers = (front) => async (site) => {
  const { directory, cgiBin, sockets, env } = site;
  const [data, keys] = [join(directory, "db"), join(directory, "keys")];
  await chmod(directory, 0o711);
  for (const old of [data, keys]) await rm(old, { recursive: true });
  const holders = { "--signers": "sign", "--sealers": "seal", "--factors": "factor" };
  const groups = Object.entries(holders).flatMap(([option, of]) => [option, `${GROUP_IDS[`postern-${of}`]}`]);
  await run(join(BUILD, "bin/postern"), ["init", "--owner", `0:${GROUP_IDS.postern}`, ...groups], { env });
  const processes = new Processes();
  try {
    for (const [name, user] of Object.entries(endpointUsers()))
      processes.start(name, { user, cgiBin, sockets, data, env });
    processes.server = await front(site);
    return processes;
  } catch (error) {
    await processes.stop();
    throw error;
  }
};
