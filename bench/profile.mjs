// Where the processor time of an endpoint goes: perf looks at the web server and the programs while the load runs.
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { childrenOf } from "./machine.mjs";

const TIMES_A_SECOND = "2000";
const LEAST_PERCENT = 1;

function table(file, sort) {
  const text = execFileSync("perf", ["report", "-i", file, "--no-children", "--stdio", "-g", "none", "--sort", sort], { encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "ignore"] });
  return text.split("\n").filter((line) => /^\s*[\d.]+%/.test(line)).map((line) => {
    const [, percent, rest] = line.match(/^\s*([\d.]+)%\s+(.*?)\s*$/);
    return { percent: Number(percent), what: rest.replace(/\s{2,}/g, " ") };
  }).filter(({ percent }) => percent >= LEAST_PERCENT);
}

/// Runs `load` meanwhile: { places, functions }, each with `percent` and `what`; null where perf is not there or may not look.
export async function profile(pid, directory, load) {
  const file = join(directory, "perf.data");
  // The clock of the processor is there in every virtual machine, its counters are not.
  const words = ["record", "-q", "-e", "cpu-clock", "-F", TIMES_A_SECOND, "-o", file, "-p", [pid, ...childrenOf(pid)].join(",")];
  const perf = spawn("perf", words, { stdio: "ignore" });
  const ended = new Promise((done) => { perf.once("error", () => done(false)).once("close", () => done(true)); });
  try {
    await load();
  } finally {
    perf.kill("SIGINT");
  }
  if (!await ended) return null;
  try {
    return { places: table(file, "comm,dso"), functions: table(file, "dso,sym").slice(0, 12) };
  } catch {
    return null; // nothing was recorded
  }
}
