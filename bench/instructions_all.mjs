// Counts everything: each row's requests, and each program's CGI form.
import { cpus } from "node:os";
import { ROWS } from "./instructions_rows.mjs";
import { Site } from "./instructions_site.mjs";
import { MANY, ofProcess, ofRequest } from "./instructions_tools.mjs";

const MOST_AT_ONCE = 4;

/// What is counted, by the names of the table's rows.
const TASKS = new Map([
  ...ROWS.map((row) => [row.name, (site) => ofRequest(site, row)]),
  ...ROWS.filter(({ cgi }) => cgi).map((row) => [
    `${row.program}: a whole CGI process`,
    (site) => ofProcess(site, row),
  ]),
]);

/// { row's name: { instructions, allocations, system_calls } }, of those whose names have `only` in them.
export async function countAll({ only = "", told = () => {} } = {}) {
  const names = [...TASKS.keys()].filter((name) => name.includes(only));
  const found = {};
  const site = await Site.make(MANY);
  try {
    const waiting = [...names];
    const work = async () => {
      for (let name; (name = waiting.shift()) !== undefined; ) {
        found[name] = await TASKS.get(name)(site);
        told(name);
      }
    };
    // All have ended before the directory goes, also when one has failed.
    const ends = await Promise.allSettled(Array.from({ length: Math.min(cpus().length, MOST_AT_ONCE) }, work));
    for (const { reason } of ends) if (reason) throw reason;
  } finally {
    await site.remove();
  }
  return Object.fromEntries(names.map((name) => [name, found[name]]));
}
