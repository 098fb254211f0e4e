// What introspection says of forged, stored and ended tokens, in every process; the rest of its rules is in
// tests/rfc/rfc7662_test.cpp.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { digestOf, dump, fileOf, sql, text } from "./database.mjs";
import { encode, forge, keysOf, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { decode, everywhere } from "./verdict.mjs";

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

  it("the signature is judged before any claim is believed [I01]", async () => {
    const [header, payload, signature] = tokens.access_token.split(".");
    const { claims } = decode(tokens.access_token);
    const greedy = encode({ ...claims, scope: "openid email api", sub: "somebody-else" });
    const stranger = strangeKey();
    const rows = {
      "more scope, the old signature": [header, greedy, signature],
      "more scope, no signature": [header, greedy, ""],
      "more scope, random bytes": [header, greedy, randomBytes(64).toString("base64url")],
      "more scope, a stranger's signature": forge(stranger, Buffer.from(header, "base64url").toString(), {
        ...claims,
        scope: "api",
      }).split("."),
      "the old claims, a stranger's signature": forge(
        stranger,
        Buffer.from(header, "base64url").toString(),
        claims,
      ).split("."),
      "the old claims, one bit of the signature": [
        header,
        payload,
        (signature[0] === "A" ? "B" : "A") + signature.slice(1),
      ],
    };
    for (const [what, segments] of Object.entries(rows)) await isUnknown(segments.join("."), what);
    assert.ok((await p.introspect(tokens.access_token)).active);
  });

  it("what is stored wins over what a well signed token claims [I02]", async () => {
    const given = await p.tokens(web, { scope: "openid" });
    const { header, claims } = decode(given.access_token);
    const key = (await keysOf(p.deployment)).find(({ kid }) => kid === header.kid);
    // Signed with our own key, and put in the place of the token that was given out.
    const rich = forge(key, header, {
      ...claims,
      scope: "openid api",
      cid: other.id,
      client_id: other.id,
      active: false,
      token_type: "evil",
      username: "bob",
    });
    await sql(
      p.deployment,
      `UPDATE access_tokens SET token_hash = ${text(digestOf(rich))} ` +
        `WHERE token_hash = ${text(digestOf(given.access_token))}`,
    );
    const said = await p.introspect(rich);
    assert.deepEqual(
      { active: said.active, scope: said.scope, client_id: said.client_id, token_type: said.token_type },
      { active: true, scope: "openid", client_id: web.id, token_type: "Bearer" },
    );
    assert.equal(said.username, "bob", "the rest is the signed token's");
    await isUnknown(given.access_token, "the token that has no row any more");
  });

  it("about everything that is not an active token it says the same one member [I03]", async () => {
    const { code } = await p.code(web);
    const spent = await p.tokens(web);
    await p.refresh(web, spent.refresh_token);
    const revoked = await p.tokens(web);
    await p.revoke(web, revoked.refresh_token);
    const rows = {
      "a code": code,
      "an ID token": tokens.id_token,
      "a used refresh token": spent.refresh_token,
      "a revoked refresh token": revoked.refresh_token,
      "a revoked access token": revoked.access_token,
      "a dot": ".",
      "two dots": "..",
      letters: "a.b.c",
      random: randomBytes(32).toString("base64url"),
      "a long one": "x".repeat(60_000),
      quotes: "' OR 1=1 --",
      "a NUL": `${tokens.access_token}\0`,
      "not UTF-8": "\ud800",
      "a blank": " ",
      "a percent sign": "%",
      "an unsigned one": `${encode({ alg: "none", typ: "at+jwt" })}.${tokens.access_token.split(".")[1]}.`,
    };
    for (const [what, token] of Object.entries(rows)) await isUnknown(token, what);
    assert.equal((await ask({ token: "x".repeat(100_000) })).status, 413, "more than a body may have");
  });

  describe("the next request already knows what has ended, in every process [I10]", () => {
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
          "PRAGMA foreign_keys = ON; DELETE FROM grants WHERE id " +
            `= ${text(decode(given.access_token).claims.jti.split(".")[0])}`,
        );
      },
      "user disabled": async (_, user) => {
        await p.deployment.postern(["user", "disable", user.username]);
      },
      "user removed": async (_, user) => {
        await p.deployment.postern(["user", "remove", user.username]);
      },
      expired: async () => {
        await p.deployment.advance(700);
        await p.deployment.advance(800);
      },
    };
    let users = 0;
    for (const [what, end] of Object.entries(rows)) {
      it(`${what} [I10]`, async () => {
        const user = { username: `guest-${++users}`, password: "a password of this guest" };
        await p.deployment.addUser(user.username, user.password);
        const person = p.person();
        await p.walk(person, p.authorizationUrl(web), { user });
        const given = await p.tokens(web, {}, person);
        const both = [given.access_token, given.refresh_token];
        for (const token of both) await everywhere(async () => assert.ok((await p.introspect(token)).active));
        await end(given, user);
        for (const token of both) await everywhere(() => isUnknown(token, what));
      });
    }
  });

  it(`${GUESSES} guesses find nothing and leave the database as it was [I13]`, async () => {
    const before = await dump(p.deployment);
    const bytes = () => [fileOf(p.deployment), `${fileOf(p.deployment)}-wal`].map((file) => readFileSync(file).length);
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

describe("introspection with other settings", () => {
  it("what is stored of a token, signed or random, is its digest [I14]", async () => {
    for (const useOpaqueRefreshTokens of [true, false]) {
      const p = await openProvider({ config: { useOpaqueRefreshTokens } });
      try {
        const code = await p.code(p.clients.web);
        const { json } = await p.exchange(p.clients.web, code);
        const unused = await p.code(p.clients.web);
        assert.equal((await p.introspect(json.refresh_token)).token_type, "refresh_token");
        assert.equal(/\./.test(json.refresh_token), !useOpaqueRefreshTokens);
        const stored = await dump(p.deployment);
        const files = [fileOf(p.deployment), `${fileOf(p.deployment)}-wal`]
          .map((file) => readFileSync(file, "latin1"))
          .join("");
        for (const value of [json.access_token, json.refresh_token, code.code, unused.code]) {
          assert.ok(stored.includes(digestOf(value)));
          for (const place of [stored, files]) {
            assert.ok(!place.includes(value));
            assert.ok(!place.includes(Buffer.from(value).toString("hex")) && !place.includes(value.split(".").at(-1)));
          }
        }
      } finally {
        await p.stop();
      }
    }
  });
});
