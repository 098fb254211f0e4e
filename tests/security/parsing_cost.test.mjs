// What a large request costs: four times the bytes, about four times the work, whatever is in them. The work is the
// processor's time of the process itself, which other load does not change much; it is compared with POSTERN_LONG=1.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { drive, encode } from "./fastcgi.mjs";
import { lighttpdWithPools } from "./pools.mjs";
import { basicOf, openProvider } from "./provider.mjs";
import { LONG } from "./seeded.mjs";

const SMALL = 15_000;
const LARGE = 4 * SMALL;
const EACH = LONG ? 400 : 20;
const fill = (unit, bytes) => unit.repeat(Math.floor(bytes / unit.length));
const keys = (bytes) => {
  let text = "";
  for (let i = 0; text.length < bytes; ++i) text += `k${i}=1&`;
  return text;
};

/// Bodies of so many bytes.
const BODIES = {
  "distinct parameters": keys,
  "one parameter again and again": (bytes) => fill("a=1&", bytes),
  "separators alone": (bytes) => fill("&", bytes),
  "percent-encoded letters": (bytes) => `grant_type=client_credentials&scope=${fill("%41", bytes)}`,
  "percent signs": (bytes) => `x=${fill("%", bytes)}`,
  "plus signs": (bytes) => `scope=${fill("+", bytes)}`,
  "a list of scopes": (bytes) => `grant_type=client_credentials&scope=${fill("api+", bytes)}`,
  "distinct scopes": (bytes) => {
    let text = "grant_type=client_credentials&scope=";
    for (let i = 0; text.length < bytes; ++i) text += `s${i}+`;
    return text;
  },
  "a token of dots": (bytes) => `grant_type=refresh_token&refresh_token=${fill(".", bytes)}`,
  "a token of letters": (bytes) => `grant_type=refresh_token&refresh_token=${fill("A", bytes)}`,
  "bytes that are no UTF-8": (bytes) => `scope=${fill("%ff", bytes)}`,
  "one long name": (bytes) => fill("n", bytes),
};

describe("large requests", () => {
  const pools = {};
  let p;
  prepared(async (owned) => {
    p = owned(
      await openProvider({
        front: lighttpdWithPools(pools, {}),
        tls: false,
        config: { log: { target: "/dev/null" } },
      }),
    );
  });

  async function cost(text) {
    const { id, secret } = p.clients.machine;
    const bytes = encode({
      method: "POST",
      path: "/token",
      body: text,
      headers: { authorization: basicOf(id, secret) },
    });
    const spent = () => LONG && Number(readFileSync(`/proc/${pools.token.pids[0]}/schedstat`, "latin1").split(" ")[0]);
    let least = Infinity;
    for (let batch = 0; batch < (LONG ? 5 : 1); ++batch) {
      const began = spent();
      const statuses = await drive(pools.token.socket, { count: EACH, next: () => ({ bytes }) });
      least = Math.min(least, spent() - began);
      for (const status of Object.keys(statuses))
        assert.ok([200, 400].includes(Number(status)), JSON.stringify(statuses));
    }
    return least;
  }

  for (const [what, body] of Object.entries(BODIES))
    it(`are answered in time that grows as they do: ${what} [Q06, X16]`, async (t) => {
      const [small, large] = [await cost(body(SMALL)), await cost(body(LARGE))];
      if (!LONG) return;
      t.diagnostic(
        `four times as much costs ${(large / small).toFixed(1)} times the work, ${(large / EACH / 1e6).toFixed(2)} ms`,
      );
      assert.ok(large < 8 * small, `${small} ns, then ${large}`);
    });
});
