// Measures what many tokens cost on PostgreSQL: what `make bench-growth STORE=postgresql` runs. Two stores on one
// server are asked in turn: one with the tokens of this bench alone, and one that is filled. Then refresh tokens of the
// filled one are rotated for minutes with autovacuum; each table is written again, and what it had of what it needs
// then is its bloat; last some of what was filled ends and is purged.
// From the environment: POSTERN_BUILD, TOKENS, MINUTES of rotations, CHAINS of them, SECONDS, ROUNDS, OUT.
import { join } from "node:path";
import { run } from "../tests/support/run.mjs";
import { allowedCores, describeMachine } from "./machine.mjs";
import { inTurn, knob, measure, say, useADisk } from "./measure.mjs";

useADisk();
const { BUILD } = await import("../tests/support/deployment.mjs");
const { DatabaseServer } = await import("./database_server.mjs");
const { openSite } = await import("./site.mjs");
const { makeFixtures, scenariosOf } = await import("./scenarios.mjs");
const { machineOf, median, number, rate, runBench, table, writeReport } = await import("./report.mjs");

const tokens = Math.ceil(knob("TOKENS", 1e6));
const minutes = knob("MINUTES", 10);
const seconds = knob("SECONDS", 2);
const rounds = Math.ceil(knob("ROUNDS", 3));
const mib = (bytes) => (bytes / 1048576).toFixed(0);
const ASKED = ["introspect", "userinfo", "refresh"];
const KNOWN_TOKENS = 160; // below the 200 grants that one user and client keep
const CHAINS = Math.ceil(knob("CHAINS", 512)); // that are rotated, each under a grant of its own
const TTL_S = 600; // of access tokens, so that the first ones end and are deleted on the way
const LIFETIME_S = 43200; // of what is filled: less than that of what the bench makes
const PURGED = 100_000; // grants at most
const TABLES = ["grants", "access_tokens", "refresh_tokens"];

/// Checkpoints and autovacuum as often as a server of some size has them in an hour.
const SETTINGS = { shared_buffers: "512MB", autovacuum_naptime: "15s", max_wal_size: "2GB" };

async function openStore(name, server, [serverCore, loadCore]) {
  const database = server.create(name).socket;
  const site = Object.assign(await openSite(serverCore, { database, accessTokenTTL: TTL_S }), {
    name,
    loadCore,
    chains: CHAINS,
    databaseServer: server,
  });
  if (name !== "small") {
    const { sub } = site.provider.user;
    await run(join(BUILD, "bench/fill"), [database, "web", sub, String(tokens), String(LIFETIME_S)]);
    // Filling changes 5,000 grants in one transaction, and what that leaves is not what rotations leave.
    server.sql(name, "VACUUM FULL grants");
    server.sql(name, "ANALYZE");
    say(`${name}: ${tokens} tokens`);
  }
  site.scenarios = scenariosOf(site, await makeFixtures(site, KNOWN_TOKENS));
  return site;
}

/// Lines with a table and its figures: { table: { name: figure } }.
function byTable(text, names) {
  const lines = text.split("\n").map((line) => line.split("|"));
  return Object.fromEntries(
    lines.map(([one, ...figures]) => [one, Object.fromEntries(names.map((name, i) => [name, Number(figures[i])]))]),
  );
}

/// Bytes of each table and of its indexes, and its rows.
function sizes(server, name) {
  const columns = TABLES.map(
    (one) => `SELECT '${one}', pg_table_size('${one}'), pg_indexes_size('${one}'), (SELECT count(*) FROM ${one})`,
  );
  return byTable(server.sql(name, columns.join(" UNION ALL ")), ["bytes", "indexes", "rows"]);
}

/// How often autovacuum has been there, and how many updates wrote no index.
function activity(server, name) {
  const text = server.sql(
    name,
    "SELECT relname, autovacuum_count, n_tup_upd, n_tup_hot_upd, n_dead_tup FROM pg_stat_user_tables" +
      ` WHERE relname IN (${TABLES.map((one) => `'${one}'`).join(", ")})`,
  );
  return byTable(text, ["vacuums", "updates", "hot", "dead"]);
}

/// What each table has of what it needs: it is written again.
function bloat(server, name) {
  const before = sizes(server, name);
  for (const one of TABLES) server.sql(name, `VACUUM FULL ${one}`);
  const after = sizes(server, name);
  return Object.fromEntries(
    TABLES.map((one) => [
      one,
      { table: before[one].bytes / after[one].bytes, indexes: before[one].indexes / after[one].indexes },
    ]),
  );
}

const scenarioOf = (site, id) => site.scenarios.find((scenario) => scenario.id === id);

