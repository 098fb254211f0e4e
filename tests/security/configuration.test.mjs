// What a program does with its configuration, its environment and its files: all of it as meant, or nothing at all.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../support/deployment.mjs";
import { identity } from "../support/web_server.mjs";
import { sql, tables } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { Deployment } from "../support/deployment.mjs";
import { SingleProcess } from "./single_process.mjs";

const run = promisify(execFile);
const SWITCHES = [
  "authenticateIntrospect",
  "authenticateRevoke",
  "introspectionRequiresConfidentialClient",
  "implicit",
  "useOpaqueRefreshTokens",
  "usernameInAccessToken",
];
const CREDENTIALS = { grant_type: "client_credentials" };

/// A file that the programs' user owns.
function place(file, content) {
  writeFileSync(file, content);
  if (process.getuid() === 0) chownSync(file, identity.uid, identity.gid);
}

const linesOf = (deployment, pattern) => deployment.log.match(new RegExp(pattern, "g"))?.length ?? 0;
/// Waits until the log has more lines of a kind than `before`: what programs write to standard error arrives a little
/// after their answer.
async function logged(deployment, pattern, before, what) {
  for (const end = Date.now() + 60_000; linesOf(deployment, pattern) <= before && Date.now() < end; )
    await new Promise((done) => setTimeout(done, 10));
  assert.ok(linesOf(deployment, pattern) > before, `${what}: ${pattern} in ${deployment.log.slice(-1000)}`);
}

