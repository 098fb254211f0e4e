// make bench-instructions: what each endpoint costs in instructions, allocations and system calls, compared with the
// committed bench/instructions.json. A report: the status is 0 even when something has grown.
//   node bench/instructions.mjs [--update] [ROWS]
// --update writes the table; ROWS: part of rows' names.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { chown, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { basicOf, challengeOf, formText } from "../tests/security/provider.mjs";
import { conversation, parseCgi, parseRecords, variablesOf } from "../tests/security/records.mjs";
import { SingleProcess } from "../tests/security/single_process.mjs";
import { BUILD, ROOT } from "../tests/support/deployment.mjs";
import { reachable } from "../tests/support/reachable.mjs";
import { run } from "../tests/support/run.mjs";
import { assertion, newKey, proof } from "../tests/support/signer.mjs";
import { UserAgent } from "../tests/support/user_agent.mjs";
import { PATH, identity, privateDirectory } from "../tests/support/web_server.mjs";

const FILE = join(ROOT, "bench/instructions.json");
const COUNTS = ["instructions", "allocations", "system_calls"];
/// The most that a count may change, in per cent, where the table says nothing else.
const TOLERANCE = 5;
/// Whose versions are noted beside the counts: they are part of what was counted, or of what counts.
const PACKAGES = ["libc6", "libstdc++6", "libssl3", "libsqlite3-0", "libcrypt1", "libfcgi0ldbl", "valgrind", "strace"];
/// Requests of a process. The first few are dearer: statements are prepared, tables grow.
const FEW = 4;
const MANY = 24;
const MOST_AT_ONCE = 4;

const ISSUER = "https://id.example.org";
const REDIRECT_URI = "https://app.example/cb";
const VERIFIER = "v".repeat(43);
const SITE = "https://wiki.example.org";
/// yescrypt at its lowest cost: what a password costs on purpose would hide everything else. A test's password, of
/// nobody.
const USER = { username: "alice", password: "correct horse battery staple" };
const PERSON = {
  username: USER.username,
  password_hash: "$y$j75$LdJMENpBABJJ3hIHjB1Bi.$qYexDEDfF3m8o.Wvs2FJ6Fnm2ifFSy7DjwT1tvliZsD",
  claims: { name: "Alice Example", email: "alice@op.example" },
};
const asRoot = process.getuid() === 0;

// --- The rows: a program and the requests that it is sent, all of one kind.

const post = (path, parameters, headers = {}) => ({ method: "POST", path, body: formText(parameters), headers });
const get = (path, query, headers = {}) => ({ path, query: query ? formText(query) : "", headers });
const byClient = ({ client }) => ({ authorization: basicOf(client.id, client.secret) });
const bearer = (token) => ({ authorization: `Bearer ${token}` });
const introspection = (p, token) => post("/token/introspect", { token }, byClient(p));
/// A question of a web server about a page of the site, and a request for one of the gate's own there.
const question = (uri, cookie) => ({
  path: "/gate",
  headers: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", cookie },
  variables: { POSTERN_GATE_SITE: SITE, POSTERN_GATE_URI: uri, POSTERN_GATE_METHOD: "GET" },
});
const ownPage = ({ pathname, search }, cookie) => ({
  path: "/gate",
  headers: { cookie },
  variables: { POSTERN_GATE_SITE: SITE, REQUEST_URI: pathname + search },
});
/// A page with a form, and the form as a browser sends it back.
const shown = (path, { fields, cookie }) => get(path, { resume: fields.resume }, { cookie });
const answered = (path, { fields, cookie }, values) => post(path, { ...fields, ...values }, { cookie });

/// What is off by default, and on for rows of it alone: others cost what they cost without it.
const PUSHES = { paths: { par: "/par" } };
const SIGNS = { clientAssertions: true };
const PROVES = { dpop: "allowed" };

