// What is aimed at, as docs/decisions/0035 explains, and whether it was reached.

const MIB = 1024 * 1024;
const READS = ["introspect", "userinfo", "discovery", "jwks"];
const WRITES = ["client_credentials", "code", "refresh"];
const TITLES = {
  ratio: "of hello",
  commits: "of the durable commits of one process",
  p99: "p99, ms",
  cpu: "CPU seconds for 1000 requests",
  pss: "web server and two processes idle, MiB",
  first: "first answer after the start, ms",
  cgi: "of the static CGI anchor",
};

const target = (id, what, measured, limit, least) => ({
  id,
  title: `${id}: ${TITLES[what]}`,
  least,
  limit,
  measured: measured ?? null,
  met: measured === undefined || measured === null ? null : least ? measured >= limit : measured <= limit,
});

/// `results` by id as in report.json; `alone` by program. A row whose scenario was not measured is left out.
export function evaluate(results, alone) {
  const rows = [];
  const least = (id, what, pick, limit) => {
    if (results[id]) rows.push(target(id, what, pick(results[id]), limit, true));
  };
  const most = (id, what, pick, limit) => {
    if (results[id]) rows.push(target(id, what, pick(results[id]), limit, false));
  };
  for (const id of ["introspect", "userinfo"]) least(id, "ratio", ({ ratio }) => ratio, 0.58);
  least("client_credentials", "ratio", ({ ratio }) => ratio, 0.24);
  least("refresh", "commits", ({ ofCommits }) => ofCommits, 0.6);
  least("code", "commits", ({ ofCommits }) => ofCommits, 0.5);
  for (const id of READS) most(id, "p99", ({ p99 }) => p99, 3);
  for (const id of WRITES) most(id, "p99", ({ p99 }) => p99, 7);
  for (const id of ["introspect", "userinfo"]) most(id, "cpu", ({ cpu }) => cpu, 0.09);
  for (const id of WRITES) most(id, "cpu", ({ cpu }) => cpu, 0.2);
  for (const [name, { pss, milliseconds }] of Object.entries(alone).filter(([name]) => name !== "hello")) {
    rows.push(
      target(name, "pss", pss === null ? null : pss / MIB, 8, false),
      target(name, "first", milliseconds, 20, false),
    );
  }
  for (const id of ["cgi_introspect", "cgi_introspect_static"]) least(id, "cgi", ({ ofCgiAnchor }) => ofCgiAnchor, 0.8);
  return rows;
}
