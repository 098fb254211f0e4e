// What this machine has of the sandbox, as `postern doctor` says.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILD } from "../support/deployment.mjs";

/// "" when all is there, else what is missing and why: an old kernel, a container that forbids it, a build with
/// sanitizers.
export async function missingHere() {
  const directory = await mkdtemp(join(tmpdir(), "pt-"));
  try {
    const config = join(directory, "postern.json");
    // there is nothing else: doctor exits with 1
    await writeFile(config, JSON.stringify({ issuer: "http://127.0.0.1:1" }));
    const output = await new Promise((done) =>
      execFile(join(BUILD, "bin/postern"), ["doctor", "--config", config, "--json"], (_, stdout) => done(stdout)),
    );
    const { state, detail } = JSON.parse(output).find(({ check }) => check === "sandbox");
    return state === "ok" ? "" : detail;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/// The `sandbox` of an installation under test: "require", but with sanitizers, which need what a sandbox forbids.
export const sandboxHere = async () => (/sanitizers/.test(await missingHere()) ? "auto" : "require");
