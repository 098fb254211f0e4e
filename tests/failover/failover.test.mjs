// What is acknowledged is kept and what is used stays used, whatever happens to the servers: Patroni moves the primary
// among three, and four clients rotate refresh tokens all the while. How long they wait for the next answer is
// reported, and depends on the manager's times. `make test-failover` runs this; docs/ENDURANCE.md has figures.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { Workers } from "../security/workers.mjs";
import { prepared } from "../support/prepared.mjs";
import { Cluster, until } from "./cluster.mjs";
import { Load } from "./load.mjs";

const PROCESSES = 4; // of each program
const CLIENTS = 4;
const BEFORE = 100; // acknowledged rotations, before and after the fault
const AFTER = 100;
const REQUESTS_OF_TWO_LEADERS = 20;

describe("a cluster of three servers", () => {
  let cluster;
  let p;

  prepared(async (owned) => {
    cluster = owned(await Cluster.start());
    p = owned(
      await openProvider({
        front: new Workers(PROCESSES).front,
        tls: false,
        // A client that got no answer asks once more with the same token; 60 s is the longest time for that.
        config: { database: await cluster.addDatabase(), refreshReuseGrace: 60 },
      }),
    );
  });

  /// What came of the acknowledgements before, during and after a fault: fault(places, load) brings it about.
  async function during(fault) {
    const places = await cluster.repair();
    const load = new Load(p, CLIENTS);
    try {
      await load.more(BEFORE);
      await fault(places, load);
      await load.more(AFTER);
    } catch (error) {
      throw new Error(`${error.message}\n${cluster.log}`);
    } finally {
      await load.stop();
    }
    const { leader } = await cluster.repair();
    await until("the installation serves", async () => (await p.tokens(p.clients.web)).access_token);
    return load.verdict((text) => leader.sql(text, "postern"));
  }

  function report(t, found) {
    t.diagnostic(
      `${found.acknowledged} rotations and ${found.revocations} revocations acknowledged, ${found.lost} lost; ` +
        `${found.ended} sign-ins ended by answers that did not arrive, ${found.refusedTooSoon} tokens refused by a ` +
        `primary that did not know them; longest silence ${found.silence.toFixed(1)} s`,
    );
    t.diagnostic(`answers that were no success: ${JSON.stringify(found.failures)}`);
  }

  async function nothingIsLost(t, fault) {
    const found = await during(fault);
    report(t, found);
    assert.equal(found.lost, 0);
    assert.deepEqual(found.wrong, []);
    assert.equal(found.twice, 0);
    assert.ok(found.acknowledged >= BEFORE + AFTER);
  }

  const faults = {
    "the primary and its manager are killed": ({ leader }) => leader.crash(),
    "the primary is killed, its manager is not": ({ leader }) => assert.ok(leader.signalServer("SIGKILL") > 0),
    "the machine of the primary stands still, until another one leads": async ({ leader }, load) => {
      leader.manager.signal("SIGSTOP");
      assert.ok(leader.signalServer("SIGSTOP") > 0);
      await load.more(AFTER);
      leader.signalServer("SIGCONT"); // it believes for a moment that it leads
      leader.manager.signal("SIGCONT");
    },
    "the manager of the primary stands still, so that two servers take writes": async ({ leader }, load) => {
      leader.manager.signal("SIGSTOP");
      await cluster.untilAnotherLeads(leader);
      await load.ask(REQUESTS_OF_TWO_LEADERS);
      leader.manager.signal("SIGCONT");
    },
    "the operator switches over": () => cluster.switchOver(),
    "the synchronous standby is killed with its manager": ({ synchronous }) => synchronous.crash(),
    "both standbys are killed, and come back": async ({ synchronous, other }) => {
      await Promise.all([synchronous.crash(), other.crash()]);
      await cluster.repair();
    },
    "the store of the managers is killed, and comes back when no server leads": async ({ leader }) => {
      await cluster.store.end("SIGKILL");
      await until("the leader has stepped down", () => leader.sql("SELECT pg_is_in_recovery()") === "t");
      await cluster.repair();
    },
    "all servers are killed with their managers, and start again": async () => {
      await Promise.all(cluster.members.map((member) => member.crash()));
      await cluster.repair();
    },
  };

  for (const [name, fault] of Object.entries(faults))
    it(`${name}: what was acknowledged is kept`, (t) => nothingIsLost(t, fault));

  it("loses acknowledged rotations when commits do not wait for a standby, so the tests above can fail", async (t) => {
    const { leader } = await cluster.repair();
    leader.sql(
      "ALTER DATABASE postern SET synchronous_commit = local;" +
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postern'",
    );
    const found = await during(async (places, load) => {
      const standbys = [places.synchronous, places.other];
      // Without the managers, which would make the primary wait for a standby, or start the standbys.
      for (const { manager } of [places.leader, ...standbys]) manager.signal("SIGSTOP");
      for (const standby of standbys) assert.ok(standby.signalServer("SIGKILL") > 0);
      await load.more(BEFORE);
      await places.leader.crash();
      for (const { manager } of standbys) manager.signal("SIGCONT");
    });
    report(t, found);
    assert.ok(found.lost > 0);
    assert.ok(found.ended > 0);
  });
});