/// By name, which begins with the program's: the status and a part of a right answer, so that nothing is measured but
/// the work that is meant, and request(prepared, i, former), the i-th, where `former` is the answer to the one before;
/// then what the configuration has beside the usual. Provider.prepare() says what is prepared.
const ROWS = {
  "authorize: to the login page": [
    303,
    /^Location: [^\r]*\/login\?resume=/m,
    (p) => get("/authorize", p.authorization),
  ],
  "authorize: a code": [
    303,
    /^Location: https:\/\/app\.example\/cb\?code=/m,
    (p) => get("/authorize", p.authorization, { cookie: p.cookie }),
  ],
  "login: the form": [200, /name="password"/, (p) => shown("/login", p.logins[0])],
  "login: signed in": [303, /^Location: [^\r]*\/authorize\?resume=/m, (p, i) => answered("/login", p.logins[i], USER)],
  "scopes: the form": [200, /id="approve"/, (p) => shown("/scopes", p.consents[0])],
  "scopes: approved": [
    303,
    /^Location: [^\r]*\/authorize\?resume=/m,
    (p, i) => answered("/scopes", p.consents[i], p.consents[i].buttons.approve),
  ],
  "logout: the form": [200, /id="logout"/, (p) => get("/logout", "", { cookie: p.logouts[0].cookie })],
  "logout: signed out": [
    200,
    /^Clear-Site-Data: /m,
    (p, i) => answered("/logout", p.logouts[i], p.logouts[i].buttons.logout),
  ],
  "account: the overview": [200, /id="logout"/, (p) => get("/account", "", { cookie: p.cookie })],
  "recover: an invitation": [
    200,
    /name="new"/,
    ({ invitation }) => ({ path: invitation.pathname, query: invitation.search.slice(1) }),
  ],
  "token: client_credentials": [
    200,
    /"access_token"/,
    (p) => post("/token", { grant_type: "client_credentials", scope: "api" }, byClient(p)),
  ],
  "token: authorization_code": [
    200,
    /"id_token"/,
    (p, i) => post("/token", { grant_type: "authorization_code", ...p.codes[i] }, byClient(p)),
  ],
  "token: refresh_token": [
    200,
    /"refresh_token"/,
    (p, i, former) => {
      const refresh_token = former?.json.refresh_token ?? p.refreshToken;
      return post("/token", { grant_type: "refresh_token", refresh_token }, byClient(p));
    },
  ],
  "token: client_credentials by an assertion": [
    200,
    /"access_token"/,
    (p, i) => post("/token", { grant_type: "client_credentials", scope: "api", ...p.assertions[i] }),
    SIGNS,
  ],
  "token: client_credentials with a proof": [
    200,
    /"token_type":"DPoP"/,
    (p, i) => post("/token", { grant_type: "client_credentials", scope: "api" }, { ...byClient(p), ...p.proofs[i] }),
    PROVES,
  ],
  "introspect: a token again": [200, /"active":true/, (p) => introspection(p, p.tokens[0])],
  "introspect: another token": [200, /"active":true/, (p, i) => introspection(p, p.tokens[i])],
  revoke: [200, /^/, (p, i) => post("/token/revoke", { token: p.tokens[i] }, byClient(p))],
  "userinfo: a token again": [200, /"email"/, (p) => get("/userinfo", "", bearer(p.tokens[0]))],
  "userinfo: another token": [200, /"email"/, (p, i) => get("/userinfo", "", bearer(p.tokens[i]))],
  "userinfo: another token with a proof": [
    200,
    /"email"/,
    (p, i) => get("/userinfo", "", { authorization: `DPoP ${p.boundTokens[i]}`, ...p.userinfoProofs[i] }),
    PROVES,
  ],
  "par: a pushed request": [
    201,
    /"request_uri"/,
    ({ client, authorization: { client_id: _, ...pushed } }) => post("/par", pushed, byClient({ client })),
    PUSHES,
  ],
  "gate: a page that passes": [200, /^Remote-User: alice\r$/m, (p) => question("/page", p.siteCookie)],
  "gate: to the sign-in": [401, /^Location: [^\r]*\/authorize\?/m, () => question("/page", "")],
  discovery: [200, /"jwks_uri"/, () => get("/.well-known/openid-configuration")],
  jwks: [200, /"keys"/, () => get("/jwks")],
};
const rows = Object.entries(ROWS).map(([name, [status, shows, request, config]]) => {
  return { name, program: name.split(":")[0], status, shows, request, config };
});
/// Whether its first request is also what the program is given as a CGI program: one of each program, the first but
/// for authorize.
const isCgi = ({ name, program }) =>
  name === (program === "authorize" ? "authorize: a code" : rows.find((row) => row.program === program).name);

