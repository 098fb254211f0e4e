// Measures what it costs to have many tokens: what `make bench-growth` runs. Databases of several sizes are asked in turn, round for
// round; then the largest is copied while it serves, and one whose tokens have all ended is swept while it serves.
// From the environment: POSTERN_BUILD, SIZES (tokens, the smallest first: what the others are compared with), SECONDS, ROUNDS, OUT.
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { allowedCores, describeMachine } from "./machine.mjs";
import { knob, measure, useADisk } from "./measure.mjs";

useADisk();
const { BUILD } = await import("../tests/support/deployment.mjs");
const { openSite } = await import("./site.mjs");
const { makeFixtures, scenariosOf } = await import("./scenarios.mjs");
const { median } = await import("./report.mjs");
const { sql } = await import("../tests/security/database.mjs");

const run = promisify(execFile);
const seconds = knob("SECONDS", 2);
const rounds = Math.ceil(knob("ROUNDS", 5));
const sizes = (process.env.SIZES || "10000,1000000,10000000").split(",").map(Number);
if (!sizes.every((size, i) => Number.isInteger(size) && size > 1 && (i === 0 || size > sizes[i - 1]))) throw new Error("SIZES must be whole numbers above 1, the smallest first");
const ASKED = ["introspect", "userinfo", "refresh"];
const LIFETIME_S = 86400;
const LEAST_RATIO = 0.85;
const MOST_P99_MS = 7; // of whatever writes
const say = (text) => process.stderr.write(`${text}\n`);
const rate = ({ requests, seconds: time }) => requests / time;

/// Of the file as it is when its log is written back.
async function bytesOf({ provider: { deployment } }) {
  const [{ n }] = await sql(deployment, "SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size");
  return Number(n);
}

/// A provider with so many tokens, besides those of its own that are asked about.
async function grown(tokens, lifetime, [serverCore, loadCore]) {
  const site = Object.assign(await openSite(serverCore), { loadCore, tokens });
  try {
    const fixtures = await makeFixtures(site);
    site.scenarios = scenariosOf(site, fixtures).filter(({ id }) => ASKED.includes(id));
    site.database = join(site.directory, "db/postern.db");
    const before = await bytesOf(site);
    await run(join(BUILD, "bench/fill"), [site.database, "web", site.provider.user.sub, String(tokens), String(lifetime)]);
    const after = await bytesOf(site);
    site.bytesPerToken = (after - before) / tokens;
    say(`${tokens} tokens: ${(after / 1048576).toFixed(0)} MiB`);
    return site;
  } catch (error) {
    await close(site);
    throw error;
  }
}

/// Nothing of a file of gigabytes is looked at when its deployment goes.
async function close(site) {
  for (const server of Object.values(site.servers)) await server.stop();
  rmSync(join(site.directory, "db"), { recursive: true, force: true });
  await site.provider.stop();
}

/// The write that has the most to do, while the command does its work: { p99, seconds } and what it was like without.
async function beside(site, work) {
  const refresh = site.scenarios.find(({ id }) => id === "refresh");
  const alone = await measure(site, refresh, seconds);
  const started = process.hrtime.bigint();
  let time = null;
  const working = work().finally(() => { time = Number(process.hrtime.bigint() - started) / 1e9; });
  working.catch(() => {}); // it is waited for below
  const p99 = [];
  do p99.push((await measure(site, refresh, seconds)).p99); while (time === null);
  await working;
  return { alone: alone.p99, p99: median(p99), worst: Math.max(...p99), seconds: time };
}

