// Measures what it costs to have many tokens: what `make bench-growth` runs. Databases of several sizes are asked in
// turn, round for round; then the largest is copied while it serves, and one whose tokens have all ended is swept while
// it serves, first by its requests alone, then by `postern purge` too.
// From the environment: POSTERN_BUILD, SIZES (tokens, the smallest first: what the others are compared with), SECONDS,
// ROUNDS, OUT.
import { spawn } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { run } from "../tests/support/run.mjs";
import { allowedCores, describeMachine, pinned } from "./machine.mjs";
import { inTurn, knob, measure, say, useADisk } from "./measure.mjs";

useADisk();
const { BUILD } = await import("../tests/support/deployment.mjs");
const { openSite } = await import("./site.mjs");
const { makeFixtures, scenariosOf } = await import("./scenarios.mjs");
const { machineOf, median, number, rate, runBench, table, writeReport } = await import("./report.mjs");
const { sql } = await import("../tests/security/database.mjs");

const seconds = knob("SECONDS", 2);
const rounds = Math.ceil(knob("ROUNDS", 5));
const sizes = (process.env.SIZES || "10000,1000000,10000000").split(",").map(Number);
if (!sizes.every((size, i) => Number.isInteger(size) && size > 1 && (i === 0 || size > sizes[i - 1])))
  throw new Error("SIZES must be whole numbers above 1, the smallest first");
const ASKED = ["introspect", "userinfo", "refresh"];
/// So many that the pages with their rows, anywhere in a large file, and those above them are more than SQLite keeps;
/// fewer than signatures are remembered, and than the 200 grants that one user and client keep.
const KNOWN_TOKENS = Math.min(160, sizes[0]);
const LIFETIME_S = 86400;
const ENDED_S = -60; // what has ended is kept for a minute

/// Of the file as it is when its log is written back.
async function bytesOf({ provider: { deployment } }) {
  const [{ n }] = await sql(deployment, "SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size");
  return Number(n);
}

/// A provider for so many tokens, besides those `known` of its own that are asked about.
async function openFor(tokens, lifetime, known, [serverCore, loadCore]) {
  const site = Object.assign(await openSite(serverCore), { loadCore, tokens, lifetime, name: `${tokens} tokens` });
  try {
    const fixtures = await makeFixtures(site, known);
    site.scenarios = scenariosOf(site, fixtures).filter(({ id }) => ASKED.includes(id));
    site.database = join(site.directory, "db/postern.db");
    return site;
  } catch (error) {
    await close(site);
    throw error;
  }
}

async function fill(site) {
  const before = await bytesOf(site);
  await run(join(BUILD, "bench/fill"), [
    site.database,
    "web",
    site.provider.user.sub,
    String(site.tokens),
    String(site.lifetime),
  ]);
  site.bytes = await bytesOf(site);
  site.bytesPerToken = (site.bytes - before) / site.tokens;
  say(`${site.tokens} tokens: ${(site.bytes / 1048576).toFixed(0)} MiB`);
}

/// Nothing of a file of gigabytes is looked at when its deployment goes.
async function close(site) {
  for (const server of Object.values(site.servers)) await server.stop();
  rmSync(join(site.directory, "db"), { recursive: true, force: true });
  await site.provider.stop();
}

/// What the write that has the most to do is like, so many times or until something else is over: { p99, worst (of the
/// p99), longest (of all answers), times, whole }, the last of those at whose end it was not over. If there are any,
/// others do not count.
async function writes(site, what, times, isOver = () => false) {
  const refresh = site.scenarios.find(({ id }) => id === "refresh");
  const seen = [];
  let whole = 0;
  do {
    const one = await measure(site, refresh, seconds);
    if (!isOver()) ++whole;
    if (!isOver() || seen.length === 0) seen.push(one);
    say(`${what}: p99 of refresh ${one.p99.toFixed(1)} ms`);
  } while (!isOver() && seen.length < times);
  return {
    p99: median(seen.map(({ p99 }) => p99)),
    worst: Math.max(...seen.map(({ p99 }) => p99)),
    longest: Math.max(...seen.map(({ longest }) => longest)),
    times: seen.length,
    whole,
  };
}