// --- The provider: its configuration, keys and database, made once. Every measurement begins with a copy.

class Provider {
  #copies = 0;

  static async make() {
    const provider = new Provider();
    provider.root = await privateDirectory(await mkdtemp(join(tmpdir(), "pt-")));
    try {
      await provider.#install();
      provider.prepared = await provider.#prepare();
      return provider;
    } catch (error) {
      await provider.remove();
      throw error;
    }
  }

  remove() {
    return rm(this.root, { recursive: true, force: true });
  }

  /// What every program sees of the outside, measured or not: the same second, the same random numbers.
  variables({ directory }) {
    return {
      PATH,
      LC_ALL: "C",
      TZ: "UTC0",
      POSTERN_CONFIG: join(directory, "postern.json"),
      LD_PRELOAD: this.preloaded.join(":"),
      POSTERN_TEST_CLOCK: this.now,
    };
  }

  /// A directory with a configuration and a database as they were in the beginning; see SingleProcess.
  async copy({ config }) {
    const place = await this.#place(`m${String(this.#copies++).padStart(3, "0")}`, config);
    const target = join(await privateDirectory(join(place.directory, "db")), "postern.db");
    await copyFile(join(this.root, "first.db"), target);
    if (asRoot) await chown(target, identity.uid, identity.gid);
    return place;
  }

