// What the kernel tells about this machine and about processes: processors, time spent, memory.
import { readFileSync, readdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { execFileSync } from "node:child_process";

export const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/// The numbers of the processors that we may use.
export function allowedCores() {
  const [, list] = readFileSync("/proc/self/status", "latin1").match(/^Cpus_allowed_list:\s*(.*)$/m);
  return list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/// The words of a command that runs on a core, or anywhere.
export const pinned = (core, words) => (core === undefined ? words : ["taskset", "-c", String(core), ...words]);

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // from the third on: the name before may hold anything
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      parent: Number(fields[1]),
      own: Number(fields[11]) + Number(fields[12]),
      ended: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return null; // it has ended meanwhile
  }
}

/// Those that the process started and that run now; of a program alone where one is named.
export function childrenOf(pid, program = undefined) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => statOf(one)?.parent === pid && (program === undefined || programOf(one) === program));
}

/// Its name, of at most 15 bytes.
function programOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    return null;
  }
}

/// Waits until each process has become a program of its own and is no copy of what started it.
export async function untilTheyRun(pids, starter) {
  while (pids.some((pid) => programOf(pid) === starter)) await new Promise((done) => setTimeout(done, 20));
}

/// Processor time in parts of a second, of which TICKS make one: `own` of a web server, and `all` with the programs
/// that it started, those that have ended too.
export function cpuTicks({ pid }) {
  const server = statOf(pid);
  if (!server) throw new Error(`process ${pid} has ended`);
  const { own, ended } = server;
  return { own, all: childrenOf(pid).reduce((all, one) => all + (statOf(one)?.own ?? 0), own + ended) };
}

/// Bytes, shared pages divided among those that share them; null where we may not look.
export function pssOf(pids) {
  try {
    return pids.reduce(
      (sum, pid) =>
        sum + Number(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1").match(/^Pss:\s+(\d+) kB/m)[1]) * 1024,
      0,
    );
  } catch {
    return null;
  }
}

export function describeMachine(directory) {
  const first = (command, ...args) => {
    try {
      return execFileSync(command, args, { encoding: "utf8" }).split("\n")[0].trim();
    } catch {
      return "?";
    }
  };
  return {
    processor: cpus()[0]?.model ?? "?",
    cores: allowedCores().length,
    memory: totalmem(),
    kernel: first("uname", "-sr"),
    fileSystem: first("stat", "-f", "-c", "%T", directory),
    lighttpd: first("lighttpd", "-v"),
    load: readFileSync("/proc/loadavg", "latin1").split(" ").slice(0, 3).map(Number),
  };
}
