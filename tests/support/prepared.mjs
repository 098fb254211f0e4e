// What a suite starts before its first test ends after its last one, and so do its directories.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

/// A provider of tests/clients has neither: its deployment has.
const end = (one) => (one.stop ? one.stop() : one.close ? one.close() : one.deployment.stop());

/// Runs prepare(owned) before the first test of the suite. owned(one), there or in a test, returns
/// `one`, whose stop() or close() is called after the last test, or when `prepare` has failed: the latest first.
export function prepared(prepare) {
  const all = [];
  before(() => prepare((one) => all.push(one) && one));
  after(async () => {
    for (const one of all.reverse()) await end(one);
  });
}

/// A directory that goes when this file of tests ends.
export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "pt-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