  async #place(name, more = {}) {
    const directory = await privateDirectory(join(this.root, name));
    await privateDirectory(join(directory, "s"));
    const config = {
      issuer: ISSUER,
      oidc: { userClaims: "database" },
      ...more,
      paths: { gate: "/gate", ...more.paths },
      sandbox: "off", // valgrind opens files of its own, and what entering it costs depends on the kernel
      database: more.database ?? join(directory, "db/postern.db"),
      keys: join(this.root, "keys"),
      templates: this.templates,
    };
    await writeFile(join(directory, "postern.json"), JSON.stringify(config));
    return { directory, issuer: ISSUER, cgiBin: this.cgiBin };
  }

  async #install() {
    Object.assign(this, await reachable({ cgiBin: join(BUILD, "cgi-bin"), templates: join(ROOT, "templates") }));
    this.preloaded = ["fake_clock_preload.so", "fixed_random_preload.so"].map((name) => join(this.root, name));
    for (const file of this.preloaded) await copyFile(join(BUILD, "tests", file.slice(this.root.length + 1)), file);
    this.now = String(Math.floor(Date.now() / 1000));
    this.origin = await this.#place("orig");
    await this.#postern(["init", ...(asRoot ? ["--owner", `${identity.user}:${identity.group}`] : [])]);
    await this.#postern(["user", "import", "-"], `${JSON.stringify(PERSON)}\n`);
    const scope = "openid profile email offline_access api";
    const grants = ["authorization_code", "refresh_token", "client_credentials"].flatMap((one) => ["--grant", one]);
    const options = ["--redirect-uri", REDIRECT_URI, "--scope", scope, "--no-id-token-claims", ...grants];
    const add = ["client", "add", "app", ...options];
    this.client = { id: "app", secret: (await this.#postern(add)).client_secret };
    await this.#postern(["site", "add", "wiki", "--url", `${SITE}/`]);
    const { database } = JSON.parse(readFileSync(join(this.origin.directory, "postern.json"), "utf8"));
    this.extended = await this.#place("more", { ...SIGNS, ...PROVES, database });
    const { jwk, jwks } = newKey("k1");
    this.jwk = jwk;
    const keys = join(this.root, "robot.jwks");
    await writeFile(keys, JSON.stringify(jwks));
    const signs = ["--auth-method", "private_key_jwt", "--jwks", keys];
    const robot = ["client", "add", "robot", ...signs, "--grant", "client_credentials", "--scope", "api"];
    await this.#postern(robot, "", this.extended);
  }

  async #postern(args, input = "", place = this.origin) {
    const running = run(join(BUILD, "bin/postern"), [...args, "--json"], {
      env: { ...this.variables(place), POSTERN_TEST_SYSLOG: join(this.root, "syslog") },
    });
    running.child.stdin.on("error", () => {}).end(input);
    const { stdout } = await running;
    return stdout.trim() === "" ? null : JSON.parse(stdout);
  }

  /// What the requests need of codes, tokens and pages with forms: MANY of each kind.
  async #prepare() {
    const workers = {};
    const send = async (url, { method, body, headers }) => {
      const { pathname, search } = new URL(url);
      const request = { method, path: pathname, query: search.slice(1), body, headers };
      const { stdout } = parseRecords(await workers[pathname].send(conversation(ISSUER, request)));
      const answer = parseCgi(stdout);
      // each in a line of its own
      answer.headers["set-cookie"] = [...stdout.matchAll(/^Set-Cookie: (.*?)\r$/gim)].map(([, line]) => line);
      return answer;
    };
    const authorization = {
      client_id: this.client.id,
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: "openid profile email offline_access",
      state: "s-1",
      nonce: "n-1",
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: "S256",
    };
    const asked = (more) => `${ISSUER}/authorize?${formText({ ...authorization, ...more })}`;
    const signedIn = async () => {
      const browser = new UserAgent({ send });
      let page = await browser.signIn(await browser.visit(asked()), USER.username, USER.password);
      if (page.form) page = await browser.approve(page);
      if (!page.location) throw new Error(`nobody could sign in: ${page.status} ${page.title}`);
      return browser;
    };
    /// What a browser that stands on the page would send.
    const form = async (browser, url) => {
      const page = await browser.visit(url);
      if (!page.form) throw new Error(`no form: ${page.status} ${page.title} ${page.location ?? ""}`);
      return { cookie: browser.cookieHeader, fields: page.form.fields, buttons: page.form.buttons };
    };
    const collect = async (make) => {
      const all = [];
      for (let i = 0; i < MANY; ++i) all.push(await make());
      return all;
    };
    try {
      for (const name of ["authorize", "login", "scopes", "logout", "token", "gate"])
        workers[`/${name}`] = await SingleProcess.start(this.origin, name, { env: this.variables(this.origin) });
      const person = await signedIn();
      const code = async () => ({
        code: (await person.visit(asked())).location.searchParams.get("code"),
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
      });
      const exchange = async (headers = {}) => {
        const form = { grant_type: "authorization_code", ...(await code()) };
        const { path, ...request } = post("/token", form, { ...byClient(this), ...headers });
        const answer = await send(ISSUER + path, request);
        if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
        return answer.json;
      };
      const exchanged = await collect(() => exchange());
      const askGate = async (request) =>
        parseRecords(await workers["/gate"].send(conversation(ISSUER, request))).stdout;
      const cookieOf = (stdout) => stdout.match(/^Set-Cookie: ([^;\r]*)/m)[1];
      const led = await askGate(question("/page", ""));
      const { location } = await person.visit(parseCgi(led).headers.location);
      const siteCookie = cookieOf(await askGate(ownPage(location, cookieOf(led))));
      const prepared = {
        siteCookie,
        client: this.client,
        cookie: person.cookieHeader,
        authorization,
        tokens: exchanged.map(({ access_token }) => access_token),
        refreshToken: exchanged[0].refresh_token,
        codes: await collect(code),
        logins: await collect(() => form(new UserAgent({ send }), asked())),
        consents: await collect(() => form(person, asked({ prompt: "consent" }))),
        logouts: await collect(async () => form(await signedIn(), `${ISSUER}/logout`)),
      };
      await this.#prepareSigned(prepared, workers, collect, exchange);
      prepared.invitation = new URL((await this.#postern(["user", "invite", "grace"])).link);
      await this.#postern(["backup", join(this.root, "first.db")]);
      return prepared;
    } finally {
      for (const worker of Object.values(workers)) await worker.stop();
    }
  }

  /// What clients have signed, and the tokens that are bound to their key.
  async #prepareSigned(prepared, workers, collect, exchange) {
    const { jwk } = this;
    const iat = Number(this.now);
    const proves = (path, more) => proof({ jwk, url: ISSUER + path, claims: { iat }, ...more });
    const signs = { jwk, client: "robot", issuer: ISSUER, claims: { iat, exp: iat + 60 } };
    await workers["/token"].stop();
    workers["/token"] = await SingleProcess.start(this.extended, "token", { env: this.variables(this.extended) });
    const bound = await collect(() => exchange(proves("/token")));
    prepared.boundTokens = bound.map(({ access_token }) => access_token);
    prepared.userinfoProofs = prepared.boundTokens.map((token) => proves("/userinfo", { method: "GET", token }));
    prepared.assertions = await collect(() => assertion(signs));
    prepared.proofs = await collect(() => proves("/token"));
  }
}

