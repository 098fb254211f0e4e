// The report of scaling.mjs as text and as a picture.
import { chart } from "./chart.mjs";
import { machineOf, number, percent, table } from "./report.mjs";

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
export function markdown(report) {
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

export const chartOf = ({ places, pools }) =>
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
