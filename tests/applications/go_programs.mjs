// The programs of tests/applications/go, which are not built without a Go that is new enough.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { describeUnless } from "../support/installed.mjs";

const [, version] = readFileSync(join(ROOT, "tests/applications/go/go.mod"), "utf8").match(/^go (\S+)$/m);
export const goProgram = (name) => join(BUILD, "applications/go", name);

/// describe() where the programs are built.
export const describeWithGo = (title, tests) =>
  describeUnless(existsSync(goProgram("login")) ? "" : `not built, it needs Go ${version}`, title, tests);
