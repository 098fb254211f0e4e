// The programs of tests/applications/go, which are not built without a Go that is new enough.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";

const [, version] = readFileSync(join(ROOT, "tests/applications/go/go.mod"), "utf8").match(/^go (\S+)$/m);
export const goProgram = (name) => join(BUILD, "applications/go", name);

/// describe(), or without the programs a skipped test in its place, which counts as one and says why.
export const describeWithGo = (title, tests) =>
  existsSync(goProgram("login")) ? describe(title, tests) : it(title, { skip: `not built, it needs Go ${version}` });
