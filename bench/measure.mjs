// One measurement: the load for a while, and a right answer before and after it.
import { execFileSync } from "node:child_process";
import { existsSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { drive } from "./load.mjs";
import { TICKS, cpuTicks } from "./machine.mjs";

/// Answers of one kind are of one length, give or take a few bytes: one that says 200 and something else stands out.
const TOLERANCE = 0.1;
const KEPT = 64; // bytes of headers that only a kept connection has
const PATIENCE_S = 10;
const lengthOf = ({ headers, body }) =>
  Buffer.byteLength(body) +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 19);

/// Longer than asked for where that was too short for a single answer.
async function driveUntilItAnswers(site, scenario, seconds) {
  for (let time = seconds; ; time *= 4) {
    const data = await scenario.prepare(time);
    const right = await scenario.check();
    const server = site.servers[scenario.mode];
    const before = server && cpuTicks(server);
    const ofDatabase = () => site.databaseServer && cpuTicks(site.databaseServer).all;
    const databaseBefore = ofDatabase();
    const seen = await drive({ ...scenario, data, directory: site.directory, seconds: time, core: site.loadCore });
    const after = server && cpuTicks(server);
    if (server && site.databaseServer) seen.databaseCpu = (ofDatabase() - databaseBefore) / TICKS;
    Object.assign(
      seen,
      server
        ? { cpu: (after.all - before.all) / TICKS, serverCpu: (after.own - before.own) / TICKS }
        : { cpu: null, serverCpu: null },
    );
    if ((scenario.kind === "journey" ? seen.journeys : seen.requests) > 0) return { seen, right };
    if (time > PATIENCE_S) throw new Error(`no answer in ${time} seconds`);
  }
}

/// What drive() saw in so many seconds, and the seconds of processor time: `cpu` of web server and programs,
/// `serverCpu` of the first alone, `databaseCpu` of the site's `databaseServer`.
export async function measure(site, scenario, seconds) {
  const { seen, right } = await driveUntilItAnswers(site, scenario, seconds);
  await scenario.check();
  const log = join(site.directory, "postern.log"); // a line for each request
  if (existsSync(log)) truncateSync(log);
  const mean = seen.bytes / seen.requests;
  const length = right && lengthOf(right);
  if (right && (mean < length * (1 - TOLERANCE) || mean > length * (1 + TOLERANCE) + KEPT))
    throw new Error(`an answer has ${Math.round(mean)} bytes on average; the one that was looked at has ${length}`);
  return seen;
}

/// Asks each scenario in `ids` of each site that has it, in turn, round for round: [{ id: { name of a site: what
/// measure() saw } }].
export async function inTurn(sites, ids, rounds, seconds) {
  const all = [];
  for (let round = 1; round <= rounds; ++round) {
    const seen = Object.fromEntries(ids.map((id) => [id, {}]));
    for (const id of ids)
      for (const site of sites) {
        const scenario = site.scenarios.find((one) => one.id === id);
        if (!scenario) continue; // another server, which has no such endpoint
        const one = await measure(site, scenario, seconds);
        seen[id][site.name] = one;
        const rate = Math.round(one.requests / one.seconds);
        say(`round ${round} of ${rounds}: ${id}, ${site.name}: ${rate} requests per second`);
      }
    all.push(seen);
  }
  return all;
}

export const say = (text) => process.stderr.write(`${text}\n`);

/// A figure from the environment.
export function knob(name, usual) {
  const value = Number(process.env[name] || usual);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0`);
  return value;
}

/// A disk, where the usual place for temporary files is none: commits to memory are no commits. Before anything is
/// imported that makes such files.
export function useADisk() {
  if (!process.env.TMPDIR && execFileSync("stat", ["-f", "-c", "%T", "/tmp"], { encoding: "utf8" }).trim() === "tmpfs")
    process.env.TMPDIR = "/var/tmp";
}
