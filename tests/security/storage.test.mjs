// Which files the programs open, and that SQL statements are constant. Syncs and the length of the WAL: tests/faults.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../support/deployment.mjs";
import { DECLARED, withRight } from "../support/endpoints.mjs";
import { prepared } from "../support/prepared.mjs";
import { fileOf } from "./database.mjs";
import { lighttpdWithPools } from "./pools.mjs";
import { openProvider } from "./provider.mjs";

const WRITERS = withRight("writes");
const READERS = withRight("reads");
/// What a program opens after its first answer, beside jwks.json. When that was replaced, a process reads its keys
/// again. A process that hashes a password takes one of the locks, which limit how many do so at once.
const OPENED_LATER = Object.fromEntries(
  DECLARED.map(({ name, rights }) => {
    const files = { sign: ["their names", "*.pem"], seal: ["seal.key"], factor: ["factor.key"] };
    const keys = rights.flatMap((right) => files[right] ?? []);
    return [name, rights.includes("hashes") ? { keys, locks: ["lock"] } : { keys }];
  }),
);

/// How strace shows the beginning of an answer: FastCGI 1.0 §3.3, version 1 and FCGI_STDOUT. Lines of the log may go to
/// a socket, too.
const STDOUT_RECORD = ', "\\1\\6';

