// Measures what more processes and a second core bring: what `make bench-scaling` runs.
// From the environment: POSTERN_BUILD, PROCESSES (of each program, the numbers that are compared), SECONDS, ROUNDS,
// OUT.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { allowedCores, childrenOf, describeMachine, pssOf, untilTheyRun } from "./machine.mjs";
import { knob, measure, say, useADisk } from "./measure.mjs";

useADisk();
const { freePort, privateDirectory } = await import("../tests/support/web_server.mjs");
const { commitRate, fastcgi, openSite } = await import("./site.mjs");
const { makeFixtures, scenariosAt } = await import("./scenarios.mjs");
const { machineOf, median, number, percent, rate, runBench, table, writeReport } = await import("./report.mjs");
const { chart } = await import("./chart.mjs");

const seconds = knob("SECONDS", 1);
const rounds = Math.ceil(knob("ROUNDS", 5));
const numbers = (process.env.PROCESSES || "1,2,4,8").split(",").map(Number);
if (!numbers.every((number, i) => Number.isInteger(number) && number > (numbers[i - 1] ?? 0)))
  throw new Error("PROCESSES must be whole numbers above 0, the smallest first");
const ASKED = ["hello", "introspect", "userinfo", "client_credentials", "refresh"];
const nameOf = (number) => `p${number}`;

/// Where web server and programs run, and where the load: { name, server, load } with lists of cores.
function placements() {
  const cores = allowedCores();
  if (cores.length === 1) return [{ name: "one core", server: undefined, load: undefined }];
  const [first, second, third] = cores;
  return [
    { name: "one core", server: `${first}`, load: `${second}` },
    { name: "two cores", server: `${first},${second}`, load: third === undefined ? `${first},${second}` : `${third}` },
  ];
}

/// Every thread of the web server and of its programs.
function place({ pid }, cores) {
  for (const one of [pid, ...childrenOf(pid)])
    execFileSync("taskset", ["-a", "-c", "-p", cores, String(one)], { stdio: "ignore" });
}

/// A web server for each number of processes; all use one database.
async function startAll(site, started) {
  for (const number of numbers) {
    const [name, port] = [nameOf(number), await freePort()];
    const server = await fastcgi(site.site, site.anchors, site.core, {
      name,
      port,
      processes: number,
      sockets: await privateDirectory(join(site.site.sockets, name)),
    });
    started.push(server);
    site.servers[name] = server;
    site.origins[name] = `http://127.0.0.1:${port}`;
    await server.untilItAnswers(`${site.origins[name]}/jwks`, { status: 200 });
    await untilTheyRun(childrenOf(server.pid), "lighttpd");
    const there = childrenOf(server.pid, "introspect").length;
    if (there !== number) throw new Error(`there are ${there} processes of introspect and not ${number}`);
  }
}

async function measureOne(site, scenarios, id, what, time) {
  const seen = await measure(
    site,
    scenarios.find((scenario) => scenario.id === id),
    time,
  );
  say(`${what}: ${id}: ${Math.round(rate(seen))} requests per second`);
  return seen;
}

/// Of each placement: by endpoint and number of processes what was seen.
async function measureRound(site, places, scenarios, round, time = seconds) {
  const seen = { commits: await commitRate({ ...site, core: places[0].server }, time), pools: {} };
  for (const { name, server, load } of places) {
    if (server !== undefined) for (const one of Object.values(site.servers)) place(one, server);
    const placed = { ...site, loadCore: load };
    seen.pools[name] = {};
    for (const id of ASKED)
      for (const number of numbers)
        seen.pools[name][`${id} ${number}`] = await measureOne(
          placed,
          scenarios[nameOf(number)],
          id,
          `round ${round} of ${rounds}, ${name}, processes ${number}`,
          time,
        );
  }
  return seen;
}

/// The medians of what each round says of one measurement; `compared` are other figures, of the round and the
/// measurement.
function summarize(all, pick, compared) {
  const over = (figure) => median(all.map((round) => figure(pick(round), round)));
  return {
    perSecond: over(rate),
    p50: over(({ p50 }) => p50),
    p99: over(({ p99 }) => p99),
    cpu: over(({ cpu, requests }) => (cpu * 1000) / requests),
    serverCpu: over(({ serverCpu, requests }) => (serverCpu * 1000) / requests),
    serverShare: over(({ cpu, serverCpu }) => (cpu > 0 ? serverCpu / cpu : null)),
    busy: over(({ cpu, seconds: time }) => cpu / time),
    ...Object.fromEntries(Object.entries(compared).map(([name, figure]) => [name, over(figure)])),
    rounds: all.map((round) => Math.round(rate(pick(round)))),
  };
}

