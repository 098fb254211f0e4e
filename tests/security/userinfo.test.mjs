// Whose claims UserInfo sends once a token, its user or their claims have changed, in every process; how the token has
// to come is in tests/rfc/rfc6750_test.cpp.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { digestOf, sql, text } from "./database.mjs";
import { openProvider } from "./provider.mjs";
import { decode, everywhere, verdict } from "./verdict.mjs";

const NO_TOKEN = "401 invalid_token";
const FORM = "application/x-www-form-urlencoded";

describe("UserInfo", () => {
  let p, web, tokens;
  before(async () => {
    p = await openProvider({ clock: true, config: { accessTokenTTL: 600 } });
    ({ web } = p.clients);
    tokens = await p.tokens(web, { scope: "openid profile email" });
  });
  after(async () => {
    await p?.stop();
  });

  const token = () => tokens.access_token;
  function posted(body, { type = FORM, method = "POST", ...headers } = {}) {
    return p.ask("/userinfo", {
      method,
      body,
      headers: { "content-type": type, "content-length": Buffer.byteLength(body), ...headers },
    });
  }
  let users = 0;
  /// Somebody of their own, with their token and more claims than any scope permits, as they stand in the database.
  async function somebody({ scope = "openid", claims, subject } = {}) {
    const user = { username: `somebody-${++users}`, password: "a password of somebody" };
    const { sub } = await p.deployment.addUser(user.username, user.password);
    if (claims !== undefined)
      await sql(p.deployment, `UPDATE users SET claims = ${text(claims)} WHERE subject = ${text(sub)}`);
    if (subject) await sql(p.deployment, `UPDATE users SET subject = ${text(subject)} WHERE subject = ${text(sub)}`);
    const person = p.person();
    await p.walk(person, p.authorizationUrl(web, { scope }), { user });
    const given = await p.tokens(web, { scope }, person);
    return { ...user, sub: subject ?? sub, given, ask: () => p.userinfo(given.access_token) };
  }

  it("a token in a body counts in a posted form only [U03]", async () => {
    const good = `access_token=${token()}`;
    const multipart = `--b\r\nContent-Disposition: form-data; name="access_token"\r\n\r\n${token()}\r\n--b--\r\n`;
    assert.equal((await posted(good, { method: "GET" })).status, 400, "lighttpd refuses a GET with a body itself");
    const rows = [
      ["JSON", JSON.stringify({ access_token: token() }), { type: "application/json" }],
      ["a form called JSON", good, { type: "application/json" }],
      ["multipart", multipart, { type: "multipart/form-data; boundary=b" }],
      ["plain text", good, { type: "text/plain" }],
    ];
    for (const [what, body, options] of rows) {
      const answer = await posted(body, options);
      assert.equal(verdict(answer), NO_TOKEN, what);
      assert.ok(!answer.body.includes(p.user.sub), what);
    }
  });

  it("sub is the token's and there once, whatever the claims of the user say [U05]", async () => {
    const rows = [
      '{"sub":"mallory","name":"M"}',
      '{"name":"M","sub":null}',
      '{"name":"M","sub":["a"]}',
      '{"s\\u0075b":"mallory","name":"M"}',
    ];
    for (const claims of rows) {
      const user = await somebody({ scope: "openid profile", claims });
      const { status, body, json } = await user.ask();
      assert.equal(status, 200, claims);
      assert.equal(body.match(/"sub"/g).length, 1);
      assert.ok(body.endsWith(`"sub":${JSON.stringify(user.sub)}}`), body);
      assert.equal(json.name, "M");
      assert.equal(json.sub, decode(user.given.id_token).claims.sub);
    }
    const broken = await somebody();
    await sql(p.deployment, `UPDATE users SET claims = '{"sub":"a","sub":"b"}' WHERE subject = ${text(broken.sub)}`);
    assert.equal(
      verdict(await broken.ask()),
      "503 temporarily_unavailable",
      "claims with two meanings are not guessed at",
    );
    const numeric = await somebody({ subject: "12345678901234567890" });
    assert.equal((await numeric.ask()).body, '{"sub":"12345678901234567890"}');
    assert.equal(decode(numeric.given.id_token).claims.sub, "12345678901234567890");
  });

  it("claims are those that the granted scope permits, and other attributes are not sent [U06]", async () => {
    const claims = JSON.stringify({
      name: "Nora",
      given_name: "Nora",
      email: "nora@op.example",
      email_verified: true,
      phone_number: "+49 30 1",
      role: "admin",
      password: "x",
      password_hash: "x",
      iss: "https://evil.example",
      aud: "evil",
      exp: 1,
      groups: ["wheel"],
    });
    const rows = [
      ["openid", []],
      ["openid email", ["email", "email_verified"]],
      ["openid profile", ["name", "given_name", "preferred_username", "updated_at"]],
      ["openid profile email", ["name", "given_name", "preferred_username", "updated_at", "email", "email_verified"]],
    ];
    for (const [scope, names] of rows) {
      const { json } = await (await somebody({ scope, claims })).ask();
      assert.deepEqual(Object.keys(json).sort(), [...names, "sub"].sort(), scope);
    }
    const narrowed = await p.refresh(web, (await p.tokens(web, { scope: "openid email" })).refresh_token, {
      scope: "openid",
    });
    assert.deepEqual(
      Object.keys((await p.userinfo(narrowed.json.access_token)).json),
      ["sub"],
      "of this token, not of its grant",
    );
  });

  describe("the next request already knows what has ended [U07]", () => {
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
      expired: async () => {
        await p.deployment.advance(600);
      },
    };
    for (const [what, end] of Object.entries(rows)) {
      it(`${what} [U07]`, async () => {
        const user = await somebody();
        // Each process has seen it while it was good.
        await everywhere(async () => assert.equal(verdict(await user.ask()), "200"));
        await end(user);
        await everywhere(async () => assert.equal(verdict(await user.ask()), NO_TOKEN));
      });
    }
  });

  it("a user who was disabled or removed has no claims any more [U08]", async () => {
    for (const action of ["disable", "remove"]) {
      const user = await somebody({ scope: "openid email" });
      assert.equal(verdict(await user.ask()), "200");
      await p.deployment.postern(["user", action, user.username]);
      await everywhere(async () => assert.equal(verdict(await user.ask()), NO_TOKEN, action));
    }
  });

  it("a client's token of its own gives no user's claims, with any scope in its row [U09]", async () => {
    const { json } = await p.post(
      "/token",
      { grant_type: "client_credentials", scope: "api" },
      { client: p.clients.machine },
    );
    assert.equal(verdict(await p.userinfo(json.access_token)), "403 insufficient_scope");
    await sql(
      p.deployment,
      `UPDATE access_tokens SET scope = 'openid profile email' WHERE token_hash = ${text(digestOf(json.access_token))}`,
    );
    assert.equal(verdict(await p.userinfo(json.access_token)), NO_TOKEN);
  });
});