/// Whether strace(1) may look here: some containers forbid it.
const traceable = (() => {
  try {
    execFileSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const TRACE = "-D -q -y -e trace=openat,close,write -e signal=none".split(" ");
const skip = traceable ? false : "this machine does not allow a process to be traced";
describe("the system calls of each program", { skip }, () => {
  const pools = {};
  const logs = {};
  let p;
  prepared(async (owned) => {
    const wrapper = (program, { directory }) => {
      logs[program] = join(directory, `${program}.strace`);
      // LeakSanitizer traces its process by itself, which only one can.
      const sanitizer = [process.env.ASAN_OPTIONS, "verify_asan_link_order=0", "detect_leaks=0"]
        .filter(Boolean)
        .join(":");
      return ["strace", "-E", `ASAN_OPTIONS=${sanitizer}`, "-o", logs[program], ...TRACE];
    };
    p = owned(
      await openProvider({
        front: lighttpdWithPools(pools, {}, { wrapper }),
        tls: false,
        config: {
          refreshReuseGrace: 0,
          registration: { mode: "open" },
          paths: { par: "/par", deviceAuthorization: "/device_authorization", device: "/device", gate: "/gate" },
        },
      }),
    );
    const tool = await p.deployment.postern(["client", "add", "tool", "--grant", "device_code", "--scope", "openid"]);
    p.clients.tool = { id: "tool", secret: tool.client_secret };
  });

  /// Those since the last time, as { name, file, arguments, result }; the file is what stands behind the first
  /// descriptor.
  const read = {};
  function callsOf(program) {
    const text = readFileSync(logs[program], "latin1").replace(/[^\n]*$/, ""); // whole lines
    const fresh = text.slice(read[program] ?? 0);
    read[program] = text.length;
    return [...fresh.matchAll(/^(\w+)\((?:\d+<([^>]*)>)?(.*)\)\s+= (-?\d+)/gm)].map(
      ([, name, file = "", rest, result]) => ({ name, file, rest, result: Number(result) }),
    );
  }
  const isData = (file) => file === fileOf(p.deployment) || file === `${fileOf(p.deployment)}-wal`;

  /// Requests to each program, more than one to most.
  async function askAll(username) {
    const [password, changed] = ["four words in a row", "four other words in a row"];
    const person = p.person();
    const { link } = await p.deployment.postern(["user", "invite", username]);
    await person.submit(await person.visit(link), "save", { new: password, again: password });
    await p.walk(person, `${p.issuer}/account`, { user: { username, password } });
    for (const path of ["app", "codes", "activity", "profile", "devices", "applications"])
      await person.visit(`${p.issuer}/account/${path}`);
    const form = await person.visit(`${p.issuer}/account/password`);
    const done = await person.submit(form, "save", { present: password, new: changed, again: changed });
    assert.match(done.body, /Your password is changed/);
    const { searchParams: asked } = new URL(p.authorizationUrl(p.clients.web));
    const pushed = await p.post("/par", Object.fromEntries(asked), { client: p.clients.web });
    assert.equal(pushed.status, 201);
    const device = await p.post("/device_authorization", {}, { client: p.clients.tool });
    await p.walk(p.person(), device.json.verification_uri_complete, { user: { username, password: changed } });
    const body = JSON.stringify({ redirect_uris: ["http://127.0.0.1/cb"] });
    const headers = { "content-type": "application/json" };
    assert.equal((await p.ask("/register", { method: "POST", headers, body })).status, 201);
    const tokens = await p.tokens(p.clients.web, { prompt: "consent" }, person);
    for (const token of [tokens.access_token, "x"]) await Promise.all([p.introspect(token), p.userinfo(token)]);
    await p.revoke(p.clients.web, tokens.refresh_token);
    await person.submit(await person.visit(`${p.issuer}/logout`), "logout");
    assert.equal((await p.ask("/gate")).status, 403); // of nobody whom it believes
    for (const path of ["/jwks", "/.well-known/openid-configuration"]) assert.equal((await p.ask(path)).status, 200);
  }

  it("no request opens a file, but a lock for a hash, and key files that were replaced [G05, FKEY-2]", async () => {
    const keys = join(p.deployment.directory, "keys");
    const opened = (calls) => {
      const files = calls
        .filter(({ name, result }) => name === "openat" && result >= 0)
        .map(({ rest }) => rest.match(/"([^"]*)"/)[1]);
      const named = files.map((file) =>
        file.startsWith(keys)
          ? file.slice(keys.length + 1).replace(/^[^/]+\.pem$/, "*.pem") || "their names"
          : file.replace(/^.*\.hash\d+$/, "lock"),
      );
      return [...new Set(named)].sort();
    };
    await askAll("invited");
    for (const [program, { locks = [] }] of Object.entries(OPENED_LATER)) {
      read[program] = 0;
      const calls = callsOf(program);
      const answered = calls.findIndex(({ name, rest }) => name === "write" && rest.startsWith(STDOUT_RECORD));
      assert.ok(answered >= 0, `${program} has answered`);
      assert.deepEqual(opened(calls.slice(answered)), locks, program);
    }
    await p.deployment.postern(["key", "rotate", "--lead", "0"]);
    await askAll("guest");
    for (const [program, { locks = [], keys: own }] of Object.entries(OPENED_LATER))
      assert.deepEqual(opened(callsOf(program)), [...locks, "jwks.json", ...own].sort(), program);
  });

  it("each program opens the file once, and closes no descriptor of it but its own [S05]", () => {
    for (const program of [...WRITERS, ...READERS]) {
      read[program] = 0;
      const calls = callsOf(program);
      const opened = calls.filter(
        ({ name, rest, result }) => name === "openat" && result >= 0 && rest.includes(`"${fileOf(p.deployment)}"`),
      );
      assert.equal(opened.length, 1, program);
      assert.deepEqual(
        calls.filter(({ name, file }) => name === "close" && isData(file)),
        [],
        program,
      );
    }
  });
});

describe("SQL", () => {
  it("every SQL statement in the sources is constant text [S01]", () => {
    const sources = ["lib/store", "lib/db", "lib/db/sqlite", "lib/db/postgres"].flatMap((room) =>
      readdirSync(join(ROOT, room))
        .filter((name) => name.endsWith(".cpp"))
        .map((name) => [name, readFileSync(join(ROOT, room, name), "utf8")]),
    );
    let statements = 0;
    for (const [name, text] of sources) {
      for (const [, argument] of text.matchAll(/\.(?:prepare|query|run|lock)\(\s*([^;]{1,12})/g)) {
        // A pragma takes no parameter: replay_file.cpp writes a number of its own into one.
        assert.match(argument, /^("|R"|k[A-Z]|sql[,)]|rule\.|pragma\.)/, `${name}: ${argument}`);
        ++statements;
      }
    }
    assert.ok(statements > 80);
  });
});
