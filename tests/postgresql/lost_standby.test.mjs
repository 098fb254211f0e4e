// A primary whose standby is gone: a durable commit waits for it, and what was written meanwhile can be seen although a
// failover may take it back. So it is not reported as done either when it is asked for once more.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { PostgreSQL } from "./server.mjs";

describe("a primary without its standby", () => {
  let server;
  let p;

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start());
    p = owned(await openProvider({ config: { database: server.uri } }));
  });

  async function waitFor(standby) {
    server.sql(`SET synchronous_commit = local; ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    server.sql("SELECT pg_reload_conf()");
    while (server.sql("SHOW synchronous_standby_names") !== standby) await new Promise((done) => setTimeout(done, 20));
  }

  it("does not report a revocation as done that no standby has, however often it is asked for", async () => {
    const { refresh_token: token } = await p.tokens(p.clients.web, { scope: "openid offline_access" });
    await waitFor("gone");
    assert.equal((await p.revoke(p.clients.web, token)).status, 503);
    // The session that waits ends, and with it the lock of the grant.
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    while (server.sql("SELECT count(*) FROM grants WHERE ended_at IS NOT NULL") === "0")
      await new Promise((done) => setTimeout(done, 20));
    assert.equal((await p.revoke(p.clients.web, token)).status, 503);
    await waitFor("");
    assert.equal((await p.revoke(p.clients.web, token)).status, 200);
    assert.equal((await p.refresh(p.clients.web, token)).status, 400);
  });
});
