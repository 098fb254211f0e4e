// Tests of what is not on every machine: a skipped test, which says why, stands where they cannot run.
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/// Says whether PATH has the program.
export const isInstalled = (program) =>
  (process.env.PATH ?? "").split(delimiter).some((directory) => isExecutable(join(directory, program)));

/// describe(), or with a reason against it a skipped test in its place, which counts as one.
export const describeUnless = (reason, title, tests) => (reason ? it(title, { skip: reason }) : describe(title, tests));

/// describe() where the program is installed.
export const describeWith = (program, title, tests) =>
  describeUnless(isInstalled(program) ? "" : `there is no program ${program}`, title, tests);

/// describe() where what Debian's `packages` install at `path` is there.
export const describeWithPackage = (packages, path, title, tests) =>
  describeUnless(existsSync(path) ? "" : `not installed: ${packages}`, title, tests);