async function ask(sites) {
  const all = await inTurn(sites, ASKED, rounds, seconds);
  const figures = (id, name) => ({
    perSecond: median(all.map((seen) => rate(seen[id][name]))),
    ratio: median(all.map((seen) => rate(seen[id][name]) / rate(seen[id].small))),
    p99: median(all.map((seen) => seen[id][name].p99)),
  });
  return Object.fromEntries(
    ASKED.map((id) => [id, Object.fromEntries(sites.map(({ name }) => [name, figures(id, name)]))]),
  );
}

async function rotate(site, server) {
  const seen = [];
  for (let left = minutes * 60; left > 0; left -= 60) {
    const one = await measure(site, scenarioOf(site, "refresh"), Math.min(60, left));
    seen.push(one);
    const { bytes, indexes } = sizes(server, site.name).refresh_tokens;
    say(`${Math.round(rate(one))} rotations per second, refresh_tokens ${mib(bytes + indexes)} MiB`);
  }
  return {
    rotations: seen.reduce((sum, { requests }) => sum + requests, 0),
    perSecond: seen.map(rate),
    p99: median(seen.map(({ p99 }) => p99)),
    activity: activity(server, site.name),
  };
}

/// What ends at once, as with its client, is deleted; then autovacuum's work is done, and the rest of the table stays.
async function purge(site, server) {
  server.sql(
    site.name,
    "UPDATE grants SET kept_until = 1 WHERE id IN (SELECT id FROM grants" +
      ` WHERE kept_until < extract(epoch FROM now()) + ${LIFETIME_S} LIMIT ${PURGED})`,
  );
  const grants = Number(server.sql(site.name, "SELECT count(*) FROM grants WHERE kept_until = 1"));
  const started = Date.now();
  await run(join(BUILD, "bin/postern"), ["purge"], { env: site.provider.deployment.environment });
  const took = (Date.now() - started) / 1000;
  const left = Number(server.sql(site.name, "SELECT count(*) FROM grants WHERE kept_until = 1"));
  for (const one of TABLES) server.sql(site.name, `VACUUM ${one}`);
  return { grants, left, seconds: took, sizes: sizes(server, site.name) };
}

function markdown({ machine, asked, filled, rotations, grown, bloats, purged }) {
  const total = (of) => mib(TABLES.reduce((sum, one) => sum + of[one].bytes + of[one].indexes, 0));
  return [
    "# What many tokens cost on PostgreSQL",
    "",
    `${machineOf(machine)} ${tokens} tokens, ${total(filled)} MiB; ${rounds} rounds of ${seconds} s.`,
    "",
    ...table(
      ["", "store", "per second", "of small", "p99 ms"],
      ASKED.flatMap((id) =>
        Object.entries(asked[id]).map(([name, one]) => [
          id,
          name,
          number(one.perSecond, 0),
          number(one.ratio, 2),
          number(one.p99, 2),
        ]),
      ),
    ),
    "",
    `${rotations.rotations} rotations in ${minutes} minutes: ${number(rotations.perSecond[0], 0)} per second in the ` +
      `first of them, ${number(rotations.perSecond.at(-1), 0)} in the last, the median is ` +
      `${number(median(rotations.perSecond), 0)}; p99 ${number(rotations.p99, 1)} ms; ${total(grown)} MiB then.`,
    "",
    ...table(
      ["table", "MiB", "its indexes", "bloat", "of indexes", "updates", "HOT", "autovacuums", "dead rows"],
      TABLES.map((one) => [
        one,
        mib(grown[one].bytes),
        mib(grown[one].indexes),
        number(bloats[one].table, 2),
        number(bloats[one].indexes, 2),
        ...["updates", "hot", "vacuums", "dead"].map((of) => rotations.activity[one][of]),
      ]),
    ),
    "",
    `Purge: ${purged.grants} grants in ${number(purged.seconds, 0)} s, ${purged.left} left.`,
    "",
  ].join("\n");
}

async function main() {
  const cores = allowedCores();
  const pinned = cores.length > 1 ? cores : [];
  const server = await DatabaseServer.start(SETTINGS);
  const sites = [];
  const report = { date: new Date().toISOString(), tokens, minutes };
  try {
    // In this order: filling takes longer than an access token of the other store is valid.
    for (const name of ["filled", "small"]) sites.push(await openStore(name, server, pinned));
    const [filled] = sites;
    report.machine = describeMachine(filled.directory);
    report.filled = sizes(server, filled.name);
    report.asked = await ask(sites);
    report.rotations = await rotate(filled, server);
    report.grown = sizes(server, filled.name);
    report.bloats = bloat(server, filled.name);
    report.purged = await purge(filled, server);
  } finally {
    for (const site of sites) await site.provider.stop();
    await server.stop();
  }
  writeReport("growth_postgresql", report, markdown(report));
}

await runBench("growth", main);
