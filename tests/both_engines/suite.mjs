// Suites of SQLite once more, on PostgreSQL: the same tests, with a schema or a database for each case.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { Pooler } from "../postgresql/pooler.mjs";
import { PostgreSQL } from "../postgresql/server.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";

/// A database with roles of which others are copies.
const ROLES = "postern_roles";
const OF_EACH_ROLE = 4; // connections of a pooler
/// What `doctor` finds nothing to say of.
const DURABLE = { fsync: "on", full_page_writes: "on" };

/// Of one test file. `pooled`: by way of a pooler. `roles`: of whose databases ROLES is the model. `durable`: for a
/// suite that asks `doctor`.
function server({ pooled, roles = false, durable = false }) {
  let started;
  let pooler;
  prepared(async (owned) => {
    // Autovacuum would start a process for each database.
    const connections = roles ? { max_connections: "300" } : {};
    started = owned(await PostgreSQL.start({ autovacuum: "off", ...connections, ...(durable ? DURABLE : {}) }));
    if (roles) started.addDatabase(ROLES);
    const users = roles ? started.sql("SELECT rolname FROM pg_roles WHERE rolcanlogin").split("\n") : undefined;
    if (pooled) pooler = owned(await Pooler.start(started, roles ? { users, size: OF_EACH_ROLE } : {}));
  });
  return () => (pooler ?? started).uri;
}

/// What a program of tests writes. It must succeed.
async function outputOf(program, args, uri, env = {}) {
  const { stdout } = await run(program, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, POSTERN_BUILD: BUILD, POSTERN_TEST_DATABASE: uri, ...env },
    maxBuffer: 1 << 26,
  }).catch((failure) => assert.fail(failure.stdout + failure.stderr));
  return stdout;
}

/// A suite of doctest. `parts`: [what holds, options that select the part]. `leftOut`: cases that are about a database
/// file, [the beginning of their names, the reason]. `pooled`: for a suite that starts many programs. `roles`: each
/// program has the role and the rights of its own. `durable`: it asks `doctor`.
export function onPostgreSQL(suite, parts, { leftOut = [], pooled = true, roles = false, durable = false } = {}) {
  describe("on PostgreSQL", () => {
    const uri = server({ pooled, roles, durable });
    const env = roles ? { POSTERN_TEST_ROLES: ROLES } : {};
    const program = join(BUILD, `tests/${suite}_tests`);
    // A comma would end the pattern.
    const pattern = ([begin]) => `${begin.replaceAll(",", "?")}*`;
    const left = leftOut.length > 0 ? [`--test-case-exclude=${leftOut.map(pattern)}`] : [];

    for (const [title, ...options] of parts) {
      it(title, async () => {
        const output = await outputOf(program, [...options, ...left], uri(), env);
        assert.match(output, /test cases: +[1-9]\d* +\| +[1-9]\d* passed \| 0 failed/);
      });
    }
    for (const each of leftOut) {
      it(`${each[0]}: is left out, because ${each[1]}`, async () => {
        const listed = await outputOf(program, ["--list-test-cases", `--test-case=${pattern(each)}`], uri());
        assert.match(listed, /unskipped test cases passing the current filters: [1-9]/);
      });
    }
  });
}

/// The files of a suite of Node. `leftOut`: {file: the reason}.
export function filesOnPostgreSQL(suite, { files, leftOut }) {
  describe("on PostgreSQL", () => {
    const uri = server({ pooled: false });

    it("no file is forgotten", () => {
      const found = readdirSync(join(ROOT, "tests", suite)).filter((name) => name.endsWith(".test.mjs"));
      const named = [...files, ...Object.keys(leftOut)].map((name) => `${name}.test.mjs`);
      assert.deepEqual(named.sort(), found.sort());
    });
    for (const name of files) {
      it(name, async () => {
        const output = await outputOf("node", [`tests/${suite}/${name}.test.mjs`], uri());
        assert.match(output, /^[#ℹ] pass [1-9]/m);
      });
    }
  });
}
