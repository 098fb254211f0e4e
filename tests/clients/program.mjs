// A client that is a program of its own: started, asked, and ended by the test that started it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ANSWER_TIMEOUT_MS = 30_000;

/// Refused by the library or by the server: `error` is the OAuth error if there is one, else the exception's name.
export class Refused extends Error {
  constructor({ error, message }) { super(`${error}: ${message}`); this.error = error; }
}

/// Debian's Python with a program of tests/clients/python, whose functions are called one after the other.
export class PythonProgram {
  #child;
  #lines;
  #ended;
  #stderr = "";

  /// `settings` become its environment; the deployment's authority is trusted as users of `requests` do it.
  constructor(file, deployment, settings) {
    const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", REQUESTS_CA_BUNDLE: deployment.caFile, ISSUER: deployment.issuer, ...settings };
    // Proxies and ~/.netrc of whoever runs the tests are no part of them.
    this.#child = spawn("/usr/bin/python3", [join(HERE, "python", file)], { env: { ...environment, NO_PROXY: "*", HOME: "/nonexistent", NETRC: "/nonexistent" } });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => { this.#stderr += text; });
    this.#child.stdin.on("error", () => {}); // of a program that ended: its missing answer is the failure
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#ended = new Promise((done) => this.#child.once("close", done).once("error", done));
  }

  async call(name, parameters = {}) {
    this.#child.stdin.write(`${JSON.stringify({ call: name, parameters })}\n`);
    let timer;
    const late = new Promise((_, failed) => { timer = setTimeout(() => failed(new Error(`no answer to ${name}\n${this.#stderr}`)), ANSWER_TIMEOUT_MS); });
    const { value, done } = await Promise.race([this.#lines.next(), late]).finally(() => clearTimeout(timer));
    if (done) throw new Error(`ended before it answered ${name}\n${this.#stderr}`);
    const answer = JSON.parse(value);
    if ("error" in answer) throw new Refused(answer);
    return answer.result;
  }

  async stop() {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }
}