async function measureSizes(sites) {
  const all = [];
  for (let round = 1; round <= rounds; ++round) {
    const seen = sites.map(() => ({}));
    for (const id of ASKED) {
      for (const [i, site] of sites.entries()) {
        seen[i][id] = await measure(site, site.scenarios.find((scenario) => scenario.id === id), seconds);
        say(`round ${round} of ${rounds}: ${id} with ${site.tokens} tokens: ${Math.round(rate(seen[i][id]))} requests per second`);
      }
    }
    all.push(seen);
  }
  return sites.map(({ tokens, bytesPerToken }, i) => ({ tokens, bytesPerToken, endpoints: Object.fromEntries(ASKED.map((id) => [id, {
    perSecond: median(all.map((seen) => rate(seen[i][id]))), p99: median(all.map((seen) => seen[i][id].p99)),
    ratio: median(all.map((seen) => rate(seen[i][id]) / rate(seen[0][id]))),
  }])) }));
}

function markdown({ machine, results, backup, sweep }) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const judge = (met) => (met ? "met" : "**missed**");
  const lines = ["# What many tokens cost", "",
    `${machine.processor}, ${machine.cores} cores, ${machine.kernel}, ${machine.fileSystem}; load at the beginning ${machine.load.join(" ")}. ${rounds} rounds of ${seconds} s each; medians.`, "",
    row(["tokens", "bytes each", ...ASKED.flatMap((id) => [`${id} per second`, `of ${results[0].tokens}`, "p99 ms"])]), row(["---:", "---:", ...ASKED.flatMap(() => ["---:", "---:", "---:"])]),
    ...results.map(({ tokens, bytesPerToken, endpoints }) => row([tokens, bytesPerToken.toFixed(0),
      ...ASKED.flatMap((id) => [endpoints[id].perSecond.toFixed(0), endpoints[id].ratio.toFixed(3), endpoints[id].p99.toFixed(2)])])), ""];
  lines.push("Bytes are of rows that were written in their order; in another order the pages are up to a third emptier.", "");
  const last = results.at(-1);
  for (const id of ASKED) lines.push(`- ${id} with ${last.tokens} tokens: at least ${LEAST_RATIO} of ${results[0].tokens} tokens: ${judge(last.endpoints[id].ratio >= LEAST_RATIO)}`);
  lines.push("", `While ${last.tokens} tokens are copied (\`postern backup\`, ${backup.seconds.toFixed(1)} s) refresh has a p99 of ${backup.p99.toFixed(2)} ms (${backup.alone.toFixed(2)} without, ${backup.worst.toFixed(2)} at worst).`,
    "", `With ${sweep.tokens} tokens that have ended, which requests delete by and by, refresh has a p99 of ${sweep.alone.toFixed(2)} ms (at most ${MOST_P99_MS}: ${judge(sweep.alone <= MOST_P99_MS)}); while \`postern purge\` deletes the rest in ${sweep.seconds.toFixed(1)} s, ${sweep.p99.toFixed(2)} ms (${sweep.seconds < seconds ? "too short to be judged" : judge(sweep.p99 <= MOST_P99_MS)}).`, "");
  return lines.join("\n");
}

async function main() {
  const cores = allowedCores();
  const pinned = cores.length > 1 ? cores : [];
  const sites = [];
  const report = { seconds, rounds };
  try {
    for (const tokens of sizes) sites.push(await grown(tokens, LIFETIME_S, pinned));
    report.machine = describeMachine(sites[0].directory);
    report.results = await measureSizes(sites);
    const largest = sites.at(-1);
    report.backup = await beside(largest, () => largest.provider.deployment.postern(["backup", join(largest.directory, "copy.db")]));
    const ended = await grown(sizes[Math.min(1, sizes.length - 1)], 1, pinned);
    sites.push(ended);
    report.sweep = { tokens: ended.tokens, ...await beside(ended, () => ended.provider.deployment.postern(["purge"])) };
  } finally {
    for (const { reason } of await Promise.allSettled(sites.map(close))) if (reason) say(`${reason}`);
  }
  const out = process.env.OUT || join(BUILD, "bench");
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "growth.json"), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(out, "growth.md"), markdown(report));
  process.stdout.write(markdown(report));
}

try {
  await main();
} catch (error) {
  say(`growth: ${error.message}`);
  process.exitCode = 1;
}
