// Measures the endpoints on PostgreSQL beside the same on SQLite: what `make bench STORE=postgresql` runs. Each
// scenario is asked of all stores in turn, round for round; a ratio is of two figures of one round.
// From the environment: POSTERN_BUILD, SECONDS, ROUNDS, OTHER (see other.mjs), OUT.
import { allowedCores, describeMachine } from "./machine.mjs";
import { inTurn, knob, useADisk } from "./measure.mjs";

useADisk();
const { DatabaseServer } = await import("./database_server.mjs");
const { openSite } = await import("./site.mjs");
const { makeFixtures, scenariosOf } = await import("./scenarios.mjs");
const { readOther, scenariosOfOther } = await import("./other.mjs");
const { machineOf, median, number, rate, runBench, table, writeReport } = await import("./report.mjs");

const seconds = knob("SECONDS", 1.5);
const rounds = Math.ceil(knob("ROUNDS", 5));
const ASKED = ["introspect", "userinfo", "client_credentials", "code", "refresh"];
const OF_OTHER = { other_introspect: "introspect", other_userinfo: "userinfo", other_token: "client_credentials" };

async function openStore(name, config, server, [serverCore, loadCore]) {
  const site = Object.assign(await openSite(serverCore, config), { name, loadCore, databaseServer: server });
  site.scenarios = scenariosOf(site, await makeFixtures(site));
  return site;
}

const asOurs = (scenarios) => scenarios.map((scenario) => ({ ...scenario, id: OF_OTHER[scenario.id] }));

const perThousand = (seconds, { requests }) => (typeof seconds === "number" ? (seconds * 1000) / requests : NaN);

function summarize(sites, all) {
  const results = {};
  for (const id of ASKED) {
    for (const { name } of sites) {
      if (!all[0][id][name]) continue;
      const over = (pick) => median(all.map((seen) => pick(seen[id][name], seen[id].SQLite)));
      (results[id] ??= {})[name] = {
        perSecond: over(rate),
        ratio: over((seen, sqlite) => rate(seen) / rate(sqlite)),
        p50: over(({ p50 }) => p50),
        p50More: over((seen, sqlite) => seen.p50 - sqlite.p50),
        p99: over(({ p99 }) => p99),
        cpu: over((seen) => perThousand(seen.cpu, seen)),
        cpuRatio: over((seen, sqlite) => perThousand(seen.cpu, seen) / perThousand(sqlite.cpu, sqlite)),
        serverCpu: over((seen) => perThousand(seen.databaseCpu, seen)),
      };
    }
  }
  return results;
}

function markdown({ machine, about, results }) {
  const heads = ["", "store", "per second", "of SQLite", "p50 ms", "more than SQLite", "p99 ms"];
  heads.push("CPU s per 1000, node", "of SQLite", "CPU s per 1000, server");
  const rows = Object.entries(results).flatMap(([id, stores]) =>
    Object.entries(stores).map(([store, one]) => [
      id,
      store,
      number(one.perSecond, 0),
      number(one.ratio, 2),
      number(one.p50, 2),
      number(one.p50More, 2),
      number(one.p99, 2),
      number(one.cpu, 3),
      number(one.cpuRatio, 2),
      number(one.serverCpu, 3),
    ]),
  );
  return [
    "# PostgreSQL beside SQLite",
    "",
    `${machineOf(machine)} ${about.rounds} rounds of ${about.seconds} s each; medians; a ratio is of two ` +
      "figures of one round. The database server is on the same machine and runs on whichever core is free.",
    "",
    ...table(heads, rows),
    "",
  ].join("\n");
}

async function main() {
  const other = process.env.OTHER ? readOther(process.env.OTHER) : null;
  const cores = allowedCores();
  const pinned = cores.length > 1 ? cores : [];
  const server = await DatabaseServer.start();
  const sites = [];
  const report = { date: new Date().toISOString(), about: { seconds, rounds } };
  try {
    sites.push(await openStore("SQLite", {}, undefined, pinned));
    sites.push(await openStore("PostgreSQL, socket", { database: server.create("socket").socket }, server, pinned));
    sites.push(await openStore("PostgreSQL, TCP and TLS", { database: server.create("tls").tls }, server, pinned));
    if (other) sites.push({ ...sites[0], name: other.name, servers: {}, scenarios: asOurs(scenariosOfOther(other)) });
    report.machine = describeMachine(sites[0].directory);
    report.results = summarize(sites, await inTurn(sites, ASKED, rounds, seconds));
  } finally {
    for (const site of sites) if (site.name !== other?.name) await site.provider.stop();
    await server.stop();
  }
  writeReport("stores", report, markdown(report));
}

await runBench("bench", main);