/// The same while the command does its work on the core of the server, until it is done or, where `enough` says so, has
/// been looked at as often; with how long it took, or how long it was let.
async function writesBeside(site, args, enough = Infinity) {
  const [program, ...words] = pinned(site.core, [join(BUILD, "bin/postern"), ...args]);
  const started = process.hrtime.bigint();
  const command = spawn(program, words, {
    env: site.provider.deployment.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let [said, time, finished] = ["", null, true];
  command.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const ended = new Promise((done, failed) =>
    command.once("error", failed).once("close", (...how) => {
      time = Number(process.hrtime.bigint() - started) / 1e9;
      done(how);
    }),
  );
  ended.catch(() => {}); // it is waited for below
  try {
    const seen = await writes(site, `beside postern ${args[0]}`, enough, () => time !== null);
    finished = time !== null;
    if (!finished) command.kill("SIGTERM");
    const [code] = await ended;
    if (finished && code !== 0) throw new Error(`postern ${args[0]} ended with ${code}: ${said}`);
    return { ...seen, seconds: time, finished };
  } finally {
    command.kill("SIGKILL");
  }
}

async function measureSizes(sites) {
  const all = await inTurn(sites, ASKED, rounds, seconds);
  const least = sites[0].name;
  return sites.map(({ name, tokens, bytes, bytesPerToken }) => ({
    tokens,
    bytes,
    bytesPerToken,
    endpoints: Object.fromEntries(
      ASKED.map((id) => [
        id,
        {
          perSecond: median(all.map((seen) => rate(seen[id][name]))),
          p99: median(all.map((seen) => seen[id][name].p99)),
          cpu: median(all.map((seen) => (seen[id][name].cpu * 1000) / seen[id][name].requests)),
          ratio: median(all.map((seen) => rate(seen[id][name]) / rate(seen[id][least]))),
        },
      ]),
    ),
  }));
}

async function measureBackup(site) {
  const alone = await writes(site, `${site.tokens} tokens`, rounds);
  const copy = join(site.directory, "copy.db");
  const beside = await writesBeside(site, ["backup", copy]);
  const bytes = statSync(copy).size;
  rmSync(copy);
  return { tokens: site.tokens, bytes, log: statSync(`${site.database}-wal`).size, alone, beside };
}

async function measureSweep(site) {
  const left = async () =>
    Number(
      (
        await sql(site.provider.deployment, "SELECT count(*) AS n FROM access_tokens WHERE expires_at <= unixepoch()")
      )[0].n,
    );
  const counts = [await left()];
  const asYouGo = await writes(site, `${site.tokens} tokens that have ended`, rounds);
  counts.push(await left());
  const beside = await writesBeside(site, ["purge"], rounds * 2);
  counts.push(await left());
  const [before, between, after] = counts;
  return {
    tokens: site.tokens,
    asYouGo: { ...asYouGo, deleted: before - between, left: between },
    purge: { ...beside, deleted: between - after, left: after },
  };
}

const LEAST_RATIO = 0.85;
const MOST_P99_MS = 7; // of whatever writes
const MIB = 1048576;

const judge = (met) => (met ? "met" : "**missed**");
const judgeWrites = ({ p99 }, isWhole) => (isWhole ? judge(p99 <= MOST_P99_MS) : "too short to be judged");

const writesRow = (what, { p99, worst, longest, times }, verdict) => [
  what,
  number(p99, 2),
  number(worst, 2),
  number(longest, 1),
  times,
  verdict,
];

/// `report` as in growth.json.
function markdown({ machine, seconds, rounds, results, backup, sweep }) {
  const ids = Object.keys(results[0].endpoints);
  const [least, last] = [results[0], results.at(-1)];
  const file = results.reduce((sum, { bytes }) => sum + bytes, 0);
  const work = ({ finished, seconds: time }) =>
    finished ? `${number(time, 1)} s` : `ended after ${number(time, 1)} s`;
  const { asYouGo, purge } = sweep;
  return [
    "# What many tokens cost",
    "",
    `${machineOf(machine)} ${rounds} rounds of ${seconds} s each; medians; a ratio is of two figures of one round.`,
    `The files have ${number(file / MIB, 0)} MiB together, the memory ` +
      `${number(machine.memory / MIB, 0)}` +
      (file > machine.memory / 2
        ? ": they do not all stay in it, and the disk is measured too."
        : ", so that they stay in it."),
    "",
    ...table(
      [
        "tokens",
        "MiB",
        "bytes each",
        ...ids.flatMap((id) => [`${id} per second`, `of ${least.tokens}`, "p99 ms", "CPU s per 1000"]),
      ],
      results.map(({ tokens, bytes, bytesPerToken, endpoints }) => [
        tokens,
        number(bytes / MIB, 0),
        number(bytesPerToken, 0),
        ...ids.flatMap((id) => [
          number(endpoints[id].perSecond, 0),
          number(endpoints[id].ratio, 3),
          number(endpoints[id].p99, 2),
          number(endpoints[id].cpu, 3),
        ]),
      ]),
    ),
    "The bytes of a token are its row, half of its grant and the indexes, " +
      "for rows written in order; in another order the pages are up to a third emptier.",
    "",
    ...ids.map(
      (id) =>
        `- ${id} with ${last.tokens} tokens: at least ${LEAST_RATIO} of ` +
        `${least.tokens} tokens: ${judge(last.endpoints[id].ratio >= LEAST_RATIO)}`,
    ),
    "",
    "## Writes during backup and purge",
    "",
    `refresh; p99 at most ${MOST_P99_MS} ms. The command shares the core of the server.`,
    "",
    ...table(
      ["", "p99 ms", "worst of them", "longest answer ms", "measurements", ""],
      [
        writesRow(`${backup.tokens} tokens`, backup.alone, judgeWrites(backup.alone, true)),
        writesRow(
          `the same, \`postern backup\` (${work(backup.beside)}, ${number(backup.bytes / MIB, 0)} MiB)`,
          backup.beside,
          judgeWrites(backup.beside, backup.beside.whole > 0),
        ),
        writesRow(
          `${sweep.tokens} expired tokens, deleted by requests`,
          asYouGo,
          judgeWrites(asYouGo, asYouGo.left > 0),
        ),
        writesRow(`the same, \`postern purge\` (${work(purge)})`, purge, judgeWrites(purge, purge.whole > 0)),
      ],
    ),
    `Of the expired access tokens the requests alone deleted ${asYouGo.deleted}, the command and ` +
      `the requests ${purge.deleted} (${number(purge.deleted / purge.seconds, 0)} ` +
      `per second); ${purge.left} were left.`,
    `After the copy the WAL had ${number(backup.log / MIB, 0)} MiB.`,
    "",
  ].join("\n");
}

async function main() {
  const cores = allowedCores();
  const places = cores.length > 1 ? cores : [];
  const sites = [];
  const report = { seconds, rounds };
  try {
    for (const tokens of sizes) sites.push(await openFor(tokens, LIFETIME_S, KNOWN_TOKENS, places));
    report.machine = describeMachine(sites[0].directory);
    const ended = await openFor(sizes[Math.min(1, sizes.length - 1)], ENDED_S, 1, places);
    sites.push(ended);
    await Promise.all(sites.map(fill));
    report.results = await measureSizes(sites.filter((site) => site !== ended));
    report.backup = await measureBackup(sites[sizes.length - 1]);
    report.sweep = await measureSweep(ended);
  } finally {
    for (const { reason } of await Promise.allSettled(sites.map(close))) if (reason) say(`${reason}`);
  }
  writeReport("growth", report, markdown(report));
}

await runBench("growth", main);
