// Parts of a suite of SQLite once more, on PostgreSQL: the same test program, with a schema or a database for each
// case.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { BUILD } from "../support/deployment.mjs";
import { PostgreSQL } from "./server.mjs";

const run = promisify(execFile);

/// `parts`: [what holds, an option of doctest that selects the part].
export function onPostgreSQL(suite, parts) {
  describe("on PostgreSQL", () => {
    let server;
    before(async () => (server = await PostgreSQL.start()));
    after(() => server.stop());

    for (const [title, option] of parts) {
      it(title, async () => {
        const { stdout } = await run(join(BUILD, `tests/${suite}_tests`), [option], {
          env: { ...process.env, POSTERN_BUILD: BUILD, POSTERN_TEST_DATABASE: server.uri },
          maxBuffer: 1 << 26,
        }).catch((failure) => assert.fail(failure.stdout + failure.stderr));
        assert.match(stdout, /test cases: +[1-9]\d* +\| +[1-9]\d* passed \| 0 failed/);
      });
    }
  });
}
