// Makes one report of what was measured in all rounds: medians, and ratios of figures that were taken in the same
// round.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD } from "../tests/support/deployment.mjs";
import { say } from "./measure.mjs";
import { evaluate } from "./targets.mjs";

export function median(values) {
  const known = values.filter((value) => typeof value === "number" && Number.isFinite(value)).sort((a, b) => a - b);
  if (known.length === 0) return null;
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

export const rate = ({ requests, seconds }) => requests / seconds;

/// What an endpoint does cannot be done with less than its anchor does.
const LEAST = {
  introspect: "lookup",
  userinfo: "lookup",
  client_credentials: "token_lazy",
  code: "token_durable",
  refresh: "token_durable",
  cgi_introspect: "cgi_lookup",
  cgi_introspect_static: "cgi_lookup",
  cgi_userinfo: "cgi_lookup",
};

/// `profiles` by id, of profile(); `alone` by program.
/// `rounds`: of each, `commits` per second and what drive() answered by the scenario's id, with `cpu` where it is
/// known.
export function summarize(scenarios, rounds, { alone, profiles }, about) {
  const results = {};
  for (const { id, title, kind, mode } of scenarios) {
    const over = (pick) => median(rounds.map((round) => pick(round.seen[id], round)));
    const isJourney = kind === "journey";
    results[id] = {
      title,
      kind,
      mode,
      perSecond: over((seen) => (isJourney ? seen.journeys / seen.seconds : rate(seen))),
      requestsPerSecond: over(rate),
      ratio: over((seen, round) => rate(seen) / rate(round.seen.hello)),
      ofCommits: over((seen, { commits }) => rate(seen) / commits),
      // On a machine that does other things too this says more than the rate: what the requests cost, not how long they
      // waited.
      ratioByCpu: over((seen, round) =>
        seen.cpu > 0 && round.seen.hello.cpu > 0
          ? round.seen.hello.cpu / round.seen.hello.requests / (seen.cpu / seen.requests)
          : null,
      ),
      ofCgiAnchor:
        mode === "cgi"
          ? over((seen, round) => (round.seen.cgi_lookup ? rate(seen) / rate(round.seen.cgi_lookup) : null))
          : null,
      ofLeast: over((seen, round) => (round.seen[LEAST[id]] ? rate(seen) / rate(round.seen[LEAST[id]]) : null)),
      p50: over((seen) => (isJourney ? seen.journeyP50 : seen.p50)),
      p99: over((seen) => (isJourney ? seen.journeyP99 : seen.p99)),
      cpu: over((seen) => (seen.cpu === null ? null : (seen.cpu * 1000) / (isJourney ? seen.journeys : seen.requests))),
      serverShare: over((seen) => (seen.cpu > 0 ? seen.serverCpu / seen.cpu : null)),
      bytes: over((seen) => seen.bytes / seen.requests),
      rounds: rounds.map((round) => Math.round(rate(round.seen[id]))),
    };
  }
  return {
    about,
    commitsPerSecond: median(rounds.map(({ commits }) => commits)),
    alone,
    results,
    targets: evaluate(results, alone),
    profiles,
  };
}

export const number = (value, digits) => (value === null ? "–" : value.toFixed(digits));
export const percent = (value) => (value === null ? "–" : `${(value * 100).toFixed(0)} %`);
export const table = (heads, rows) => [
  `| ${heads.join(" | ")} |`,
  `|${heads.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`,
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
];

/// The first sentence of a report.
export const machineOf = ({ processor, cores, kernel, fileSystem, lighttpd, load }) =>
  `${processor}, ${cores} cores, ${kernel}, ${fileSystem}, ${lighttpd}; load at the beginning ${load.join(" ")}.`;

/// Writes `name`.json, `name`.md and, with a `chart`, `name`.svg to OUT, and prints the text.
export function writeReport(name, report, text, chart) {
  const out = process.env.OUT || join(BUILD, "bench");
  const files = [["md", text], ["json", `${JSON.stringify(report, null, 2)}\n`], ...(chart ? [["svg", chart]] : [])];
  mkdirSync(out, { recursive: true });
  for (const [ending, content] of files) writeFileSync(join(out, `${name}.${ending}`), content);
  process.stdout.write(`${text}\nAlso in ${files.map(([ending]) => join(out, `${name}.${ending}`)).join(", ")}.\n`);
}

/// Runs `main`; what it throws is a line and an exit status.
export async function runBench(name, main) {
  try {
    await main();
  } catch (error) {
    say(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}

/// Programs and libraries in one line, functions in another.
function explain(results, id, profile) {
  if (profile === null)
    return [
      `**${results[id].title}**: perf is not installed or not permitted ` +
        "(root may use it, unless kernel.perf_event_paranoid forbids it).",
      "",
    ];
  const line = (rows) => rows.map(({ percent, what }) => `${what} ${percent.toFixed(0)} %`).join(", ");
  return [`**${results[id].title}**: ${line(profile.places)}.`, "", `By function: ${line(profile.functions)}.`, ""];
}

export function markdown({ about, commitsPerSecond, alone, results, targets, profiles }) {
  const all = Object.values(results);
  const plain = all.filter(({ kind }) => kind !== "journey");
  const journeys = all.filter(({ kind }) => kind === "journey");
  const { machine } = about;
  return [
    "# Results of this machine",
    "",
    `${about.date}: ${machineOf(machine)}`,
    `${about.rounds} rounds of ${about.seconds} s each, 16 kept connections; ` +
      `${about.pinned}. Medians; a ratio is of two figures of one round.`,
    ...about.remarks,
    "",
    "![Requests per second](report.svg)",
    "",
    "## Requests",
    "",
    ...table(
      (
        ", per second, of hello, by CPU time, p50 ms, p99 ms, CPU s per 1000, of it the web server, of " +
        "durable commits, of the least work"
      ).split(", "),
      plain.map((one) => [
        one.title,
        number(one.perSecond, 0),
        number(one.ratio, 3),
        number(one.ratioByCpu, 3),
        number(one.p50, 2),
        number(one.p99, 2),
        number(one.cpu, 3),
        percent(one.serverShare),
        one.kind === "write" ? number(one.ofCommits, 2) : "–",
        number(one.ofLeast, 2),
      ]),
    ),
    `One process that only commits durably: ${number(commitsPerSecond, 0)} commits per second.`,
    "",
    ...(journeys.length === 0
      ? []
      : [
          "## Whole sign-ins",
          "",
          ...table(
            ["", "sign-ins per second", "requests per second", "p50 ms", "p99 ms", "CPU s per 1000 sign-ins"],
            journeys.map((one) => [
              one.title,
              number(one.perSecond, 1),
              number(one.requestsPerSecond, 0),
              number(one.p50, 1),
              number(one.p99, 1),
              number(one.cpu, 2),
            ]),
          ),
        ]),
    "## Idle and start",
    "",
    "Memory of the web server and two processes of one program. " +
      "Only root can see the size of programs that protect their memory.",
    "",
    ...table(
      ["", "PSS MiB", "first answer after ms"],
      Object.entries(alone).map(([name, { pss, milliseconds }]) => [
        name,
        number(pss === null ? null : pss / 1048576, 2),
        number(milliseconds, 1),
      ]),
    ),
    "## Targets",
    "",
    ...table(
      ["", "target", "measured", ""],
      targets.map(({ title, least, limit, measured, met }) => [
        title,
        `${least ? "≥" : "≤"} ${limit}`,
        number(measured, 3),
        met === null ? "not measured" : met ? "met" : "**missed**",
      ]),
    ),
    "## Where the time goes",
    "",
    "Of the processor time of the web server and its programs, kernel included, above one percent.",
    "",
    ...Object.entries(profiles).flatMap(([id, profile]) => explain(results, id, profile)),
  ].join("\n");
}
