// A primary that was replaced, and does not know it: it answers what was true before, and its durable commits wait for
// a standby that has left. Processes that are still connected to it promise nothing.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openProvider } from "../security/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { PostgreSQL } from "./server.mjs";

describe("a primary that was replaced", () => {
  let former;
  let next;
  let p;

  let visitor; // whose logout page makes that program connect

  prepared(async (owned) => {
    former = owned(await PostgreSQL.start());
    next = owned(await PostgreSQL.startStandby(former));
    p = owned(
      await openProvider({
        config: { database: former.uriBy(`${next.directory},${former.directory}`) }, // the one to be tried first
      }),
    );
    visitor = p.person();
    await p.tokens(p.clients.web, {}, visitor);
    await visitor.visit(`${p.deployment.issuer}/logout`);
    next.sql("SELECT pg_promote()");
    // The processes for revocation and logout stay where they are; the others find the new primary.
    former.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'postern-%'" +
        " AND application_name NOT IN ('postern-revoke', 'postern-logout')",
    );
  });

  const newToken = async () => {
    const answer = await p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
    assert.equal(answer.status, 200, answer.body);
    return answer.json.access_token;
  };

  it("does not let a client believe that a token is revoked which it does not know", async () => {
    const token = await newToken();
    const { status, headers } = await p.revoke(p.clients.machine, token);
    assert.equal(status, 503);
    assert.equal(headers["retry-after"], "5");
    // The process has left it since.
    assert.equal((await p.revoke(p.clients.machine, token)).status, 200);
    assert.equal(next.sql("SELECT count(*) FROM access_tokens WHERE revoked_at IS NOT NULL"), "1");
  });

  it("does not let a user believe that a session has ended which it does not know", async () => {
    const person = p.person();
    const { access_token: token, id_token: hint } = await p.tokens(p.clients.web, { scope: "openid" }, person);
    const logout = `${p.deployment.issuer}/logout?id_token_hint=${hint}`;
    assert.equal((await person.visit(logout)).status, 503);
    assert.equal((await p.introspect(token)).active, true);
    // The process has left it since.
    assert.equal((await person.visit(logout)).status, 200);
    assert.equal((await p.introspect(token)).active, false);
  });

  it("is left when it ends", async () => {
    await former.halt();
    assert.equal((await p.introspect(await newToken())).active, true);
    assert.equal((await p.revoke(p.clients.web, "unknown")).status, 200);
  });
});
