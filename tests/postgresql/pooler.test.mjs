// Behind PgBouncer, which gives each transaction whichever connection to the server is free: two for all processes
// here, so that each meets what others have left in theirs. In session mode it keeps a connection for each process.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
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

    before(async () => {
      server = await PostgreSQL.start();
      pooler = await Pooler.start(server, { mode, size });
      p = await openProvider({ config: { database: pooler.uri } });
    });
    after(async () => {
      await p?.stop();
      await pooler?.stop();
      await server?.stop();
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

    it("the command works", async () => {
      const listed = await p.deployment.postern(["client", "list"]);
      assert.equal(listed.length, Object.keys(p.clients).length);
      await p.deployment.postern(["client", "disable", "machine"]);
      await p.deployment.postern(["client", "enable", "machine"]);
    });
  });
