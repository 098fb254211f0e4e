// Measures the endpoints against the anchors and writes report.json, report.md and report.svg: what `make bench` runs.
// From the environment: POSTERN_BUILD (the build), SECONDS for each measurement, ROUNDS, OTHER (see other.mjs), ONLY
// (the scenarios whose ids begin with one of these words), OUT (where to).
import { join } from "node:path";
import { allowedCores, childrenOf, describeMachine } from "./machine.mjs";
import { knob, measure, say, useADisk } from "./measure.mjs";

useADisk();
const { drive } = await import("./load.mjs");
const { aloneWith, commitRate, openSite } = await import("./site.mjs");
const { basicOf } = await import("../tests/security/provider.mjs");
const { makeFixtures, scenariosOf } = await import("./scenarios.mjs");
const { readOther, scenariosOfOther } = await import("./other.mjs");
const { markdown, median, rate, runBench, summarize, writeReport } = await import("./report.mjs");
const { profile } = await import("./profile.mjs");
const { chart } = await import("./chart.mjs");

const seconds = knob("SECONDS", 1.5);
const rounds = Math.ceil(knob("ROUNDS", 5));

const PROFILED = (
  "client_credentials code refresh introspect userinfo discovery jwks cgi_introspect " + "cgi_introspect_static"
).split(" ");

/// Idle and just started, by themselves.
async function measureAlone(site, times) {
  const { machine } = site.provider.clients;
  const postern = { POSTERN_CONFIG: site.site.configFile };
  const program = (name, path, headers, expected) => ({
    name,
    program: join(site.site.cgiBin, name),
    path,
    environment: postern,
    headers,
    expected,
  });
  // A refusal of a GET comes from a program that has started as far as any answer needs.
  const wanted = [
    {
      name: "hello",
      program: join(site.anchors.programs, "hello"),
      path: "/",
      environment: { A: "b" },
      headers: {},
      expected: 200,
    },
    program("introspect", "/token/introspect", { authorization: basicOf(machine.id, machine.secret) }, 405),
    program("token", "/token", {}, 405),
    program("userinfo", "/userinfo", {}, 401),
  ];
  const alone = {};
  for (const one of wanted) {
    const found = await aloneWith(site, one, times);
    alone[one.name] = {
      milliseconds: median(found.map(({ milliseconds }) => milliseconds)),
      pss: median(found.map(({ pss }) => pss)),
    };
  }
  return alone;
}

/// All that there are, or hello and those whose ids begin with a word of ONLY.
function chosen(scenarios) {
  const words = (process.env.ONLY ?? "").split(/[ ,]+/).filter((word) => word !== "");
  const some = scenarios.filter(
    ({ id }) => id === "hello" || words.length === 0 || words.some((word) => id.startsWith(word)),
  );
  if (words.length > 0 && some.length < 2)
    throw new Error(`ONLY names nothing; there are ${scenarios.map(({ id }) => id).join(" ")}`);
  return some;
}

async function measureRound(site, scenarios, name) {
  const seen = {};
  const commits = await commitRate(site, seconds);
  for (const scenario of scenarios) {
    try {
      seen[scenario.id] = await measure(site, scenario, seconds);
    } catch (error) {
      throw new Error(`${scenario.title}: ${error.message}`, { cause: error });
    }
    say(`${name}: ${scenario.title}: ${Math.round(rate(seen[scenario.id]))} requests per second`);
  }
  return { commits, seen };
}

/// Of each endpoint that a target is set for, measured once more: the figures above are not disturbed by it.
async function profileAll(site, scenarios) {
  const profiles = {};
  for (const scenario of scenarios.filter(({ id }) => PROFILED.includes(id))) {
    const data = await scenario.prepare(seconds);
    const load = () => drive({ ...scenario, data, directory: site.directory, seconds, core: site.loadCore });
    const { pid } = site.servers[scenario.mode];
    // A plain CGI program lives too short for a name, and those that run now are leftovers.
    profiles[scenario.id] = await (scenario.mode === "cgi"
      ? profile([pid], site.directory, load, "dso")
      : profile([pid, ...childrenOf(pid)], site.directory, load));
  }
  return profiles;
}

async function measureAll(site, other, about) {
  const machine = describeMachine(site.directory);
  const scenarios = chosen([...scenariosOf(site, await makeFixtures(site)), ...(other ? scenariosOfOther(other) : [])]);
  const all = [];
  for (let round = 1; round <= rounds; ++round)
    all.push(await measureRound(site, scenarios, `round ${round} of ${rounds}`));
  const profiles = await profileAll(site, scenarios);
  // By themselves: neighbours would take over a part of the memory that they have in common.
  for (const server of Object.values(site.servers)) await server.stop();
  const alone = await measureAlone(site, Math.min(5, rounds));
  return summarize(
    scenarios,
    all,
    { alone, profiles },
    { date: new Date().toISOString(), seconds, rounds, machine, ...about },
  );
}

function barsOf({ results }) {
  const groups = { anchor: "anchors", fastcgi: "FastCGI", cgi: "plain CGI", other: "other" };
  return Object.values(results).map(({ title, kind, mode, requestsPerSecond }) => ({
    name: title,
    value: requestsPerSecond,
    group: groups[kind === "anchor" ? kind : mode],
  }));
}

async function main() {
  const other = process.env.OTHER ? readOther(process.env.OTHER) : null;
  const cores = allowedCores();
  const [serverCore, loadCore] = cores.length > 1 ? cores : [];
  const remarks = [
    ...(cores.length > 1 ? [] : ["Only one core: server and load share it, and the figures say little."]),
    ...(other
      ? [
          `${other.name} runs where it runs, on cores of its own choice; ` +
            "its certificate is not verified under load. Compare with care.",
        ]
      : []),
  ];
  const pinned =
    cores.length > 1 ? `web server and programs on core ${serverCore}, load on core ${loadCore}` : "nothing pinned";
  const site = await openSite(serverCore);
  let report;
  try {
    report = await measureAll(Object.assign(site, { loadCore }), other, { remarks, pinned });
  } finally {
    await site.provider.stop();
  }
  writeReport("report", report, markdown(report), chart("Requests per second on one core", barsOf(report)));
}

await runBench("bench", main);
