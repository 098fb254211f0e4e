// What `postern init` makes, made once and copied: generating an RSA key takes longer than most tests need for a
// request.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "./run.mjs";

const PARTS = ["db", "keys"];
/// Members of a configuration that change what init makes, or where it says so.
const SPECIAL = ["database", "keys", "accessTokenAlgorithm", "idTokenAlgorithm", "idTokenAlgorithms", "log"];

/// scripts/run-suites names a directory for all test files; a file that runs by itself has its own.
const home = process.env.POSTERN_TEST_MODEL ?? mkdtempSync(join(tmpdir(), "pt-model-"));
if (!process.env.POSTERN_TEST_MODEL) process.once("exit", () => rmSync(home, { recursive: true, force: true }));
const model = join(home, "model");

/// With owners, modes and times.
const copy = (from, to) => run("cp", ["-a", ...PARTS.map((part) => join(from, part)), to]);

/// Makes database and keys in `directory`: a copy of the model when `config` has nothing that matters to init, else by
/// `init`. The first result of init becomes the model.
export async function initialise(directory, config, init) {
  if (process.env.POSTERN_TEST_CONFIG || SPECIAL.some((member) => member in config)) return init();
  if (existsSync(model)) return copy(model, directory);
  await init();
  const made = await mkdtemp(join(dirname(model), "new-"));
  await copy(directory, made);
  await rename(made, model).catch(() => rm(made, { recursive: true, force: true })); // another file was first
}