// --- The instruments.

/// A processor of one kind on every machine: with SSE up to 4.2, AES and carry-less multiplication, as all servers
/// have, and without AVX, BMI, random numbers and fast strings, which libraries would take where they are there.
const PROCESSOR = {
  OPENSSL_ia32cap: "0x0298020307808110:0",
  GLIBC_TUNABLES:
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-LZCNT,-MOVBE,-ERMS,-FSRM," +
    "-RTM,-XSAVE,-XSAVEC",
};
const ALLOCATES = /^(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc)$/;

const INSTRUMENTS = {
  callgrind: {
    command: ["valgrind", "--tool=callgrind", "--quiet", "--compress-strings=no", "--compress-pos=no"],
    output: (file) => [`--callgrind-out-file=${file}`],
    /// Calls of one allocating function by another, as realloc(NULL) does, are one allocation.
    read(text) {
      const found = { instructions: Number(text.match(/^summary: (\d+)$/m)[1]), allocations: 0 };
      // who has the C library's debugging information sees other names
      const plain = (name) => name.replace(/^__(libc_)?/, "");
      let caller = "";
      let called = "";
      for (const line of text.split("\n")) {
        if (line.startsWith("fn=")) caller = plain(line.slice(3));
        else if (line.startsWith("cfn=")) called = plain(line.slice(4));
        else if (line.startsWith("calls=") && ALLOCATES.test(called) && !ALLOCATES.test(caller))
          found.allocations += Number(line.match(/\d+/)[0]);
      }
      return found;
    },
  },
  strace: {
    command: ["strace", "-f", "-c", "-U", "name,calls,errors"],
    output: (file) => ["-o", file],
    /// Without poll(2), and reads that found nothing: they are there when the process was faster than whoever writes to
    /// it. The time is read without the kernel, where the kernel lets one.
    read(text) {
      const lines = [...text.matchAll(/^(\w+) +(\d+)(?: +(\d+))? *$/gm)];
      const total = lines.pop();
      const sum = (some) => some.reduce((all, [, , calls]) => all + Number(calls), 0);
      if (total?.[1] !== "total" || sum(lines) !== Number(total[2]))
        throw new Error(`strace's table is not understood:\n${text}`);
      const counted = lines.filter(([, name]) => !["poll", "clock_gettime", "gettimeofday", "time"].includes(name));
      return { system_calls: sum(counted) - Number(lines.find(([, name]) => name === "read")?.[3] ?? 0) };
    },
  },
};

