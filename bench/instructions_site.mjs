// The provider that is measured: its configuration, keys and database, made once, and what the requests need of codes,
// tokens and pages. Every measurement begins with a copy of that database.
import { execFile } from "node:child_process";
import { chown, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseCgi, parseRecords, conversation } from "../tests/security/records.mjs";
import { SingleProcess } from "../tests/security/single_process.mjs";
import { basicOf, challengeOf, formText } from "../tests/security/provider.mjs";
import { BUILD, ROOT } from "../tests/support/deployment.mjs";
import { reachable } from "../tests/support/reachable.mjs";
import { UserAgent } from "../tests/support/user_agent.mjs";
import { PATH, identity, privateDirectory } from "../tests/support/web_server.mjs";

const run = promisify(execFile);
const ISSUER = "https://id.example.org";
/// yescrypt at its lowest cost: what a password costs on purpose would hide everything else. A test's password, of
/// nobody.
const USER = { username: "alice", password: "correct horse battery staple" };
const PASSWORD_HASH = "$y$j75$LdJMENpBABJJ3hIHjB1Bi.$qYexDEDfF3m8o.Wvs2FJ6Fnm2ifFSy7DjwT1tvliZsD";
const CLAIMS = { name: "Alice Example", email: "alice@op.example" };
const REDIRECT_URI = "https://app.example/cb";
const VERIFIER = "v".repeat(43);
const asRoot = process.getuid() === 0;

export class Site {
  #preloaded;
  #copies = 0;

  /// `count`: how many codes, tokens and pages there will be of each kind.
  static async make(count) {
    const site = new Site();
    try {
      site.root = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
      await site.#install();
      site.prepared = await site.#prepare(count);
      return site;
    } catch (error) {
      await site.remove();
      throw error;
    }
  }

  async remove() {
    if (this.root) await rm(this.root, { recursive: true, force: true });
  }

  /// What every program sees of the outside, measured or not.
  variables(place) {
    return {
      PATH,
      LC_ALL: "C",
      TZ: "UTC0",
      POSTERN_CONFIG: join(place.directory, "postern.json"),
      LD_PRELOAD: this.#preloaded.join(":"),
      POSTERN_TEST_CLOCK: this.now,
    };
  }

  /// A directory with a configuration and a database as they were in the beginning, for one measurement: see
  /// SingleProcess.
  async copy() {
    const place = await this.#place(`m${String(this.#copies++).padStart(3, "0")}`);
    const target = join(await privateDirectory(join(place.directory, "db")), "postern.db");
    await copyFile(join(this.root, "first.db"), target);
    if (asRoot) await chown(target, identity.uid, identity.gid);
    return place;
  }

  async #install() {
    Object.assign(this, await reachable({ cgiBin: join(BUILD, "cgi-bin"), templates: join(ROOT, "templates") }));
    this.#preloaded = ["fake_clock_preload.so", "fixed_random_preload.so"].map((name) => join(this.root, name));
    for (const file of this.#preloaded) await copyFile(join(BUILD, "tests", file.slice(this.root.length + 1)), file);
    this.now = String(Math.floor(Date.now() / 1000)); // all programs see this second, the command too
    this.origin = await this.#place("orig");
    await this.#postern("init", ...(asRoot ? ["--owner", `${identity.user}:${identity.group}`] : []));
    const person = { username: USER.username, password_hash: PASSWORD_HASH, claims: CLAIMS };
    await this.#posternReads(`${JSON.stringify(person)}\n`, "user", "import", "-");
    const added = await this.#postern(
      "client",
      "add",
      "app",
      "--redirect-uri",
      REDIRECT_URI,
      "--scope",
      "openid profile email offline_access api",
      "--grant",
      "authorization_code",
      "--grant",
      "refresh_token",
      "--grant",
      "client_credentials",
    );
    this.client = { id: "app", secret: added.client_secret };
  }

  async #place(name) {
    const directory = await privateDirectory(join(this.root, name));
    await privateDirectory(join(directory, "s"));
    // Valgrind opens files of its own, which a sandbox forbids; what entering it costs depends on the kernel.
    await writeFile(
      join(directory, "postern.json"),
      JSON.stringify({
        issuer: ISSUER,
        oidc: { userClaims: "database" },
        sandbox: "off",
        database: join(directory, "db/postern.db"),
        keys: join(this.root, "keys"),
        templates: this.templates,
      }),
    );
    return { directory, issuer: ISSUER, cgiBin: this.cgiBin };
  }

  #postern(...args) {
    return this.#posternReads("", ...args);
  }

  async #posternReads(input, ...args) {
    const running = run(join(BUILD, "bin/postern"), [...args, "--json"], {
      env: { ...this.variables(this.origin), POSTERN_TEST_SYSLOG: join(this.root, "syslog") },
    });
    running.child.stdin.on("error", () => {}).end(input);
    const { stdout } = await running;
    return stdout.trim() === "" ? null : JSON.parse(stdout);
  }

  async #prepare(count) {
    const programs = {
      "/authorize": "authorize",
      "/login": "login",
      "/scopes": "scopes",
      "/logout": "logout",
      "/token": "token",
    };
    const workers = {};
    try {
      for (const [path, name] of Object.entries(programs))
        workers[path] = await SingleProcess.start(this.origin, name, { env: this.variables(this.origin) });
      const prepared = await new Walk(this.client, workers).everything(count);
      const { link } = await this.#postern("user", "invite", "grace");
      prepared.invitation = new URL(link);
      await this.#postern("backup", join(this.root, "first.db"));
      return prepared;
    } finally {
      for (const worker of Object.values(workers)) await worker.stop();
    }
  }
}

