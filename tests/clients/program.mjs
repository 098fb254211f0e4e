// A client that is a program of its own: started, spoken to, and ended by the test that started it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ANSWER_TIMEOUT_MS = 60_000;

class Program {
  #child;
  #lines;
  #ended;
  #stderr = "";

  /// `file`: of this directory, if it is not an absolute path; none for a `command` that needs none. It comes behind
  /// the `options`.
  constructor(command, file, environment, options = []) {
    // Proxies and ~/.netrc of whoever runs the tests are no part of them.
    const env = { ...process.env, NO_PROXY: "*", no_proxy: "*", HOME: "/nonexistent", ...environment };
    this.#child = spawn(command, [...options, ...(file === undefined ? [] : [resolve(HERE, file)])], { env });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
    this.#child.stdin.on("error", () => {}); // of a program that ended: its missing answer is the failure
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#ended = new Promise((done) => this.#child.once("close", done).once("error", done));
  }

  write(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  /// The next line that it writes to standard output.
  async line() {
    let timer;
    const late = new Promise((_, failed) => {
      timer = setTimeout(() => failed(new Error(`no answer in time\n${this.#stderr}`)), ANSWER_TIMEOUT_MS);
    });
    const { value, done } = await Promise.race([this.#lines.next(), late]).finally(() => clearTimeout(timer));
    if (done) throw new Error(`ended before it answered\n${this.#stderr}`);
    return value;
  }

  async stop() {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }
}

/// Refused by the library or by the server: `error` is the OAuth error if there is one, else the exception's name.
export class Refused extends Error {
  constructor({ error, message }) {
    super(`${error}: ${message}`);
    this.error = error;
  }
}

/// Debian's Python with a program of tests/clients/python, whose functions are called one after the other.
export class PythonProgram extends Program {
  /// `settings` become its environment; the deployment's authority is trusted as users of `requests` do it.
  constructor(file, { issuer, caFile }, settings) {
    super("/usr/bin/python3", `python/${file}`, {
      PYTHONDONTWRITEBYTECODE: "1",
      REQUESTS_CA_BUNDLE: caFile,
      ISSUER: issuer,
      ...settings,
    });
  }

  async call(name, parameters = {}) {
    this.write(JSON.stringify({ call: name, parameters }));
    const answer = JSON.parse(await this.line());
    if ("error" in answer) throw new Refused(answer);
    return answer.result;
  }
}

/// A web application on a port of its own choice, which it prints when it listens; `origin` is where it is then.
class Application extends Program {
  static async listening(application) {
    try {
      application.origin = `http://127.0.0.1:${Number(await application.line())}`;
      return application;
    } catch (error) {
      await application.stop();
      throw error;
    }
  }
}

export class NodeApplication extends Application {
  static start(file, { issuer, caFile }, settings) {
    const environment = { NODE_EXTRA_CA_CERTS: caFile, ISSUER: issuer, ...settings };
    return Application.listening(new NodeApplication(process.execPath, file, environment));
  }
}

/// Of a Python with packages of its own, `python`.
export class PythonApplication extends Application {
  static start(python, file, { issuer, caFile }, settings) {
    const environment = {
      PYTHONDONTWRITEBYTECODE: "1",
      REQUESTS_CA_BUNDLE: caFile,
      ISSUER: issuer,
      ...settings,
    };
    return Application.listening(new PythonApplication(python, file, environment));
  }
}

/// A program of such a Python that is spoken to line by line.
export class PythonScript extends Program {
  constructor(python, file, settings) {
    super(python, file, { PYTHONDONTWRITEBYTECODE: "1", ...settings });
  }
}

/// A program that was built, and is spoken to line by line; `file` is its argument, if it has one.
export class BuiltProgram extends Program {
  constructor(program, { issuer, caFile }, settings, file) {
    super(program, file, { SSL_CERT_FILE: caFile, ISSUER: issuer, ...settings });
  }
}

/// The class `main` of Java with the `libraries` (files, or DIRECTORY/*), spoken to line by line; it trusts whom the
/// store `trust` has, which `keytool` made.
export class JavaProgram extends Program {
  constructor(main, libraries, { trust, settings }) {
    const trusting = [`-Djavax.net.ssl.trustStore=${trust}`, "-Djavax.net.ssl.trustStorePassword=changeit"];
    const options = ["-XX:TieredStopAtLevel=1", ...trusting, "-cp", libraries.join(":"), main];
    super("java", undefined, settings, options);
  }
}
