// UserInfo in processes that have answered for a token before it ended; its rules are in tests/rfc/rfc6750_test.cpp and
// tests/rfc/oidc_core_test.cpp.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { digestOf, sql, text } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { everywhere, verdict } from "./verdict.mjs";

const NO_TOKEN = "401 invalid_token";

describe("UserInfo", () => {
  let p, web;
  before(async () => {
    p = await openProvider({ clock: true, config: { accessTokenTTL: 600 } });
    ({ web } = p.clients);
  });
  after(async () => {
    await p?.stop();
  });

  let users = 0;
  /// A new user with tokens.
  async function somebody() {
    const user = { username: `somebody-${++users}`, password: "some password of somebody else" };
    await p.deployment.addUser(user.username, user.password);
    const person = p.person();
    await p.walk(person, p.authorizationUrl(web), { user });
    const given = await p.tokens(web, {}, person);
    return { ...user, given, ask: () => p.userinfo(given.access_token) };
  }

  describe("processes that have answered with claims know at once that the token has ended", () => {
    const hash = (given) => text(digestOf(given.access_token));
    const rows = {
      revoked: async ({ given }) => {
        await p.revoke(web, given.access_token);
      },
      "its refresh token revoked": async ({ given }) => {
        await p.revoke(web, given.refresh_token);
      },
      "its row deleted": async ({ given }) => {
        await sql(p.deployment, `DELETE FROM access_tokens WHERE token_hash = ${hash(given)}`);
      },
      "its row's expiry set to zero": async ({ given }) => {
        await sql(p.deployment, `UPDATE access_tokens SET expires_at = 0 WHERE token_hash = ${hash(given)}`);
      },
      "consent withdrawn": async ({ username }) => {
        await p.deployment.postern(["consent", "revoke", "--user", username]);
      },
      "user disabled": async ({ username }) => {
        await p.deployment.postern(["user", "disable", username]);
      },
      "user removed": async ({ username }) => {
        await p.deployment.postern(["user", "remove", username]);
      },
      expired: async () => {
        await p.deployment.advance(600);
      },
    };
    for (const [what, end] of Object.entries(rows)) {
      it(`running processes refuse a token at once: ${what} [U07]`, async () => {
        const user = await somebody();
        // Each process has seen it while it was good.
        await everywhere(async () => assert.equal(verdict(await user.ask()), "200"));
        await end(user);
        await everywhere(async () => assert.equal(verdict(await user.ask()), NO_TOKEN));
      });
    }
  });
});
