// The same endpoint with the implicit grant switched on, the ways an answer can be sent, and what strangers leave
// behind.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cookiesOf, isClientError, kept, nextPage, parametersOf } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const LONG = Boolean(process.env.POSTERN_LONG);
const FLOOD = LONG ? 100_000 : 1_000;
const IMPLICIT = { id: "implicit", redirectUri: "https://implicit.example/cb" };

describe("the authorization endpoint with the implicit grant", () => {
  let p;
  let web;
  before(async () => {
    // nothing expires meanwhile, and nothing is swept
    p = await openProvider({ config: { implicit: true, authorizationCodeTTL: 600 } });
    ({ web } = p.clients);
    await p.deployment.postern([
      "client",
      "add",
      IMPLICIT.id,
      "--public",
      "--redirect-uri",
      IMPLICIT.redirectUri,
      "--grant",
      "implicit",
      "--scope",
      "openid profile email",
    ]);
  });
  after(() => p?.stop());

  const TOKEN = { response_type: "token", code_challenge: undefined, code_challenge_method: undefined };

  /// Everything that is kept: but for the ring of refusals and the index of the log, which readers mark too, to the
  /// byte.
  const digest = async () =>
    (await kept(p))
      .map(([name, bytes]) => [
        name,
        bytes.length,
        /\.ring$|-shm$/.test(name) ? "" : createHash("sha256").update(bytes).digest("hex"),
      ])
      .sort();

  it(`a flood of ${FLOOD} requests, with and without cookies, leaves the database as it was [A21]`, async () => {
    const stranger = p.person();
    await stranger.visit(p.authorizationUrl(web));
    const cookie = await cookiesOf(p, stranger);
    assert.match(cookie, /^__Host-postern-browser-/);
    const before = await digest();
    const url = p.authorizationUrl(web, { prompt: "login" });
    for (let sent = 0; sent < FLOOD; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => p.ask(`${url}&nonce=${sent + i}`, { headers: i % 2 ? { cookie } : {} })),
      );
      for (const answer of answers) assert.equal(nextPage(p, answer), "login");
    }
    assert.deepEqual(await digest(), before);
  });

  it("a browser that is signed in keeps no requests either, however many it begins [A21]", async () => {
    const person = p.person();
    await p.code(web, {}, person);
    const cookie = await cookiesOf(p, person);
    assert.equal(cookie.split("; ").length, 2);
    const before = await digest();
    for (const prompt of ["consent", "login"]) {
      for (let round = 0; round < FLOOD / (LONG ? 400 : 100); ++round) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => p.ask(p.authorizationUrl(web, { prompt }), { headers: { cookie } })),
        );
        for (const answer of answers) assert.equal(nextPage(p, answer), prompt === "login" ? "login" : "scopes");
      }
    }
    assert.deepEqual(await digest(), before);
  });

  it("a token is for clients that are registered for it, and a code is not theirs [A06]", async () => {
    const person = p.person();
    await p.code(web, {}, person);
    const told = async (client, parameters) =>
      parametersOf((await person.visit(p.authorizationUrl(client, parameters))).location).get("error");
    for (const client of [web, p.clients.spa, p.clients.trusted])
      assert.equal(await told(client, TOKEN), "unauthorized_client", client.id);
    assert.equal(
      await told(IMPLICIT, {}),
      "unauthorized_client",
      "a client of the implicit grant alone asks for a code",
    );
    for (const type of ["token code", "code token", "code  ", "CODE", "TOKEN", "id_token", "id_token token", "none"]) {
      for (const client of [web, IMPLICIT])
        assert.equal(await told(client, { ...TOKEN, response_type: type }), "unsupported_response_type", type);
    }
  });

  it("an implicit answer is in the fragment alone, has no refresh token, and is in no log [A07]", async () => {
    const page = await p.walk(p.person(), p.authorizationUrl(IMPLICIT, { ...TOKEN, scope: "openid email" }));
    const { location } = page;
    assert.equal(`${location.origin}${location.pathname}${location.search}`, IMPLICIT.redirectUri);
    const answer = parametersOf(location);
    assert.deepEqual([...answer.keys()].sort(), ["access_token", "expires_in", "iss", "scope", "state", "token_type"]);
    const token = answer.get("access_token");
    assert.equal((await p.userinfo(token)).json.sub, p.user.sub);
    assert.ok(!p.deployment.log.includes(token) && !p.deployment.log.includes(token.split(".")[2]));
    for (const [name, bytes] of await kept(p)) assert.ok(!bytes.includes(token.split(".")[2]), name);
    for (const [parameters, error] of [
      [{ scope: "no_such" }, "invalid_scope"],
      [{ prompt: "none" }, "login_required"],
      [{ max_age: "x" }, "invalid_request"],
    ]) {
      const refused = await p.ask(p.authorizationUrl(IMPLICIT, { ...TOKEN, ...parameters }));
      isClientError(p, refused, IMPLICIT.redirectUri, error, error);
      assert.equal(refused.headers.location[IMPLICIT.redirectUri.length], "#", "errors of it, too");
    }
  });

  it("an unsupported response mode is refused, and a token is never put into the query [A23]", async () => {
    for (const response_mode of ["web_message", "query.jwt", "jwt", "form_post.jwt", "QUERY", "fragment ", "cookie"]) {
      isClientError(
        p,
        await p.ask(p.authorizationUrl(web, { response_mode })),
        web.redirectUri,
        "invalid_request",
        response_mode,
      );
      isClientError(
        p,
        await p.ask(p.authorizationUrl(IMPLICIT, { ...TOKEN, response_mode })),
        IMPLICIT.redirectUri,
        "invalid_request",
        response_mode,
      );
    }
    const person = p.person();
    await p.walk(person, p.authorizationUrl(IMPLICIT, TOKEN));
    for (const type of ["token", "code token", "id_token"]) {
      const { location } = await person.visit(
        p.authorizationUrl(IMPLICIT, { ...TOKEN, response_type: type, response_mode: "query" }),
      );
      assert.deepEqual(
        [location.search, parametersOf(location).has("access_token"), parametersOf(location).get("error")],
        ["", false, "invalid_request"],
        type,
      );
    }
    const posted = await person.visit(p.authorizationUrl(IMPLICIT, { ...TOKEN, response_mode: "form_post" }));
    assert.equal(posted.location, undefined);
    assert.equal(posted.form.action, IMPLICIT.redirectUri);
    assert.ok(posted.form.fields.access_token && !posted.form.fields.refresh_token);
    assert.equal(posted.headers["cache-control"], "no-store");
    const code = await p.walk(person, p.authorizationUrl(web, { response_mode: "form_post" }));
    assert.deepEqual(
      [code.form.action, code.form.fields.state, Boolean(code.form.fields.code)],
      [web.redirectUri, "s-1", true],
    );
    const fragment = await p.walk(person, p.authorizationUrl(web, { response_mode: "fragment" }));
    assert.deepEqual([fragment.location.search, parametersOf(fragment.location).has("code")], ["", true]);
  });
});
