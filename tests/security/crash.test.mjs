// Processes end at any moment, by kill -9 or politely, while people sign in and clients exchange, refresh, revoke and
// introspect. What was answered stays true, nothing is accepted twice, nothing is half there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { prepared } from "../support/prepared.mjs";
import { MixedLoad } from "./mixed_load.mjs";
import { lighttpdWithPools } from "./pools.mjs";
import { openProvider } from "./provider.mjs";
import { LONG, seeded } from "./seeded.mjs";
import { faultsOf } from "./soundness.mjs";

const COUNTS = { authorize: 2, login: 2, scopes: 2, token: 3, introspect: 2, revoke: 2 };
const VICTIMS = ["token", "token", "token", "revoke", "revoke", "authorize", "login", "scopes", "introspect"];
const ACTORS = 8;
const KINDS = ["logins", "exchanges", "refreshes", "revocations", "introspections", "doubled"];
const ENDINGS = [
  { number: 9, name: "killed", times: Number(process.env.POSTERN_KILLS ?? (LONG ? 3000 : 40)) },
  { number: 15, name: "told to stop", times: LONG ? 1000 : 20 },
];

for (const { number, name, times } of ENDINGS)
  describe(`${times} processes are ${name} under load [S07, Q04]`, () => {
    const pools = {};
    const chance = seeded();
    let p;
    let load;

    prepared(async (owned) => {
      p = owned(
        await openProvider({ front: lighttpdWithPools(pools, COUNTS), tls: false, config: { refreshReuseGrace: 0 } }),
      );
    });

    it(
      "nothing is accepted twice, and what was answered is true [S07, Q04, S14]",
      { timeout: 1_800_000 },
      async (t) => {
        t.diagnostic(`seed ${chance.seed}`);
        load = new MixedLoad(p, chance, ACTORS);
        const ended = {};
        // A short run goes on until each kind of request was among those answered: on a busy machine that takes more
        // endings.
        const isMixed = () =>
          KINDS.every((kind) => load.seen[kind] > 0) &&
          load.dead.length > 0 &&
          load.alive.length > 0 &&
          (name !== "killed" || load.seen.lost > 0);
        try {
          for (let count = 0; count < times || (count < 20 * times && !isMixed()); ++count) {
            await pause(5 + chance.below(50));
            const victim = chance.pick(VICTIMS);
            const { started } = pools[victim];
            pools[victim].signal(chance.below(COUNTS[victim]), number);
            await pools[victim].until(() => pools[victim].started > started);
            ended[victim] = (ended[victim] ?? 0) + 1;
          }
        } finally {
          await load.stop();
        }
        t.diagnostic(JSON.stringify({ ended, ...load.seen }));
        assert.deepEqual(load.wrong, []);
        for (const kind of KINDS) assert.ok(load.seen[kind] > 0, kind);
        // Whoever is told to stop answers first, and the socket is kept by whoever started it: nobody notices.
        if (name === "killed") assert.ok(load.seen.lost > 0, "no kill has met a request");
        else assert.equal(load.seen.lost, 0);
      },
    );

    it("tokens whose revocation was answered are invalid, all others valid [S07, Q04, S15, V07]", async () => {
      for (const token of load.dead) assert.equal(await load.isActive(token), false);
      for (const token of load.alive) assert.equal(await load.isActive(token), true);
      assert.ok(load.dead.length > 0 && load.alive.length > 0);
    });

    it("the file is sound and holds no half of anything [S07, Q04]", async () => {
      assert.deepEqual(await faultsOf(p.deployment), []);
    });

    it("afterwards everything works as before [S07, Q04]", async () => {
      const tokens = await p.tokens(p.clients.web, {}, p.person());
      assert.equal((await p.userinfo(tokens.access_token)).status, 200);
      assert.equal((await p.refresh(p.clients.web, tokens.refresh_token)).status, 200);
      assert.equal((await p.revoke(p.clients.web, tokens.refresh_token)).status, 200);
      assert.equal((await p.introspect(tokens.access_token)).active, false);
    });
  });