describe("configuration of the programs, one process a request", () => {
  let p;
  let file;
  let good;
  before(async () => {
    p = await openProvider({ mode: "cgi" });
    file = join(p.deployment.directory, "postern.json");
    good = readFileSync(file, "utf8");
  });
  after(async () => {
    await p?.stop();
  });

  const changed = (members) => JSON.stringify({ ...JSON.parse(good), ...members });
  const raw = (name, text) => good.replace(/\}\s*$/, `,"${name}":${text}}`);
  /// With that in the file nobody is served, whatever he asks; with what was there, everybody is again.
  async function refuses(text, what, named = /postern\.json/) {
    place(file, text);
    const before = linesOf(p.deployment, named);
    try {
      for (const [path, options] of [
        ["/jwks", {}],
        [
          "/token",
          {
            method: "POST",
            body: "grant_type=client_credentials",
            headers: { "content-type": "application/x-www-form-urlencoded", "content-length": 29 },
          },
        ],
      ]) {
        const { status, body } = await p.ask(path, options);
        assert.deepEqual([status, body], [500, "Internal Server Error\n"], what);
      }
      await logged(p.deployment, named, before, what);
    } finally {
      place(file, good);
    }
  }

  it("anything but the configuration that is meant is refused, and named in the log [G03]", async () => {
    const rows = {
      "an unknown key": [changed({ acessTokenTTL: 300 }), /acessTokenTTL/],
      "a number with a unit": [raw("accessTokenTTL", '"300x"'), /accessTokenTTL/],
      "the same without quotes": [raw("accessTokenTTL", "300x")],
      "a number beyond all": [raw("accessTokenTTL", "99999999999999999999"), /postern\.json/],
      "a number beyond its range": [raw("accessTokenTTL", "9999999999"), /accessTokenTTL/],
      "a fraction": [raw("accessTokenTTL", "1.5"), /accessTokenTTL/],
      "a negative number": [raw("sessionTTL", "-1"), /sessionTTL/],
      "an exponent without end": [raw("sessionTTL", "1e999999")],
      "a key twice": [raw("issuer", '"https://evil.example"'), /issuer/],
      "a key twice, spelled otherwise": [raw("\\u0069ssuer", '"https://evil.example"')],
      "a byte order mark": [`\ufeff${good}`],
      "a NUL at the end": [`${good}\0`],
      "a NUL inside": [good.replace("{", "{\0")],
      "another object behind it": [`${good}{}`],
      "a word behind it": [`${good} true`],
      cut: [good.slice(0, -1)],
      "no object": ["[]"],
      "a quoted object": [JSON.stringify(good)],
      "UTF-16": [Buffer.from(good, "utf16le")],
      "bytes that are no UTF-8": [
        Buffer.concat([
          Buffer.from(good.replace(/\}\s*$/, ',"metadata":{"x":"')),
          Buffer.from([0xff]),
          Buffer.from('"}}'),
        ]),
      ],
      "300 KB": [good + " ".repeat(300_000)],
      "nested without end": [raw("metadata", `${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
      "an issuer of plain http": [changed({ issuer: "http://op.example" }), /issuer/],
      "an algorithm that is none": [changed({ accessTokenAlgorithm: "none" }), /accessTokenAlgorithm/],
      "an algorithm of secrets": [changed({ idTokenAlgorithm: "HS256" }), /idTokenAlgorithm/],
    };
    for (const [what, [text, named]] of Object.entries(rows)) await refuses(text, what, named);
    // Line ends of another system are white space, and comments are allowed: no reason to refuse.
    place(file, JSON.stringify(JSON.parse(good), null, 2).replaceAll("\n", "\r\n"));
    assert.equal((await p.ask("/jwks")).status, 200);
    place(file, good);
  });

  it("a switch of security is true or false, and nothing that looks like it [G03]", async () => {
    for (const name of SWITCHES) {
      for (const value of ['"false"', '"true"', "0", "1", "null", "[]", "{}", '""', '"no"'])
        await refuses(raw(name, value), `${name}: ${value}`, new RegExp(name));
    }
  });

  it("with an empty configuration, or none, no request is served [G04]", async () => {
    for (const [what, text] of Object.entries({
      nothing: "",
      "an empty object": "{}",
      blanks: "  \n",
      "a comment": "// later\n",
    }))
      await refuses(text, what);
    renameSync(file, `${file}.away`);
    try {
      assert.equal((await p.ask("/jwks")).status, 500);
    } finally {
      renameSync(`${file}.away`, file);
    }
    assert.equal((await p.post("/token", CREDENTIALS, { client: p.clients.web })).status, 200);
  });

  it("pages come from small regular files of the directory of templates, or not at all [G09]", async () => {
    const own = join(p.deployment.directory, "templates");
    cpSync(join(ROOT, "templates"), own, { recursive: true });
    const page = join(own, "login.html");
    const text = readFileSync(page, "utf8");
    const outside = join(p.deployment.directory, "outside.html");
    place(outside, text);
    place(file, changed({ templates: own }));
    try {
      const sees = async () => await p.person().visit(p.authorizationUrl(p.clients.web));
      assert.equal((await sees()).status, 200);
      const rows = {
        "a link": () => symlinkSync(outside, page),
        "a link that leads nowhere": () => symlinkSync("/nowhere", page),
        "a pipe": () => run("mkfifo", [page]),
        "a directory": () => mkdirSync(page),
        "a gigabyte": () => {
          writeFileSync(page, text);
          truncateSync(page, 2 ** 30);
        },
        "257 KiB": () => writeFileSync(page, text.padEnd(257 * 1024)),
        "a device": () => symlinkSync("/dev/zero", page),
        nothing: () => {},
        "bytes that are no text": () => writeFileSync(page, Buffer.concat([Buffer.from(text), Buffer.from([0xff])])),
        "a value unescaped": () => writeFileSync(page, `${text}{{{csrf}}}`),
      };
      for (const [what, make] of Object.entries(rows)) {
        rmSync(page, { recursive: true, force: true });
        await make();
        const before = linesOf(p.deployment, /login\.html/);
        assert.equal((await sees()).status, 500, what);
        await logged(p.deployment, /login\.html/, before, what);
      }
      rmSync(page, { recursive: true });
      writeFileSync(page, text);
      assert.equal((await sees()).status, 200);
    } finally {
      place(file, good);
    }
  });

  it("what OpenSSL takes from its environment changes nothing and writes nothing [G07]", async () => {
    const { directory } = p.deployment;
    // With this no algorithm can be fetched any more, as OpenSSL's own program shows.
    const config = join(directory, "evil.cnf");
    place(config, "openssl_conf = top\n[top]\nalg_section = evil\n[evil]\ndefault_properties = fips=yes\n");
    await assert.rejects(
      run("openssl", ["dgst", "-sha256", config], { env: { ...process.env, OPENSSL_CONF: config } }),
    );
    const keys = join(directory, "db", "keys.log");
    const env = {
      OPENSSL_CONF: config,
      OPENSSL_MODULES: directory,
      OPENSSL_ENGINES: directory,
      SSLKEYLOGFILE: keys,
      SSL_CERT_FILE: config,
      RANDFILE: keys,
      SQLITE_TMPDIR: "/nowhere",
    };
    const worker = await SingleProcess.start(p.deployment, "token", { env });
    try {
      const authorization = `Basic ${Buffer.from(`web:${p.clients.web.secret}`).toString("base64")}`;
      const { status, json } = await worker.post("/token", CREDENTIALS, authorization);
      assert.equal(status, 200);
      assert.equal((await p.introspect(json.access_token)).active, true);
    } finally {
      await worker.stop();
    }
    assert.equal(existsSync(keys), false);
  });

  it("without random bytes there is no token, no code and no form, and with them again there is [G06]", async () => {
    const { directory } = p.deployment;
    const source = join(directory, "no_random.c");
    const library = join(directory, "no_random.so");
    const dry = join(directory, "dry"); // while it is there, no bytes come
    writeFileSync(
      source,
      `#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n` +
        "int getentropy(void* out, size_t count) {\n  int (*real)(void*, " +
        `size_t) = (int (*)(void*, size_t))dlsym(RTLD_NEXT, "getentropy");\n` +
        `  return access("${dry}", F_OK) == 0 ? -1 : real(out, count);\n}\n`,
    );
    await run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]);
    if (process.getuid() === 0) chownSync(library, identity.uid, identity.gid);
    const env = { LD_PRELOAD: library };
    const authorization = `Basic ${Buffer.from(`web:${p.clients.web.secret}`).toString("base64")}`;
    const requests = {
      token: { method: "POST", path: "/token", body: "grant_type=client_credentials", headers: { authorization } },
      authorize: { path: "/authorize", query: new URL(p.authorizationUrl(p.clients.web)).search.slice(1) },
      jwks: { path: "/jwks" },
    };
    for (const [name, request] of Object.entries(requests)) {
      const worker = await SingleProcess.start(p.deployment, name, { env });
      try {
        assert.ok((await worker.ask(request)).status < 400, name);
        writeFileSync(dry, "");
        const [tokens] = await sql(p.deployment, "SELECT count(*) AS n FROM access_tokens");
        for (let count = 0; count < 3; ++count) {
          const { status, body, headers } = await worker.ask(request);
          assert.equal(status, 500, name);
          assert.doesNotMatch(`${body}${JSON.stringify(headers)}`, /access_token|resume=|set-cookie|"keys"/);
        }
        assert.deepEqual(await sql(p.deployment, "SELECT count(*) AS n FROM access_tokens"), [tokens]);
        rmSync(dry);
        assert.ok((await worker.ask(request)).status < 400, `${name} afterwards`);
      } finally {
        rmSync(dry, { force: true });
        await worker.stop();
      }
    }
  });

  it("a process that sees secrets leaves no core file, and no debugger attaches to it [G05]", async () => {
    const cwd = join(p.deployment.directory, "cores");
    mkdirSync(cwd, { mode: 0o777 });
    if (process.getuid() === 0) chownSync(cwd, identity.uid, identity.gid);
    for (const name of ["token", "authorize", "login", "scopes", "logout", "introspect", "revoke", "userinfo"]) {
      const worker = await SingleProcess.start(p.deployment, name, { cwd });
      await worker.ask({ path: `/${name}` });
      assert.match(readFileSync(`/proc/${worker.pid}/limits`, "utf8"), /^Max core file size +0 +0 /m);
      // The kernel gives the files of a process that may not be dumped to root, whoever runs it; whoever runs it is
      // then no longer its master.
      assert.equal(statSync(`/proc/${worker.pid}/mem`).uid, 0, name);
      assert.match(readFileSync(`/proc/${worker.pid}/status`, "utf8"), new RegExp(`^Uid:\\s+${identity.uid}\\s`, "m"));
      process.kill(worker.pid, "SIGSEGV");
      assert.notEqual(await worker.stop(), 0);
      assert.deepEqual(readdirSync(cwd), []);
    }
  });
});