/// A command under the instrument, with these variables and no other.
const under = ({ command, output }, file, variables) => [
  ...["/usr/bin/env", "-i", ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)],
  ...[...command, ...output(file)],
];

/// Whatever is measured was answered as it should be.
function verify({ name, status, shows }, text) {
  const answer = parseCgi(text);
  if (answer.status !== status || !shows.test(text))
    throw new Error(`${name}: not answered as expected: ${text.slice(0, 2000)}`);
  return answer;
}

/// What the instrument counts while one process starts, answers `count` requests of a row, and ends.
async function asFastCgi(provider, row, instrument, count) {
  const place = await provider.copy(row);
  const file = join(place.directory, "counts");
  const variables = { ...provider.variables(place), ...PROCESSOR, POSTERN_MAX_REQUESTS: count };
  const worker = await SingleProcess.start(place, row.program, { under: under(instrument, file, variables) });
  try {
    for (let i = 0, former; i < count; ++i) {
      const records = conversation(place.issuer, row.request(provider.prepared, i, former));
      former = verify(row, parseRecords(await worker.send(records)).stdout);
    }
  } catch (error) {
    await worker.stop();
    throw new Error(`${error.message}\n${worker.log.slice(-2000)}`);
  }
  const code = await worker.ended;
  if (code !== 0) throw new Error(`${row.name}: ended with ${code}: ${worker.log.slice(-2000)}`);
  return instrument.read(readFileSync(file, "utf8"));
}

/// The same of a process that a web server starts for one request.
async function asCgi(provider, row, instrument) {
  const place = await provider.copy(row);
  const file = join(place.directory, "counts");
  const request = row.request(provider.prepared, 0);
  const variables = { ...variablesOf(place.issuer, request), ...provider.variables(place), ...PROCESSOR };
  const [command, ...args] = [...under(instrument, file, variables), join(place.cgiBin, row.program)];
  const who = asRoot ? { uid: identity.uid, gid: identity.gid } : {};
  const child = spawn(command, args, { cwd: place.directory, ...who });
  const said = { stdout: "", stderr: "" };
  for (const name of Object.keys(said)) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
  child.stdin.on("error", () => {}).end(request.body ?? "");
  const code = await new Promise((done, failed) => child.once("close", done).once("error", failed));
  if (code !== 0) throw new Error(`${row.name}, CGI: ended with ${code}: ${said.stderr.slice(-2000)}`);
  verify(row, said.stdout);
  return instrument.read(readFileSync(file, "utf8"));
}

/// A row's counts for one request: what more requests cost more, so that neither starting nor ending is in them, nor
/// what only the first requests of a process do.
async function ofRequest(provider, row) {
  const counts = {};
  for (const instrument of Object.values(INSTRUMENTS)) {
    const few = await asFastCgi(provider, row, instrument, FEW);
    const many = await asFastCgi(provider, row, instrument, MANY);
    for (const count of Object.keys(many)) counts[count] = (many[count] - few[count]) / (MANY - FEW);
  }
  return counts;
}

async function ofProcess(provider, row) {
  const counts = {};
  for (const instrument of Object.values(INSTRUMENTS)) Object.assign(counts, await asCgi(provider, row, instrument));
  return counts;
}

/// { row's name: its counts }, of those whose names have `only` in them.
async function countAll(only) {
  const tasks = [
    ...rows.map((row) => [row.name, (provider) => ofRequest(provider, row)]),
    ...rows.filter(isCgi).map((row) => [`${row.program}: a whole CGI process`, (provider) => ofProcess(provider, row)]),
  ].filter(([name]) => name.includes(only));
  const found = Object.fromEntries(tasks.map(([name]) => [name, undefined]));
  const provider = await Provider.make();
  try {
    const work = async () => {
      for (let task; (task = tasks.shift()); ) found[task[0]] = await task[1](provider);
    };
    // All have ended before the directory goes, also when one has failed.
    const ends = await Promise.allSettled(Array.from({ length: Math.min(cpus().length, MOST_AT_ONCE) }, work));
    for (const { reason } of ends) if (reason) throw reason;
  } finally {
    await provider.remove();
  }
  return found;
}

