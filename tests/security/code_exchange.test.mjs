// What a code is worth at the token endpoint, to whom, how often and how long.
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { challengeOf, openProvider } from "./provider.mjs";
import { INACTIVE, decode, verdict } from "./verdict.mjs";

const REFUSED = "400 invalid_grant";

describe("code exchange", () => {
  let p, web, other;
  before(async () => {
    p = await openProvider({ clock: true });
    ({ web, other } = p.clients);
  });
  after(async () => {
    await p?.stop();
  });

  const exchanged = async (...args) => verdict(await p.exchange(...args));
  async function isAlive({ access_token: access, refresh_token: refresh }) {
    return (
      verdict(await p.userinfo(access)) === "200" &&
      (await p.introspect(access)).active &&
      (await p.introspect(refresh)).active
    );
  }
  async function isDead({ access_token: access, refresh_token: refresh }) {
    assert.equal(verdict(await p.userinfo(access)), "401 invalid_token");
    assert.deepEqual(await p.introspect(access), INACTIVE);
    assert.deepEqual(await p.introspect(refresh), INACTIVE);
    assert.equal(verdict(await p.refresh(web, refresh)), REFUSED);
  }
  const newClient = async (id, ...options) => {
    const { client_secret: secret } = await p.deployment.postern([
      "client",
      "add",
      id,
      "--redirect-uri",
      `https://${id}.example/cb`,
      ...options,
    ]);
    return { id, secret, redirectUri: `https://${id}.example/cb` };
  };
  let users = 0;
  async function newUser() {
    const user = { username: `guest-${++users}`, password: "a password of this guest" };
    return { ...user, ...(await p.deployment.addUser(user.username, user.password)) };
  }
  async function codeOf(client, user, parameters = {}) {
    const person = p.person();
    await p.walk(person, p.authorizationUrl(client, parameters), { user });
    return p.code(client, parameters, person);
  }

  describe("a second use by the client itself revokes what the first gave [T02]", () => {
    for (const [when, seconds] of [
      ["at once", 0],
      ["35 seconds later", 35],
      ["when the code has expired", 61],
    ]) {
      it(`${when} [T02]`, async () => {
        const bystander = await p.tokens(web);
        const code = await p.code(web);
        const first = await p.exchange(web, code);
        assert.equal(verdict(first), "200");
        assert.ok(await isAlive(first.json));
        await p.deployment.advance(seconds);
        assert.equal(await exchanged(web, code), REFUSED);
        await isDead(first.json);
        assert.ok(await isAlive(bystander), "another sign-in of the same person lives on");
      });
    }
  });

  it("a second use without the right secret, client, verifier or redirect_uri revokes nothing [T03]", async () => {
    const code = await p.code(web);
    const { json } = await p.exchange(web, code);
    const rows = [
      [
        "wrong secret",
        "401 invalid_client",
        web,
        {},
        { basic: [web.id, "not the secret of this client, though long"] },
      ],
      ["no secret", "401 invalid_client", { id: web.id }, {}, {}],
      ["another client", REFUSED, other, {}, {}],
      ["a public client", REFUSED, p.clients.spa, {}, {}],
      ["wrong verifier", REFUSED, web, { code_verifier: "w".repeat(43) }, {}],
      ["no verifier", REFUSED, web, { code_verifier: undefined }, {}],
      ["another redirect_uri", REFUSED, web, { redirect_uri: other.redirectUri }, {}],
      ["no redirect_uri", REFUSED, web, { redirect_uri: undefined }, {}],
    ];
    for (const [who, expected, client, extra, options] of rows) {
      assert.equal(await exchanged(client, code, extra, options), expected, who);
      assert.ok(await isAlive(json), who);
    }
    assert.equal(await exchanged(web, code), REFUSED);
    await isDead(json);
  });

  it("a code works for its client alone, and another's attempt leaves it as it was [T05]", async () => {
    const code = await p.code(web);
    for (const stranger of [other, p.clients.trusted, p.clients.spa])
      assert.equal(await exchanged(stranger, code), REFUSED);
    assert.equal(await exchanged(web, code), "200");
  });

  it("redirect_uri comes again as it was sent, or is left out as it was [T06]", async () => {
    const two = await newClient("two", "--redirect-uri", "https://two.example/second");
    const rows = [
      // client, sent to authorize, sent to the token endpoint, answer
      [two, two.redirectUri, two.redirectUri, "200"],
      [two, two.redirectUri, undefined, REFUSED],
      [two, two.redirectUri, "", REFUSED],
      [two, two.redirectUri, "https://two.example/second", REFUSED],
      [two, two.redirectUri, `${two.redirectUri}/`, REFUSED],
      [two, two.redirectUri, `${two.redirectUri}?`, REFUSED],
      [two, two.redirectUri, "https://TWO.example/cb", REFUSED],
      [two, two.redirectUri, "https://two.example:443/cb", REFUSED],
      [web, undefined, undefined, "200"],
      [web, undefined, web.redirectUri, "200"],
      [web, undefined, `${web.redirectUri}/`, REFUSED],
      [web, undefined, other.redirectUri, REFUSED],
    ];
    for (const [client, asked, sent, expected] of rows) {
      const code = await p.code(client, { redirect_uri: asked });
      assert.equal(await exchanged(client, code, { redirect_uri: sent }), expected, `${asked} then ${sent}`);
    }
  });

  it(
    "where a challenge was sent, nothing but its verifier " + "will do; a wrong one burns the code [T07, T09, T14]",
    async () => {
      const rows = [
        ["none", () => undefined],
        ["empty", () => ""],
        ["wrong", () => "w".repeat(43)],
        ["one character more", (verifier) => `${verifier}a`],
        ["one less", (verifier) => verifier.slice(1)],
        ["the challenge itself", challengeOf],
        ["42 characters", () => "v".repeat(42)],
        ["129 characters", () => "v".repeat(129)],
        ["a character that is none", (verifier) => `!${verifier.slice(1)}`],
        ["a blank behind", (verifier) => `${verifier} `],
      ];
      for (const client of [web, p.clients.spa]) {
        for (const [what, change] of rows) {
          const code = await p.code(client);
          const extra = { code_verifier: change(code.verifier) };
          assert.equal(await exchanged(client, code, extra), REFUSED, what);
          assert.equal(await exchanged(client, code), REFUSED, `${what}: the code is burnt`);
        }
      }
    },
  );

  it("the method is the one of the authorization request, whatever the token request says [T09]", async () => {
    for (const name of ["code_challenge_method", "code_challenge"]) {
      const code = await p.code(web);
      const extra =
        name === "code_challenge"
          ? { code_challenge: challengeOf("w".repeat(43)), code_verifier: "w".repeat(43) }
          : { code_challenge_method: "plain", code_verifier: challengeOf(code.verifier) };
      assert.equal(await exchanged(web, code, extra), REFUSED, name);
    }
    assert.equal(await exchanged(web, await p.code(web), { code_challenge_method: "plain" }), "200");
  });

  it("a verifier for a code without a challenge is a downgrade [T08]", async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    assert.equal(await exchanged(web, await p.code(web, without)), REFUSED);
    assert.equal(await exchanged(web, await p.code(web, without), { code_verifier: undefined }), "200");
  });

  it("a code is good for nothing else, and nothing else is a code [T10]", async () => {
    const tokens = await p.tokens(web);
    const code = await p.code(web);
    assert.equal(verdict(await p.userinfo(code.code)), "401 invalid_token");
    assert.equal(verdict(await p.refresh(web, code.code)), REFUSED);
    assert.deepEqual(await p.introspect(code.code), INACTIVE);
    for (const kind of ["access_token", "refresh_token", "id_token"]) {
      assert.equal(await exchanged(web, { ...code, code: tokens[kind] }), REFUSED, kind);
    }
    assert.equal(await exchanged(web, code), "200", "and the code was not touched by that");
  });

  it("a code is invalid from the second its lifetime ends, without leeway [T11]", async () => {
    // A second may pass while something is asked: then the row says nothing and is asked again.
    const second = () => Math.floor(Date.now() / 1000);
    async function afterSeconds(seconds, attempts = 20) {
      const from = second();
      const code = await p.code(web);
      await p.deployment.advance(seconds);
      const answer = await exchanged(web, code);
      if (second() === from) return answer;
      assert.ok(attempts > 0, "this machine needs more than a second for an exchange");
      return afterSeconds(seconds, attempts - 1);
    }
    for (const [seconds, expected] of [
      [0, "200"],
      [59, "200"],
      [60, REFUSED],
      [61, REFUSED],
      [600, REFUSED],
    ]) {
      assert.equal(await afterSeconds(seconds), expected, `${seconds} seconds`);
    }
  });

  it("a grant type must be supported by the server and registered for the client [T12]", async () => {
    const { username, password } = p.user;
    const code = await p.code(web);
    const rows = [
      ["password", web, { username, password }, "400 unsupported_grant_type"],
      ["Authorization_Code", web, {}, "400 unsupported_grant_type"],
      ["AUTHORIZATION_CODE", web, {}, "400 unsupported_grant_type"],
      ["authorization_code ", web, {}, "400 unsupported_grant_type"],
      ["authorization_code\0", web, {}, "400 invalid_request"],
      ["urn:ietf:params:oauth:grant-type:jwt-bearer", web, { assertion: "a.b.c" }, "400 unsupported_grant_type"],
      ["urn:x", web, {}, "400 unsupported_grant_type"],
      ["implicit", web, {}, "400 unsupported_grant_type"],
      ["", web, {}, "400 invalid_request"],
      [undefined, web, {}, "400 invalid_request"],
      ["client_credentials", p.clients.trusted, {}, "400 unauthorized_client"],
      ["client_credentials", p.clients.spa, {}, "400 unauthorized_client"],
      ["authorization_code", p.clients.machine, {}, "400 unauthorized_client"],
      ["refresh_token", p.clients.machine, { refresh_token: "x" }, "400 unauthorized_client"],
    ];
    for (const [type, client, more, expected] of rows) {
      const answer = await p.exchange(client, code, { grant_type: type, ...more });
      assert.ok(!answer.json.access_token);
      assert.equal(verdict(answer), expected, `${type} of ${client.id}`);
    }
    assert.equal(await exchanged(web, code), "200");
  });

  it("a login that max_age calls too old is not worth a token [T13]", async () => {
    const stale = await codeOf(web, p.user, { max_age: "2" });
    await p.deployment.advance(3);
    assert.equal(await exchanged(web, stale), REFUSED);
    assert.equal(await exchanged(web, await codeOf(web, p.user, { max_age: "30" })), "200");
  });

  it("failed authentication does not spend the code, a wrong redirect_uri does [T14]", async () => {
    const code = await p.code(web);
    assert.equal(
      await exchanged(web, code, {}, { basic: [web.id, "not the secret of this client, though long"] }),
      "401 invalid_client",
    );
    assert.equal(await exchanged(web, code), "200");
    const burnt = await p.code(web);
    assert.equal(await exchanged(web, burnt, { redirect_uri: other.redirectUri }), REFUSED);
    assert.equal(await exchanged(web, burnt), REFUSED);
  });

  it("the ID token names user, audience and request, and holds nothing of an access token [T15]", async () => {
    const nonce = 'n-0S6_WzA2Mj "\\ü';
    const tokens = await p.tokens(web, { scope: "openid email", nonce, max_age: "300" });
    const { header, claims } = decode(tokens.id_token);
    assert.equal(header.typ, "JWT");
    assert.equal(header.alg, "RS256");
    const {
      json: { keys },
    } = await p.ask("/jwks");
    const key = createPublicKey({ key: keys.find(({ kid }) => kid === header.kid), format: "jwk" });
    const [head, payload, signature] = tokens.id_token.split(".");
    assert.ok(verify("sha256", `${head}.${payload}`, key, Buffer.from(signature, "base64url")));
    const { iat, exp, auth_time: authTime, sid, acr, amr, ...rest } = claims;
    const atHash = createHash("sha256").update(tokens.access_token).digest().subarray(0, 16).toString("base64url");
    assert.deepEqual(rest, { iss: p.issuer, sub: p.user.sub, aud: web.id, nonce, at_hash: atHash });
    assert.ok(Number.isInteger(iat) && exp === iat + 3600 && Number.isInteger(authTime) && authTime <= iat);
    assert.ok(sid && acr && amr);
    assert.equal(decode(tokens.access_token).header.typ, "at+jwt");
  });

  it("there is an ID token for the word openid, and for no other word [T16]", async () => {
    const odd = await newClient("odd", "--scope", "openid openidx OPENID xopenid open");
    for (const [scope, expected] of [
      ["openid", true],
      ["openidx openid", true],
      ["openidx", false],
      ["OPENID", false],
      ["xopenid open", false],
    ]) {
      const tokens = await p.tokens(odd, { scope });
      assert.equal("id_token" in tokens, expected, scope);
      assert.equal(verdict(await p.userinfo(tokens.access_token)), expected ? "200" : "403 insufficient_scope", scope);
    }
  });

  it("the audience is one, of this request, and no party that takes our ID tokens [T17]", async () => {
    const api = "https://api.example/v1";
    const rows = [
      // parameters of the body, query, answer, aud of the token
      [[["audience", other.id]], "", "400 invalid_target"],
      [[["aud", web.id]], "", "400 invalid_target"],
      [[["aud", p.clients.spa.id]], "", "400 invalid_target"],
      [
        [
          ["aud", "a"],
          ["audience", "b"],
        ],
        "",
        "400 invalid_target",
      ],
      [[["aud", "b"]], "?aud=a", "400 invalid_target"],
      [
        [
          ["aud", "a"],
          ["aud", "a"],
        ],
        "",
        "400 invalid_request",
      ],
      [[], "?aud=a&aud=a", "400 invalid_request"],
      [[["aud", "a".repeat(4096)]], "", "400 invalid_request"],
      [[["aud", p.issuer]], "", "400 invalid_target"],
      [[["aud", `${p.issuer}/userinfo`]], "", "400 invalid_target"],
      [[["aud", ""]], "", "200", undefined],
      [[["aud", api]], "", "200", api],
      [[["audience", api]], "", "200", api],
      [[], `?aud=${encodeURIComponent(api)}`, "200", api],
      [
        [
          ["aud", api],
          ["audience", api],
        ],
        "",
        "200",
        api,
      ],
      [[], "", "200", undefined],
    ];
    for (const [pairs, query, expected, audience] of rows) {
      const what = JSON.stringify([pairs, query]).slice(0, 80);
      const { code, verifier, redirect_uri: redirectUri } = await p.code(web, { aud: "https://asked-at.authorize" });
      const usual = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
      const answer = await p.post(`/token${query}`, [...Object.entries(usual), ...pairs], { client: web });
      assert.equal(verdict(answer), expected, what);
      if (answer.status === 200) assert.equal(decode(answer.json.access_token).claims.aud, audience, what);
      else
        assert.equal(
          verdict(await p.post("/token", usual, { client: web })),
          "200",
          `${what}: the code was not touched`,
        );
    }
  });

  it("a scope in the exchange changes nothing [T18]", async () => {
    for (const scope of ["api", "openid email api", "admin", "openid"]) {
      const { json } = await p.exchange(web, await p.code(web, { scope: "openid profile" }), { scope });
      assert.equal(json.scope, "openid profile", scope);
      assert.equal((await p.introspect(json.access_token)).scope, "openid profile", scope);
    }
  });

  it("a user or client that was disabled or removed in between gets nothing [T19]", async () => {
    const { postern } = p.deployment;
    const command = (...args) => postern.call(p.deployment, args);
    const rows = [
      ["user", "disable", REFUSED],
      ["user", "remove", REFUSED],
      ["client", "disable", "401 invalid_client"],
      ["client", "remove", "401 invalid_client"],
    ];
    for (const [sort, action, expected] of rows) {
      const client = await newClient(`brief-${sort}-${action}`);
      const user = await newUser();
      const code = await codeOf(client, user);
      await command(sort, action, sort === "user" ? user.username : client.id);
      assert.equal(await exchanged(client, code), expected, `${sort} ${action}`);
    }
  });

  it("a client on its own behalf gets an access token of its own and no user's data [T20]", async () => {
    const ask = (client, extra = {}) => p.post("/token", { grant_type: "client_credentials", ...extra }, { client });
    // The worst an operator can do: a client whose id is a user's subject.
    const { sub } = await newUser();
    const impostor = await p.deployment.postern([
      "client",
      "add",
      sub,
      "--grant",
      "client_credentials",
      "--scope",
      "api openid",
    ]);
    for (const client of [p.clients.machine, web, { id: sub, secret: impostor.client_secret }]) {
      const { json } = await ask(client, { scope: "api" });
      assert.deepEqual(Object.keys(json).sort(), ["access_token", "expires_in", "scope", "token_type"], client.id);
      assert.equal(decode(json.access_token).claims.sub, client.id);
      assert.equal(verdict(await p.userinfo(json.access_token)), "403 insufficient_scope", client.id);
      for (const scope of ["openid", "api openid", "openid profile", "offline_access"]) {
        assert.equal(verdict(await ask(client, { scope })), "400 invalid_scope", `${client.id}: ${scope}`);
      }
    }
  });

  it("the answer must not be cached, and describes the token as the token does [T21]", async () => {
    const answers = [
      await p.exchange(web, await p.code(web)),
      await p.post("/token", { grant_type: "client_credentials" }, { client: p.clients.machine }),
    ];
    answers.push(await p.refresh(web, answers[0].json.refresh_token));
    for (const { status, headers, json } of answers) {
      assert.equal(status, 200);
      assert.equal(headers["cache-control"], "no-store");
      assert.match(headers["content-type"], /^application\/json/);
      assert.equal(json.token_type, "Bearer");
      const { claims } = decode(json.access_token);
      assert.ok(Number.isInteger(json.expires_in));
      assert.equal(json.expires_in, claims.exp - claims.iat);
    }
    for (const extra of [{ code: "wrong" }, { grant_type: "wrong" }]) {
      const refusal = await p.exchange(web, await p.code(web), extra);
      assert.equal(refusal.headers["cache-control"], "no-store");
    }
  });
});