function report(all, places) {
  const pools = places.flatMap(({ name }) =>
    ASKED.flatMap((id) =>
      numbers.map((number) => {
        const of = (round, other, count) => round.pools[name][`${other} ${count}`];
        return {
          placement: name,
          id,
          processes: number,
          ...summarize(all, (round) => of(round, id, number), {
            ratio: (seen, round) => rate(seen) / rate(of(round, "hello", number)),
            ofFewest: (seen, round) => rate(seen) / rate(of(round, id, numbers[0])),
            ofCommits: (seen, round) => rate(seen) / round.commits,
          }),
        };
      }),
    ),
  );
  return { commitsPerSecond: median(all.map(({ commits }) => commits)), pools };
}

/// Bytes that one more process of introspect takes, having worked, beside all these others; null where we may not look.
function memoryOf(site) {
  const processes = childrenOf(site.servers[nameOf(numbers.at(-1))].pid, "introspect");
  const pss = pssOf(processes);
  return pss === null ? null : pss / processes.length;
}

const placesOf = ({ places }) =>
  places.map(({ name, server, load }) => {
    if (server === undefined) return "There is one core: server and load share it, and the figures say little.";
    const shared = server === load ? "; the load shares them, so that what it takes is missing" : "";
    return `${name}: web server and programs on ${server}, load on ${load}${shared}.`;
  });

const processesTable = (pools) =>
  table(
    (
      ", processes, per second, of the fewest, of hello, p50 ms, p99 ms, CPU s per 1000, of it lighttpd, " +
      "cores busy, of durable commits"
    ).split(", "),
    pools.map((one) => [
      one.id,
      one.processes,
      number(one.perSecond, 0),
      number(one.ofFewest, 2),
      number(one.ratio, 3),
      number(one.p50, 2),
      number(one.p99, 2),
      number(one.cpu, 3),
      percent(one.serverShare),
      number(one.busy, 2),
      one.id === "refresh" ? number(one.ofCommits, 2) : "–",
    ]),
  );

const memoryLine = (memory) =>
  memory === null
    ? "What a process takes of the memory is shown to root alone."
    : `A process of introspect that has worked takes ${number(memory / 1048576, 2)} ` +
      "MiB of the memory (PSS) beside many others, which have the libraries in common.";

/// `report` as in scaling.json.
function markdown(report) {
  const { date, seconds, rounds, machine, places, pools, memory, commitsPerSecond } = report;
  return [
    "# Processes and cores",
    "",
    `${date}: ${machineOf(machine)}`,
    `${rounds} rounds of ${seconds} s each, 16 kept connections, lighttpd with one thread; the ` +
      "number of processes is for each program. Medians; a ratio is " +
      `of two figures of one round, "of hello" with the same number of processes.`,
    ...placesOf(report),
    "",
    "![Requests per second](scaling.svg)",
    "",
    ...places.flatMap(({ name }) => [
      `## Web server and programs: ${name}`,
      "",
      ...processesTable(pools.filter(({ placement }) => placement === name)),
    ]),
    memoryLine(memory),
    "",
    `One process that only commits durably, on one core: ${number(commitsPerSecond, 0)} commits per second.`,
    "",
  ].join("\n");
}

const chartOf = ({ places, pools }) =>
  chart(
    "Requests per second by number of processes",
    pools
      .filter(({ placement }) => placement === places[0].name)
      .flatMap(({ id, processes }) =>
        pools
          .filter((one) => one.id === id && one.processes === processes)
          .map((one) => ({ name: `${id}, ${processes}`, value: one.perSecond, group: one.placement })),
      ),
  );

async function main() {
  const places = placements();
  const site = await openSite(places[0].server);
  const started = [];
  let found;
  try {
    const machine = describeMachine(site.directory);
    const fixtures = await makeFixtures(site);
    await startAll(site, started);
    const scenarios = Object.fromEntries(numbers.map(nameOf).map((mode) => [mode, scenariosAt(site, fixtures, mode)]));
    // Before the first of them everything has been in use: a process that has just begun has more to do.
    await measureRound(site, places, scenarios, 0, seconds / 5);
    const all = [];
    for (let round = 1; round <= rounds; ++round) all.push(await measureRound(site, places, scenarios, round));
    found = {
      date: new Date().toISOString(),
      seconds,
      rounds,
      machine,
      places,
      memory: memoryOf(site),
      ...report(all, places),
    };
  } finally {
    for (const one of started) await one.stop();
    await site.provider.stop();
  }
  writeReport("scaling", found, markdown(found), chartOf(found));
}

await runBench("scaling", main);
