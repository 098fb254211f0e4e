// An error, a warning or a delay at any flight of an operation: the database holds the state before the operation or
// the one after it, and the one after it when the answer said so. Nothing happens twice, and a client that was told to
// come again gets what it asked for. POSTERN_LONG=1 takes each error at each flight, and each delay.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { digestOf } from "../security/database.mjs";
import { prepared } from "../support/prepared.mjs";
import { raising, terminating, warning } from "./faults.mjs";
import { ProxiedProvider, SCOPE } from "./proxied.mjs";

const LONG = process.env.POSTERN_LONG === "1";

const raisingAll = (...states) => states.map((state) => [state, raising(state)]);
/// After these the transaction, or the read, is run again; after the last three on another connection.
const TRANSIENT = [...raisingAll("40001", "40P01", "25006", "57P03"), ["57P01", terminating]];
const UNAVAILABLE = raisingAll("53300", "55P03", "53100", "57014");

describe("a fault at any flight", () => {
  let proxied;
  let proxy;
  let p;

  prepared(async (owned) => {
    proxied = owned(await ProxiedProvider.open());
    ({ proxy, p } = proxied);
  });

  const count = (what) => proxied.count(what);
  const since = (what) => {
    const before = count(what);
    return () => count(what) - before;
  };
  const tokens = () => p.tokens(p.clients.web, { scope: SCOPE });

  /// Each answers { ask, happened }: the request, and how often it has changed the database (1 where it only reads).
  const operations = {
    "introspection of a token": async () => {
      const { access_token: token } = await tokens();
      const ask = () => p.post("/token/introspect", { token }, { client: p.clients.other });
      return { ask, happened: () => 1 };
    },
    "a token for a client": async () => ({
      ask: () => p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine }),
      happened: since("access_tokens"),
    }),
    "redemption of a code": async () => {
      const code = await p.code(p.clients.web, { scope: SCOPE });
      return { ask: () => p.exchange(p.clients.web, code), happened: since("refresh_tokens") };
    },
    "use of a refresh token": async () => {
      const { refresh_token: used } = await tokens();
      const successors = `refresh_tokens WHERE parent_hash = '${digestOf(used)}'`;
      return { ask: () => p.refresh(p.clients.web, used), happened: () => count(successors) };
    },
    "revocation of a refresh token": async () => {
      const { refresh_token: token } = await tokens();
      const ended =
        `refresh_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.token_hash = '${digestOf(token)}'` +
        " AND g.ended_at IS NOT NULL";
      return { ask: () => p.revoke(p.clients.web, token), happened: () => count(ended) };
    },
  };
  const DURABLE = ["redemption of a code", "use of a refresh token", "revocation of a refresh token"];

  /// One request with one fault: { status, met, commits, happened }.
  async function meet(operation, flight, fault) {
    const { ask, happened } = await operations[operation]();
    proxy.plan(flight, fault);
    const { status, headers, body } = await ask();
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
