// Rules that several processes must keep together, each as a test of its own: tests/postgresql/*_test.cpp.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BUILD } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { PostgreSQL } from "./server.mjs";

const PROGRAM = join(BUILD, "tests/postgresql_tests");
const CLOCK = join(BUILD, "tests/fake_clock_preload.so"); // the machine's, until a test sets it

/// A comma separates names; "?" stands for any character.
const asFilter = (title) => title.replaceAll(",", "?");

const titles = execFileSync(PROGRAM, ["--list-test-cases", "--no-skipped-summary"], { encoding: "utf8" })
  .split("\n")
  .filter((line) => line && !/^(\[doctest\]|=+$)/.test(line));

// Most of a race is waiting.
describe("processes beside each other on PostgreSQL", { concurrency: 3 }, () => {
  let server;
  before(async () => (server = await PostgreSQL.start()));
  after(() => server.stop());

  for (const title of titles) {
    it(title, async (test) => {
      const { stdout } = await run(PROGRAM, [`--test-case=${asFilter(title)}`], {
        env: { ...process.env, POSTERN_TEST_DATABASE: server.uri, LD_PRELOAD: CLOCK },
        maxBuffer: 1 << 26,
      }).catch((failure) => assert.fail(failure.stdout + failure.stderr));
      assert.match(stdout, /test cases: +1 +\| +1 passed \| 0 failed/);
      for (const figures of stdout.match(/^.*rounds, .*$/gm) ?? []) test.diagnostic(figures);
    });
  }
});
