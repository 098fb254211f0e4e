// Rows that somebody else has locked, as an operator's psql does: a request waits for them for a while, and is then
// answered 503, with nothing done.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { PostgreSQL, programs } from "./server.mjs";

describe("rows that another session has locked", () => {
  let server;
  let p;

  prepared(async (owned) => {
    server = owned(await PostgreSQL.start({ lock_timeout: "0" })); // as a role has it that was made without the script
    p = owned(await openProvider({ config: { database: server.uri } }));
  });

  /// Answers a function that lets them go.
  async function lock(rows) {
    const session = spawn(join(programs(), "psql"), ["-X", "-q", "-A", "-t", "-d", server.uri]);
    const ended = new Promise((resolve) => session.once("exit", resolve));
    session.stdin.write(`BEGIN;\nSELECT 'locked' FROM ${rows} FOR UPDATE;\n`);
    for await (const said of session.stdout) if (/locked/.test(said)) break;
    return async () => {
      session.stdin.end("ROLLBACK;\n");
      await ended;
    };
  }

  it("a refresh is answered 503 with Retry-After, and succeeds with the same token afterwards", async () => {
    const { refresh_token: token } = await p.tokens(p.clients.web, { scope: "openid offline_access" });
    const release = await lock("grants");
    try {
      const { status, headers, json } = await p.refresh(p.clients.web, token);
      assert.equal(status, 503);
      assert.equal(headers["retry-after"], "5");
      assert.equal(json.error, "temporarily_unavailable");
    } finally {
      await release();
    }
    assert.equal((await p.refresh(p.clients.web, token)).status, 200);
    const logged = /"event":"store_failed"[^\n]*canceling statement due to lock timeout \(55P03\)/;
    while (!logged.test(p.deployment.log)) await new Promise((resolve) => setTimeout(resolve, 20));
    // None waits on for an answer that nobody takes.
    assert.equal(server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"), "0");
  });
});