/// People, their browsers and an application, at processes of the provider.
class Walk {
  constructor(client, workers) {
    Object.assign(this, { client, workers });
  }

  async everything(count) {
    const collect = async (make) => {
      const all = [];
      for (let i = 0; i < count; ++i) all.push(await make());
      return all;
    };
    const person = await this.#signedIn();
    const code = async () => ({
      code: (await person.visit(this.#authorizationUrl())).location.searchParams.get("code"),
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    });
    const tokens = await collect(async () => this.#exchange(await code()));
    return {
      client: this.client,
      user: USER,
      person,
      authorization: this.#authorization(),
      userTokens: tokens.map(({ access_token: token }) => token),
      refreshToken: tokens[0].refresh_token,
      codes: await collect(code),
      logins: await collect(async () => {
        const other = this.#browser();
        return this.#form(other, await other.visit(this.#authorizationUrl()));
      }),
      consents: await collect(async () =>
        this.#form(person, await person.visit(this.#authorizationUrl({ prompt: "consent" }))),
      ),
      logouts: await collect(async () => {
        const other = await this.#signedIn();
        return this.#form(other, await other.visit(`${ISSUER}/logout`));
      }),
    };
  }

  #authorization(parameters = {}) {
    return {
      client_id: this.client.id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: "openid profile email offline_access",
      state: "s-1",
      nonce: "n-1",
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: "S256",
      ...parameters,
    };
  }

  #authorizationUrl(parameters) {
    return `${ISSUER}/authorize?${formText(this.#authorization(parameters))}`;
  }

  #browser() {
    return new UserAgent({ send: (url, options) => this.#send(url, options) });
  }

  async #signedIn() {
    const browser = this.#browser();
    let page = await browser.signIn(await browser.visit(this.#authorizationUrl()), USER.username, USER.password);
    if (page.form) page = await browser.approve(page);
    if (!page.location) throw new Error(`nobody could sign in: ${page.status} ${page.title}`);
    return browser;
  }

  /// What a browser that stands on a page would send.
  #form(browser, page) {
    if (!page.form) throw new Error(`no form: ${page.status} ${page.title} ${page.location ?? ""}`);
    return { cookie: browser.cookieHeader, fields: page.form.fields, buttons: page.form.buttons };
  }

  async #exchange(code) {
    const answer = await this.#send(`${ISSUER}/token`, {
      method: "POST",
      body: formText({ grant_type: "authorization_code", ...code }),
      headers: { authorization: basicOf(this.client.id, this.client.secret) },
    });
    if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }

  async #send(url, { method, body, headers }) {
    const { pathname, search } = new URL(url);
    const request = { method, path: pathname, query: search.slice(1), body, headers };
    const { stdout } = parseRecords(await this.workers[pathname].send(conversation(ISSUER, request)));
    const answer = parseCgi(stdout);
    // each in a line of its own
    answer.headers["set-cookie"] = [...stdout.matchAll(/^Set-Cookie: (.*?)\r$/gim)].map(([, line]) => line);
    return answer;
  }
}
