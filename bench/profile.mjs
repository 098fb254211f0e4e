// Where the processor time of an endpoint goes: perf looks at the web server and the programs while the load runs.
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const TIMES_A_SECOND = "2000";
const LEAST_PERCENT = 1;

function table(file, sort) {
  const text = execFileSync("perf", ["report", "-i", file, "--no-children", "--stdio", "-g", "none", "--sort", sort], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return text
    .split("\n")
    .filter((line) => /^\s*[\d.]+%/.test(line))
    .map((line) => {
      const [, percent, rest] = line.match(/^\s*([\d.]+)%\s+(.*?)\s*$/);
      return { percent: Number(percent), what: rest.replace(/\s{2,}/g, " ") };
    })
    .filter(({ percent }) => percent >= LEAST_PERCENT);
}

/// It takes its time before it has opened its events; or it has ended by then, since it may not.
async function untilItLooks(perf) {
  const looks = () => {
    try {
      return readdirSync(`/proc/${perf.pid}/fd`).some((fd) =>
        readlinkSync(`/proc/${perf.pid}/fd/${fd}`).includes("perf_event"),
      );
    } catch {
      return false;
    }
  };
  while (perf.exitCode === null && perf.signalCode === null && perf.pid !== undefined && !looks())
    await new Promise((done) => setTimeout(done, 20));
}

/// Runs `load` meanwhile, looking at the processes and at what they start: { places, functions }, each with `percent`
/// and `what`; null where perf is not there or may not look. `placesBy` is what perf tells places apart by.
export async function profile(pids, directory, load, placesBy = "comm,dso") {
  const file = join(directory, "perf.data");
  // The clock of the processor is there in every virtual machine, its counters are not.
  const words = ["record", "-q", "-e", "cpu-clock", "-F", TIMES_A_SECOND, "-o", file, "-p", pids.join(",")];
  const perf = spawn("perf", words, { stdio: "ignore" });
  const ended = new Promise((done) => {
    perf.once("error", () => done(false)).once("close", () => done(true));
  });
  try {
    await untilItLooks(perf);
    await load();
  } finally {
    perf.kill("SIGINT");
  }
  if (!(await ended)) return null;
  try {
    const places = table(file, placesBy);
    return places.length === 0 ? null : { places, functions: table(file, "dso,sym").slice(0, 12) };
  } catch {
    return null; // nothing was recorded
  }
}
