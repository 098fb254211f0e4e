// What `make run` starts once everything is built, on a port of the test's own.
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { freePort } from "../support/web_server.mjs";

const START_TIMEOUT_MS = 60_000;

export class Demo {
  #child;
  #ended;
  said = ""; ///< everything that it printed

  /// End it with stop(). Somebody else may take the port first, so there are three attempts.
  static async start() {
    for (let attempt = 1; ; ++attempt) {
      const demo = new Demo();
      try {
        await demo.#begin(await freePort());
        return demo;
      } catch (error) {
        await demo.stop();
        if (attempt === 3 || !/is taken/.test(demo.said)) throw error;
      }
    }
  }

  /// Ends exactly what was started, as Ctrl-C does, and removes what it has made.
  async stop() {
    this.#child?.kill("SIGTERM");
    await this.#ended;
    if (this.directory) await rm(this.directory, { recursive: true, force: true });
  }

  async #begin(port) {
    this.directory = join(BUILD, "demo", `${port}`);
    const env = { ...process.env, PORT: `${port}` };
    this.#child = spawn(join(ROOT, "scripts/run-demo"), [BUILD], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = new Promise((done) => this.#child.once("close", done).once("error", done));
    let late;
    const ready = new Promise((done, failed) => {
      late = setTimeout(() => failed(new Error(`did not start in time\n${this.said}`)), START_TIMEOUT_MS);
      for (const stream of [this.#child.stdout, this.#child.stderr]) {
        stream.setEncoding("utf8").on("data", (text) => {
          this.said += text;
          if (this.said.includes("Ctrl-C")) done();
        });
      }
    });
    const early = this.#ended.then(() => {
      throw new Error(`ended before it was ready\n${this.said}`);
    });
    early.catch(() => {}); // it ends in any case; only before it is ready that is a failure
    await Promise.race([ready, early]).finally(() => clearTimeout(late));
  }
}