describe("a fresh installation", () => {
  it("has no client, no user, no password and no key that another one has [G04]", async () => {
    const deployments = [await Deployment.start({ own: true }), await Deployment.start({ own: true })];
    try {
      const kids = [];
      for (const deployment of deployments) {
        assert.deepEqual(await deployment.postern(["client", "list"]), []);
        assert.deepEqual(await deployment.postern(["user", "list"]), []);
        // On PostgreSQL the keys are shared: sealed, with what no other installation has.
        const isOfKeys = (name) => name.startsWith("key_");
        const all = await tables(deployment);
        if (all.some(isOfKeys))
          kids.push(...(await sql(deployment, "SELECT sealed FROM key_files")).map((row) => row.sealed));
        for (const name of all.filter((name) => !isOfKeys(name))) {
          assert.deepEqual(await sql(deployment, `SELECT count(*) AS rows FROM ${name}`), [{ rows: 0 }], name);
        }
        kids.push(...(await deployment.postern(["key", "list"])).map(({ kid }) => kid));
        kids.push(readFileSync(join(deployment.directory, "keys/seal.key")).toString("hex"));
      }
      assert.ok(kids.length >= 6);
      assert.equal(new Set(kids).size, kids.length);
    } finally {
      for (const deployment of deployments) await deployment.stop();
    }
  });
});
