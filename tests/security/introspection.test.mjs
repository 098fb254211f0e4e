// Introspection and UserInfo in processes that have answered before, and introspection under many guesses at once;
// their rules are in tests/rfc/ and tests/unit/oauth/introspection_test.cpp.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { CASCADE, digestOf, dump, fileOf, sql, text } from "./database.mjs";
import { onPostgreSQL } from "../support/deployment.mjs";
import { openProvider } from "./provider.mjs";
import { decode, everywhere, verdict } from "./verdict.mjs";

const LONG = process.env.POSTERN_LONG === "1";
const GUESSES = LONG ? 100_000 : 2_000;

describe("introspection", () => {
  let p, web, other, tokens;
  before(async () => {
    p = await openProvider({ tls: false, clock: true, config: { accessTokenTTL: 600, refreshTokenTTL: 1500 } });
    ({ web, other } = p.clients);
    tokens = await p.tokens(web, { scope: "openid email" });
  });
  after(async () => {
    await p?.stop();
  });

  const ask = (parameters, options = { client: other }) => p.post("/token/introspect", parameters, options);
  const isUnknown = async (token, what) => {
    const answer = await ask({ token });
    assert.equal(answer.status, 200, what);
    assert.equal(answer.body, '{"active":false}', what);
  };

  describe("processes that have answered for a token know at once that it has ended", () => {
    const hash = ({ access_token: token }) => text(digestOf(token));
    const refreshHash = ({ refresh_token: token }) => text(digestOf(token));
    const rows = {
      revoked: async (given) => {
        await p.revoke(web, given.refresh_token);
      },
      "both rows deleted": async (given) => {
        await sql(
          p.deployment,
          `DELETE FROM access_tokens WHERE token_hash = ${hash(given)}; ` +
            `DELETE FROM refresh_tokens WHERE token_hash = ${refreshHash(given)}`,
        );
      },
      "both rows' expiry zero": async (given) => {
        await sql(
          p.deployment,
          `UPDATE access_tokens SET expires_at = 0 WHERE token_hash = ${hash(given)};
          UPDATE refresh_tokens SET expires_at = 0 WHERE token_hash = ${refreshHash(given)}`,
        );
      },
      "the grant gone": async (given) => {
        await sql(
          p.deployment,
          `${CASCADE}DELETE FROM grants WHERE id = ${text(decode(given.access_token).claims.jti.split(".")[0])}`,
        );
      },
      "user disabled": async (_, user) => {
        await p.deployment.postern(["user", "disable", user.username]);
      },
      "user removed": async (_, user) => {
        await p.deployment.postern(["user", "remove", user.username]);
      },
      "consent withdrawn": async (_, user) => {
        await p.deployment.postern(["consent", "revoke", "--user", user.username]);
      },
      expired: async () => {
        await p.deployment.advance(700);
        await p.deployment.advance(800);
      },
    };
    let users = 0;
    for (const [what, end] of Object.entries(rows)) {
      it(`running processes call a token inactive and refuse it at once: ${what} [I10, U07]`, async () => {
        const user = { username: `guest-${++users}`, password: "a password of this guest" };
        await p.deployment.addUser(user.username, user.password);
        const person = p.person();
        await p.walk(person, p.authorizationUrl(web), { user });
        const given = await p.tokens(web, {}, person);
        const both = [given.access_token, given.refresh_token];
        for (const token of both) await everywhere(async () => assert.ok((await p.introspect(token)).active));
        const claims = async () => verdict(await p.userinfo(given.access_token));
        await everywhere(async () => assert.equal(await claims(), "200"));
        await end(given, user);
        for (const token of both) await everywhere(() => isUnknown(token, what));
        await everywhere(async () => assert.equal(await claims(), "401 invalid_token"));
      });
    }
  });

  it(`${GUESSES} guesses find nothing and leave the database as it was [I13]`, async () => {
    const before = await dump(p.deployment);
    const files = onPostgreSQL ? [] : [fileOf(p.deployment), `${fileOf(p.deployment)}-wal`];
    const bytes = () => files.map((file) => readFileSync(file).length);
    const size = bytes();
    const guess = {
      0: () => randomBytes(32).toString("base64url"),
      1: () => `${tokens.access_token.slice(0, -43)}${randomBytes(32).toString("base64url")}`,
    };
    for (let done = 0; done < GUESSES; done += 32) {
      const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => ask({ token: guess[i % 2]() })));
      for (const { body } of answers) assert.equal(body, '{"active":false}');
    }
    assert.equal(await dump(p.deployment), before);
    assert.deepEqual(bytes(), size);
  });
});
