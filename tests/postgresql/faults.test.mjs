// An error, a warning, a delay or a lost connection at any flight of an operation: the database holds the state before
// the operation or the one after it, and the one after it when the answer said so. Nothing happens twice, and a client
// that was told to come again gets what it asked for. Where the answer to a COMMIT was lost, the program looks for what
// it wrote. POSTERN_LONG=1 takes each error at each flight, and each delay.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digestOf } from "../security/database.mjs";
import { prepared } from "../support/prepared.mjs";
import { ProxiedProvider, SCOPE } from "./proxied.mjs";

const LONG = process.env.POSTERN_LONG === "1";
const SITE = "https://wiki.example/";

// What a server may answer to any flight. The server itself raises the error, so that its session is as it is after a
// real one.

function message(type, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const zeros = (bytes) => Buffer.alloc(bytes);

const query = (sql) => message("Q", sql);
/// Without parameters and results.
const extended = (sql) => [message("P", "", sql, zeros(2)), message("B", "", "", zeros(6)), message("E", "", zeros(4))];
const typeOf = (bytes) => String.fromCharCode(bytes[0]);

/// The last statement of the flight fails with this SQLSTATE. What comes before it has happened, and is taken back as
/// the error takes it back.
const raising = (state) => {
  const raise = `DO $$BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${state}'; END$$`;
  return ({ messages, statements }) => {
    const last = messages.findLastIndex((bytes) => typeOf(bytes) === "E");
    // A COMMIT that fails leaves no transaction behind.
    if (last < 0) return { toServer: query(statements.includes("COMMIT") ? `ROLLBACK; ${raise}` : raise) };
    return { toServer: Buffer.concat([...messages.slice(0, last), ...extended(raise), messages.at(-1)]) };
  };
};

/// As when the server is shut down: 57P01, and the connection ends.
const terminating = () => ({ toServer: query("SELECT pg_terminate_backend(pg_backend_pid())") });

/// As when a wait for the standbys is given up.
const warning = ({ bytes }) => ({
  toClient: message("N", "SWARNING", "VWARNING", "C01000", "Minjected", zeros(1)),
  toServer: bytes,
});

const raisingAll = (...states) => states.map((state) => [state, raising(state)]);
/// After these the transaction, or the read, is run again; after the last three on another connection.
const TRANSIENT = [...raisingAll("40001", "40P01", "25006", "57P03"), ["57P01", terminating]];
const LOST = ["unsent", "unanswered"];
const UNAVAILABLE = raisingAll("53300", "55P03", "53100", "57014");

describe("a fault at any flight", () => {
  let proxied;
  let proxy;
  let p;

  prepared(async (owned) => {
    const config = { paths: { gate: "/gate" }, gate: { proxies: ["127.0.0.1", "::1"] } };
    proxied = owned(await ProxiedProvider.open({ config }));
    ({ proxy, p } = proxied);
    await p.deployment.postern(["resource", "add", SITE]);
    await p.deployment.postern(["site", "add", "wiki", "--url", SITE, "--bearer"]);
  });

  const count = (what) => proxied.count(what);
  const since = (what) => {
    const before = count(what);
    return () => count(what) - before;
  };
  const tokens = () => p.tokens(p.clients.web, { scope: SCOPE });

  const isActive = async ({ json }) => assert.equal((await p.introspect(json.access_token)).active, true);
  /// Each answers { ask, happened, check }: the request, how often it has changed the database (1 where it only reads),
  /// and what must be true of an answer that was 200.
  const operations = {
    "introspection of a token": async () => {
      const { access_token: token } = await tokens();
      const ask = () => p.post("/token/introspect", { token }, { client: p.clients.other });
      return { ask, happened: () => 1, check: ({ json }) => assert.equal(json.active, true) };
    },
    "a check of the gate": async () => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: "openid", resource: SITE });
      const asked = { method: "GET", proto: "https", host: new URL(SITE).host, uri: "/page" };
      const forwarded = Object.entries(asked).map(([name, value]) => [`x-forwarded-${name}`, value]);
      const headers = { authorization: `Bearer ${token}`, ...Object.fromEntries(forwarded) };
      const check = ({ headers: told }) => assert.equal(told["remote-user"], "alice");
      return { ask: () => p.ask("/gate", { headers }), happened: () => 1, check };
    },
    "a token for a client": async () => ({
      ask: () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine }),
      happened: since("access_tokens"),
    }),
    "redemption of a code": async () => {
      const code = await p.code(p.clients.web, { scope: SCOPE });
      const ended = since("grants WHERE ended_at IS NOT NULL");
      const check = (answer) => isActive(answer).then(() => assert.equal(ended(), 0));
      return { ask: () => p.exchange(p.clients.web, code), happened: since("refresh_tokens"), check };
    },
    "use of a refresh token": async () => {
      const { refresh_token: used } = await tokens();
      const successors = `refresh_tokens WHERE parent_hash = '${digestOf(used)}'`;
      const retried = since("refresh_tokens WHERE state = 'retried'");
      const check = async (answer) => {
        await isActive(answer);
        assert.equal(retried(), 0);
        assert.equal((await p.refresh(p.clients.web, answer.json.refresh_token)).status, 200);
      };
      return { ask: () => p.refresh(p.clients.web, used), happened: () => count(successors), check };
    },
    "revocation of a refresh token": async () => {
      const { refresh_token: token } = await tokens();
      const ended =
        `refresh_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.token_hash = '${digestOf(token)}'` +
        " AND g.ended_at IS NOT NULL";
      return { ask: () => p.revoke(p.clients.web, token), happened: () => count(ended) };
    },
  };
  /// The same, where only connections are lost.
  const others = {
    "a code for a user who is signed in": async () => ({
      ask: async () => ({ status: (await p.code(p.clients.trusted)).code ? 200 : 0 }),
      happened: since("authorization_codes"),
    }),
    "a token for another audience": async () => {
      const { refresh_token: token } = await tokens();
      const ask = () => p.refresh(p.clients.web, token, { audience: "https://api.example" });
      return { ask, happened: () => 1 };
    },
    "logout at the request of a client": async () => {
      const person = p.person();
      await p.tokens(p.clients.web, { scope: SCOPE }, person);
      const ask = () => person.visit(`${p.issuer}/logout?client_id=${p.clients.web.id}`);
      return { ask, happened: () => 1 };
    },
  };
  const DURABLE = ["redemption of a code", "use of a refresh token", "revocation of a refresh token"];

  /// One request with one fault: { status, met, commits, happened }.
  async function meet(operation, flight, fault) {
    const { ask, happened, check } = await { ...operations, ...others }[operation]();
    proxy.plan(flight, fault);
    const answer = await ask();
    const { status, headers, body } = answer;
    const { cuts: met, commits } = proxy;
    if (fault === "held") {
      assert.equal(status, 503, body);
      proxy.release();
      while (happened() === 0) await new Promise((done) => setTimeout(done, 20));
    }
    proxy.plan(Infinity);
    const times = happened();
    assert.ok(times <= 1, `${operation} at ${flight} happened ${times} times`);
    if (status === 503) {
      assert.equal(headers["retry-after"], "5");
      if (times === 0) {
        assert.equal((await ask()).status, 200);
        assert.equal(happened(), 1);
      }
    } else {
      assert.equal(status, 200, `${operation} at ${flight}: ${body}`);
      assert.equal(times, 1);
      if (check && LOST.includes(fault)) await check(answer);
    }
    return { status, met: met > 0, commits, happened: times };
  }

  /// At each flight in turn, until there is none left: how many were met, and which were answered 503 although the
  /// program could know what has happened.
  async function meetAll(operation, all) {
    const found = { met: 0, faults: [] };
    for (let flight = 1; ; ++flight) {
      for (const [name, fault] of LONG ? all : [all[flight % all.length]]) {
        const { status, met, commits } = await meet(operation, flight, fault);
        if (!met) return found;
        ++found.met;
        // Nothing marks a revocation, so one whose COMMIT is not answered may be done or not.
        const isUnknown = commits > 0 && operation.startsWith("revocation");
        if (status === 503 && !isUnknown) found.faults.push(`${name} at ${flight}`);
      }
    }
  }

  for (const operation of Object.keys(operations)) {
    it(`${operation}: an error that passes costs no client anything`, async () => {
      const { met, faults } = await meetAll(operation, TRANSIENT);
      assert.ok(met > 1);
      assert.deepEqual(faults, []);
    });
    it(`${operation}: an error that does not pass is answered 503, and nothing has happened`, async () => {
      const { met, faults } = await meetAll(operation, UNAVAILABLE);
      assert.ok(met > 1);
      assert.ok(faults.length > 1);
      assert.match(p.deployment.log, /"event":"store_failed"[^\n]*injected \(5/);
    });
  }

  for (const kind of LOST) {
    for (const operation of Object.keys({ ...operations, ...others }))
      it(`${operation}: a connection that is lost at any flight, ${kind}, costs no client anything`, async () => {
        const { met, faults } = await meetAll(operation, [[kind, kind]]);
        assert.ok(met > 1);
        assert.deepEqual(faults, []);
      });
    it(`a revocation whose COMMIT is ${kind}: whether it is done is unknown, 503`, async () => {
      assert.equal((await meet("revocation of a refresh token", "COMMIT", kind)).status, 503);
    });
  }

  it("a connection that is cut while it begins is tried once more", async () => {
    const { access_token: token } = await tokens();
    await p.introspect(token);
    proxy.drop();
    proxy.refusals = 1;
    assert.equal((await p.introspect(token)).active, true);
    assert.equal(proxy.refusals, 0);
  });

  for (const operation of DURABLE)
    it(`${operation}: a commit with a warning is not reported as done`, async () => {
      const { status, happened } = await meet(operation, "COMMIT", warning);
      assert.equal(status, 503);
      assert.equal(happened, 1);
    });

  // Each takes as long as the program waits.
  for (const operation of LONG ? DURABLE : ["use of a refresh token"]) {
    it(`${operation}: a COMMIT that arrives when the program has given up has happened once`, async () => {
      const { happened } = await meet(operation, "COMMIT", "late");
      assert.equal(happened, 1);
    });
    it(`${operation}: a COMMIT that arrives after the answer was 503 has happened once`, async () => {
      await meet(operation, "COMMIT", "held");
    });
  }

  if (LONG)
    for (const operation of Object.keys(operations))
      for (const kind of ["late", "unheard"])
        it(`${operation}: at any flight, ${kind}`, async () => {
          assert.ok((await meetAll(operation, [[kind, kind]])).met > 1);
        });
});
