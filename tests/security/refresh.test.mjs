// What a refresh token is worth, to whom and how long. Twice: signed tokens with a grace for lost answers, as shipped,
// and random values without one.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { forge, keysOf, strangeKey } from "./forge.mjs";
import { openProvider } from "./provider.mjs";
import { INACTIVE, decode, verdict } from "./verdict.mjs";

const REFUSED = "400 invalid_grant";
const LIFETIME = 1200;
const GRACE = 10;
const KINDS = [
  ["signed, with a grace", {}],
  ["opaque, without a grace", { useOpaqueRefreshTokens: true, refreshReuseGrace: 0 }],
];

for (const [kind, settings] of KINDS) {
  describe(`refresh tokens: ${kind}`, () => {
    const grace = settings.refreshReuseGrace ?? GRACE;
    let p, web, other, spa;
    before(async () => {
      p = await openProvider({ clock: true, config: { accessTokenTTL: 300, refreshTokenTTL: LIFETIME, ...settings } });
      ({ web, other, spa } = p.clients);
    });
    after(async () => {
      await p?.stop();
    });

    const afterGrace = () => p.deployment.advance(grace + 1);
    const refreshed = async (...args) => verdict(await p.refresh(...args));
    async function next(client, token) {
      const answer = await p.refresh(client, token);
      assert.equal(verdict(answer), "200", answer.body);
      return answer.json;
    }
    async function allDead(client, responses) {
      for (const { access_token: access, refresh_token: refresh } of responses) {
        assert.deepEqual(await p.introspect(access), INACTIVE);
        assert.equal(verdict(await p.userinfo(access)), "401 invalid_token");
        assert.deepEqual(await p.introspect(refresh), INACTIVE);
        assert.equal(await refreshed(client, refresh), REFUSED);
      }
    }

    it("each use yields the next token, and the used one is none any more [F01]", async () => {
      for (const client of [web, spa]) {
        const first = await p.tokens(client);
        const second = await next(client, first.refresh_token);
        assert.notEqual(second.refresh_token, first.refresh_token);
        assert.deepEqual(await p.introspect(first.refresh_token), INACTIVE);
        const third = await next(client, second.refresh_token);
        assert.ok((await p.introspect(third.refresh_token)).active);
        await afterGrace();
        assert.equal(await refreshed(client, second.refresh_token), REFUSED);
      }
    });

    it("a used token that comes back ends everything of its sign-in, and nothing else [F02]", async () => {
      for (const client of [web, spa]) {
        const bystander = await p.tokens(client);
        const first = await p.tokens(client);
        const second = await next(client, first.refresh_token);
        const third = await next(client, second.refresh_token);
        assert.equal(await refreshed(client, first.refresh_token), REFUSED);
        await allDead(client, [first, second, third]);
        assert.ok((await p.introspect(bystander.refresh_token)).active);
      }
    });

    it(
      "another client's attempt is refused and takes " + "nothing from the owner, with a spent token either [F05]",
      async () => {
        const first = await p.tokens(web);
        for (const stranger of [other, spa, p.clients.trusted])
          assert.equal(await refreshed(stranger, first.refresh_token), REFUSED);
        const second = await next(web, first.refresh_token);
        const third = await next(web, second.refresh_token);
        for (const stranger of [other, spa]) assert.equal(await refreshed(stranger, first.refresh_token), REFUSED);
        await next(web, third.refresh_token);
      },
    );

    it("a refresh token is not an access token, and nothing else is a refresh token [F08]", async () => {
      const tokens = await p.tokens(web);
      assert.equal(verdict(await p.userinfo(tokens.refresh_token)), "401 invalid_token");
      const stranger = strangeKey();
      const [own] = (await keysOf(p.deployment)).filter(({ alg }) => alg === "ES256");
      const { claims } = decode(tokens.access_token);
      const live = decode(tokens.refresh_token.includes(".") ? tokens.refresh_token : tokens.access_token).claims;
      const rows = {
        "an access token": tokens.access_token,
        "an ID token": tokens.id_token,
        "a token of the same id, signed by a stranger": forge(
          stranger,
          { alg: "ES256", typ: "rt+jwt", kid: own.kid },
          live,
        ),
        "the same with the stranger's name": forge(stranger, { alg: "ES256", typ: "rt+jwt", kid: stranger.kid }, live),
        "one without a signature": forge(own, { alg: "none", typ: "rt+jwt", kid: own.kid }, live).replace(/[^.]*$/, ""),
        "one that is well signed and was never given out": forge(
          own,
          { alg: "ES256", typ: "rt+jwt", kid: own.kid },
          { ...live, exp: live.exp + 1 },
        ),
        "an access token's claims, well signed as a refresh token": forge(
          own,
          { alg: "ES256", typ: "rt+jwt", kid: own.kid },
          claims,
        ),
        random: "x".repeat(43),
        "a dot": ".",
        "not UTF-8": "\xff",
        "half of it": tokens.refresh_token.slice(0, -1),
      };
      for (const [what, token] of Object.entries(rows)) assert.equal(await refreshed(web, token), REFUSED, what);
      await next(web, tokens.refresh_token);
    });

    describe("what ends a person's rights ends their refresh tokens [F09]", () => {
      const postern = (...args) => p.deployment.postern(args);
      const rows = {
        "the token was revoked": async (_, tokens) => {
          await p.revoke(web, tokens.refresh_token);
        },
        "the user was disabled": async ({ username }) => {
          await postern("user", "disable", username);
        },
        "the user was removed": async ({ username }) => {
          await postern("user", "remove", username);
        },
        "the password was changed": async ({ username }) => {
          await p.deployment.postern(["user", "passwd", username, "--password-stdin"], "another long password\n");
        },
        "the session was ended": async ({ username }) => {
          await postern("session", "end", "--user", username);
        },
        "consent was withdrawn": async ({ username }) => {
          await postern("consent", "revoke", "--user", username, "--client", web.id);
        },
        "the operator revoked the tokens": async ({ username }) => {
          await postern("token", "revoke", "--user", username);
        },
        "the user logged out": async (_, tokens, person) => {
          const page = await person.visit(`${p.issuer}/logout?id_token_hint=${tokens.id_token}`);
          assert.equal(page.status, 200, page.title);
        },
      };
      let count = 0;
      for (const [when, end] of Object.entries(rows)) {
        it(`${when} [F09]`, async () => {
          const user = { username: `leaver-${++count}`, password: "a password of somebody" };
          await p.deployment.addUser(user.username, user.password);
          const person = p.person();
          await p.walk(person, p.authorizationUrl(web), { user });
          const first = await p.tokens(web, {}, person);
          const tokens = await next(web, first.refresh_token);
          await end(user, tokens, person);
          await allDead(web, [tokens]);
        });
      }

      it("the client was disabled [F09]", async () => {
        const { client_secret: secret } = await postern(
          "client",
          "add",
          "leaver",
          "--redirect-uri",
          "https://leaver.example/cb",
        );
        const client = { id: "leaver", secret, redirectUri: "https://leaver.example/cb" };
        const tokens = await p.tokens(client);
        await postern("client", "disable", "leaver");
        assert.equal(await refreshed(client, tokens.refresh_token), "401 invalid_client");
        assert.deepEqual(await p.introspect(tokens.refresh_token), INACTIVE);
        assert.deepEqual(await p.introspect(tokens.access_token), INACTIVE);
      });
    });

    it(
      "an answer that was lost is replaced once, for the same client " +
        "and before its successor is used, or is reuse without a grace [F10]",
      async () => {
        const first = await p.tokens(web);
        const lost = await next(web, first.refresh_token);
        assert.equal(await refreshed(other, first.refresh_token), REFUSED, "of the same client only");
        if (grace === 0) {
          assert.equal(await refreshed(web, first.refresh_token), REFUSED);
          await allDead(web, [first, lost]);
          return;
        }
        const replaced = await next(web, first.refresh_token);
        assert.equal(replaced.scope, lost.scope);
        assert.equal(await refreshed(web, first.refresh_token), REFUSED, "a third answer");
        const used = await next(web, replaced.refresh_token);
        assert.equal(await refreshed(web, lost.refresh_token), REFUSED, "the sibling is void");
        assert.ok((await p.introspect(used.refresh_token)).active, "one line goes on");
        assert.equal(await refreshed(web, first.refresh_token), REFUSED, "a successor has been used");
        await allDead(web, [used]);

        const late = await p.tokens(web);
        const spent = await next(web, late.refresh_token);
        await p.deployment.advance(grace + 1);
        assert.equal(await refreshed(web, late.refresh_token), REFUSED, "the grace is over");
        await allDead(web, [late, spent]);
      },
    );

    it("a client that is not registered for them gets none and can use none [F11]", async () => {
      const { client_secret: secret } = await p.deployment.postern([
        "client",
        "add",
        `once-${grace}`,
        "--redirect-uri",
        "https://once.example/cb",
        "--grant",
        "authorization_code",
        "--scope",
        "openid offline_access",
      ]);
      const once = { id: `once-${grace}`, secret, redirectUri: "https://once.example/cb" };
      for (const scope of ["openid", "openid offline_access"])
        assert.equal((await p.tokens(once, { scope })).refresh_token, undefined, scope);
      const { refresh_token: token } = await p.tokens(web);
      assert.equal(await refreshed(once, token), "400 unauthorized_client");
      const machine = await p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine });
      assert.equal(machine.json.refresh_token, undefined);
      await next(web, token);
    });
  });
}

describe("refresh tokens: processes that live for one request", () => {
  let p;
  before(async () => {
    p = await openProvider({ mode: "cgi" });
  });
  after(async () => {
    await p?.stop();
  });

  it("a used token is known by every process that comes later [F03]", async () => {
    const { web } = p.clients;
    const first = await p.tokens(web);
    const second = (await p.refresh(web, first.refresh_token)).json;
    const third = (await p.refresh(web, second.refresh_token)).json;
    assert.ok((await p.introspect(third.refresh_token)).active);
    assert.equal(verdict(await p.refresh(web, first.refresh_token)), REFUSED);
    for (const { access_token: access, refresh_token: refresh } of [second, third]) {
      assert.deepEqual(await p.introspect(access), INACTIVE);
      assert.deepEqual(await p.introspect(refresh), INACTIVE);
      assert.equal(verdict(await p.userinfo(access)), "401 invalid_token");
    }
    assert.equal(verdict(await p.refresh(web, third.refresh_token)), REFUSED);
  });
});
