// Behind PgBouncer, which gives each transaction whichever connection to the server is free: two for all processes
// here, so that each meets what others have left in theirs. In session mode it keeps a connection for each process.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { Pooler } from "./pooler.mjs";
import { PostgreSQL } from "./server.mjs";

const SCOPE = "openid profile offline_access";
const PEOPLE = 6;
const ROUNDS = 5;

for (const [mode, size] of [
  ["transaction", 2],
  ["session", 50],
])
  describe(`behind a pooler in ${mode} mode`, () => {
    let server;
    let pooler;
    let p;

    prepared(async (owned) => {
      server = owned(await PostgreSQL.start());
      pooler = owned(await Pooler.start(server, { mode, size }));
      p = owned(await openProvider({ config: { database: pooler.uri } }));
    });

    /// A sign-in, its tokens and their end; each step is answered for this person.
    async function visit() {
      const { web, machine } = p.clients;
      const person = p.person();
      let tokens = await p.tokens(web, { scope: SCOPE }, person);
      for (let round = 0; round < ROUNDS; ++round) {
        assert.equal((await p.introspect(tokens.access_token)).client_id, web.id);
        assert.equal((await p.userinfo(tokens.access_token)).json.sub, p.user.sub);
        const own = await p.post("/token", { grant_type: "client_credentials" }, { client: machine });
        assert.equal(own.status, 200, own.body);
        assert.equal((await p.introspect(own.json.access_token)).client_id, machine.id);
        const next = await p.refresh(web, tokens.refresh_token);
        assert.equal(next.status, 200, next.body);
        tokens = next.json;
      }
      assert.equal((await p.revoke(web, tokens.refresh_token)).status, 200);
      assert.deepEqual(await p.introspect(tokens.access_token), { active: false });
    }

    it("everybody gets what is theirs, also at the same time", async () => {
      await Promise.all(Array.from({ length: PEOPLE }, visit));
      assert.doesNotMatch(p.deployment.log, /"event":"(failed|store_failed)"/);
    });

    it("leaves nothing in a connection that another process would find", async () => {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: SCOPE });
      assert.equal((await p.introspect(token)).active, true);
      assert.equal((await p.revoke(p.clients.web, token)).status, 200); // after a process that only reads
    });

    it("a commit whose answer is lost with the server's session has happened once", async () => {
      const code = await p.code(p.clients.web, { scope: SCOPE });
      const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
      const setStandby = (name) => {
        server.sql(`SET synchronous_commit = local; ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
        server.sql("SELECT pg_reload_conf()");
      };
      setStandby("gone");
      while (server.sql("SHOW synchronous_standby_names") !== "gone") await sleep(20);
      const answer = p.exchange(p.clients.web, code);
      let waiting = "";
      while (!(waiting = server.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1")))
        await sleep(20);
      server.sql("SET synchronous_commit = local; ALTER SYSTEM SET synchronous_standby_names = ''");
      process.kill(Number(waiting), "SIGKILL"); // the server begins again, with what is in its WAL
      process.kill(server.pid, "SIGHUP");
      // 503 where the pooler, or the server, takes longer than a program waits.
      const { status, json } = await answer;
      assert.ok(status === 200 || status === 503, `${status}`);
      while (
        (await p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine })).status !== 200
      )
        await sleep(200);
      assert.equal(server.sql("SELECT count(*) FROM authorization_codes WHERE burned_at IS NOT NULL"), "0");
      assert.doesNotMatch(p.deployment.log, /"event":"code_replayed"/);
      if (status === 200) assert.equal((await p.introspect(json.access_token)).active, true);
    });

    it("the command works", async () => {
      const listed = await p.deployment.postern(["client", "list"]);
      assert.equal(listed.length, Object.keys(p.clients).length);
      await p.deployment.postern(["client", "disable", "machine"]);
      await p.deployment.postern(["client", "enable", "machine"]);
    });
  });
