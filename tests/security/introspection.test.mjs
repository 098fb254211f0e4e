// What introspection tells, about which tokens, and to whom.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { digestOf, dump, fileOf, sql, text } from "./database.mjs";
import { encode, forge, keysOf, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, everywhere, verdict } from "./verdict.mjs";

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
  const asked = async (...args) => verdict(await ask(...args));
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

  it("the hint is advice: under any hint the token is found [I04]", async () => {
    for (const hint of [undefined, "", "access_token", "refresh_token"]) {
      assert.ok((await p.introspect(tokens.access_token, { token_type_hint: hint })).active, `access token, ${hint}`);
      assert.ok((await p.introspect(tokens.refresh_token, { token_type_hint: hint })).active, `refresh token, ${hint}`);
    }
  });

  it("a hint that is none of the three is refused, after the client has authenticated [I05]", async () => {
    for (const hint of ["id_token", "ACCESS_TOKEN", "access_token ", " access_token", "access_token\0", "x", "%"]) {
      const answer = await asked({ token: tokens.access_token, token_type_hint: hint });
      assert.equal(
        answer,
        hint.includes("\0") ? "400 invalid_request" : "400 unsupported_token_type",
        JSON.stringify(hint),
      );
      assert.equal(
        await asked({ token: tokens.access_token, token_type_hint: hint }, {}),
        "401 invalid_client",
        JSON.stringify(hint),
      );
    }
    for (const second of ["access_token", "refresh_token"]) {
      assert.equal(
        await asked([
          ["token", "x"],
          ["token_type_hint", "access_token"],
          ["token_type_hint", second],
        ]),
        "400 invalid_request",
      );
    }
  });

  it("codes are not introspected, and with their hint nothing else is [I06]", async () => {
    const { code } = await p.code(web);
    for (const token of [code, tokens.access_token, tokens.refresh_token, "x"]) {
      assert.deepEqual(await p.introspect(token, { token_type_hint: "auth_code" }), INACTIVE);
    }
    await isUnknown(code, "without the hint");
  });

  it("a public client and a caller without credentials learn nothing [I07, I08]", async () => {
    const form = { token: tokens.access_token };
    const rows = [
      ["a public client", { client: p.clients.spa }],
      ["a native one", { client: p.clients.native }],
      ["nobody", {}],
      ["a wrong secret", { basic: [other.id, "wrong wrong wrong wrong wrong wrong"] }],
      ["no secret", { client: { id: other.id } }],
      ["an unknown client", { basic: ["nobody", "x"] }],
      ["the token itself", { bearer: tokens.access_token }],
    ];
    for (const [who, options] of rows) {
      const answer = await ask(form, options);
      assert.equal(verdict(answer), "401 invalid_client", who);
      assert.ok(!answer.body.includes("active"), who);
    }
  });

  it("any confidential client may ask about any token, and hears no more than the token says [I09]", async () => {
    for (const client of [web, other, p.clients.machine, p.clients.trusted]) {
      const { json } = await ask({ token: tokens.access_token }, { client });
      assert.equal(json.active, true, client.id);
      assert.deepEqual(Object.keys(json).sort(), [
        "active",
        "client_id",
        "exp",
        "iat",
        "iss",
        "jti",
        "scope",
        "sub",
        "token_type",
        "username",
      ]);
      assert.ok(!JSON.stringify(json).includes("alice@op.example"));
    }
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

  it("a refresh token is called one, so that no API takes it for an access token [I11]", async () => {
    const given = await p.tokens(web);
    assert.equal((await p.introspect(given.access_token)).token_type, "Bearer");
    assert.equal((await p.introspect(given.refresh_token)).token_type, "refresh_token");
  });

  it("a token in the address is not read [I12]", async () => {
    const given = await p.tokens(web);
    const address = `/token/introspect?token=${given.access_token}`;
    assert.equal(verdict(await p.post(address, "", { client: other })), "400 invalid_request");
    assert.equal(verdict(await p.post(address, { token: "" }, { client: other })), "400 invalid_request");
    const both = await p.post(address, { token: "unknown" }, { client: other });
    assert.ok(verdict(both) === "400 invalid_request" || both.body === '{"active":false}', both.body);
    assert.equal((await p.ask(address)).status, 405);
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

  it(
    "with introspectionRequiresConfidentialClient false a public client may ask too, and no other caller " +
      "[I07, I08]",
    async () => {
      const p = await openProvider({ config: { introspectionRequiresConfidentialClient: false } });
      try {
        const { access_token: token } = await p.tokens(p.clients.web);
        const asked = async (options) => await p.post("/token/introspect", { token }, options);
        for (const client of [p.clients.spa, p.clients.native, p.clients.other])
          assert.equal((await asked({ client })).json.active, true, client.id);
        for (const options of [{}, { client: { id: p.clients.other.id } }, { basic: [p.clients.spa.id, "x"] }])
          assert.equal(verdict(await asked(options)), "401 invalid_client");
      } finally {
        await p.stop();
      }
    },
  );

  it("with usernameInAccessToken false the user name is not disclosed [I09]", async () => {
    const p = await openProvider({ config: { usernameInAccessToken: false } });
    try {
      const { access_token: token } = await p.tokens(p.clients.web, { scope: "openid profile email" });
      const said = await p.introspect(token);
      assert.equal(said.active, true);
      assert.ok(!JSON.stringify(said).includes("alice") && !("username" in said));
    } finally {
      await p.stop();
    }
  });
});