// --- The table.

const output = (command, ...args) =>
  execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });

/// How the programs in BUILD were compiled, "GNU C++20 12.2.0 -mtune=generic -march=x86-64 -g -O2 ...", from what the
/// compiler wrote into one of their objects; "unknown" without debugging information.
function builtBy() {
  const read = output("readelf", "--debug-dump=info", "--dwarf-depth=1", join(BUILD, "cgi-bin/jwks.o"));
  return read.match(/DW_AT_producer.*: (GNU .*|.*clang.*)$/m)?.[1].trim() ?? "unknown";
}

const versions = () =>
  Object.fromEntries(
    output("dpkg-query", "-W", "-f", "${Package} ${Version}\n", ...PACKAGES)
      .trim()
      .split("\n")
      .map((line) => line.split(" ")),
  );

const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

/// A line for each count that is not within its tolerance. A count that has shrunk is no fault, but the table does not
/// keep what was won until it says so.
function differences(table, found, only) {
  const names = [...new Set([...Object.keys(table.rows), ...Object.keys(found)])].filter((row) => row.includes(only));
  return names.flatMap((row) =>
    COUNTS.flatMap((count) => {
      const [before, now] = [table.rows[row]?.[count], found[row]?.[count]];
      const words = `${row}: ${count.replace("_", " ")}:`;
      if (before === undefined) return `${words} not in the table`;
      if (now === undefined) return `${words} in the table, and not counted any more`;
      const tolerance = table.tolerances?.[row]?.[count] ?? TOLERANCE;
      const change = ((now - before) * 100) / before;
      if (Math.abs(change) <= tolerance) return [];
      const verdict = change > 0 ? "GROWN" : "shrunk: update the table, so that it stays so";
      return `${words} ${number(before)} -> ${number(now)} (${change.toFixed(1)} %), ${verdict}`;
    }),
  );
}

function writeTable(found, now, { tolerances = {} }) {
  const rounded = (value, count) => (count === "instructions" ? Math.round(value) : Math.round(value * 10) / 10);
  const line = ([name, counts]) => {
    const values = Object.fromEntries(COUNTS.map((count) => [count, rounded(counts[count], count)]));
    return `    ${JSON.stringify(name)}: ${JSON.stringify(values)}`;
  };
  const head = JSON.stringify({ ...now, tolerances }, null, 2).replace(/\n\}$/, "");
  writeFileSync(FILE, `${head},\n  "rows": {\n${Object.entries(found).map(line).join(",\n")}\n  }\n}\n`);
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { update: { type: "boolean" } } });
const only = positionals[0] ?? "";
if (values.update && only) throw new Error("the table is written whole: --update takes no ROWS");
const table = JSON.parse(readFileSync(FILE, "utf8"));
const now = { built_by: builtBy(), versions: versions() };
const found = await countAll(only);
const cells = (list) => list.map((cell) => String(cell).padStart(15)).join("");
console.log("".padEnd(36) + cells(COUNTS.map((count) => count.replace("_", " "))));
for (const [name, counts] of Object.entries(found))
  console.log(name.padEnd(36) + cells(COUNTS.map((count) => number(counts[count]))));
console.log();
if (values.update) {
  writeTable(found, now, table);
  console.log("bench/instructions.json is written. Say in the commit why it moves.");
} else {
  for (const [name, version] of Object.entries(table.versions))
    if (now.versions[name] !== version) console.log(`${name} is ${now.versions[name] ?? "missing"}, was ${version}`);
  const changed = differences(table, found, only);
  console.log([...changed, `${changed.length} of the counts are not what the table says`].join("\n"));
  if (table.built_by !== now.built_by)
    console.log(`Built by ${now.built_by}, the table's programs by ${table.built_by}: the counts cannot be compared.`);
}
