// What two client libraries do with tokens once they have them: refresh, ask about, revoke, sign out; with refresh
// tokens that are signed and with opaque ones.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { UserAgent } from "../support/user_agent.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { CLIENTS, PERSON, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

const LOGGED_OUT_URI = "https://client.example/signed-out";
const REGISTRATION = [
  "--scope",
  "openid profile email reports",
  "--post-logout-redirect-uri",
  LOGGED_OUT_URI,
  "--grant",
  "authorization_code",
  "--grant",
  "refresh_token",
];
const INACTIVE = { active: false };

const refused = (promise, error, status) =>
  assert.rejects(promise, (caught) => {
    assert.deepEqual([caught.error, caught.status], [error, status], caught.stack);
    return true;
  });

function tests(library, method, opaque, providerOf) {
  const isPublic = method === "none";
  const newClient = (secret) => new LIBRARIES[library](providerOf(), method, secret);
  let client;
  before(() => {
    client = newClient();
  });

  /// Somebody signs in: { tokens, agent }.
  async function signIn(parameters = {}, by = { client, method }) {
    const { deployment, clients } = providerOf();
    const agent = new UserAgent({ ca: deployment.ca });
    const checks = newChecks();
    let page = await walk(agent, authorizationUrl(clients[by.method], checks, parameters));
    if (parameters.response_mode === "form_post") {
      page = await agent.submit(page, "continue");
      assert.ok(page.posted);
    }
    return { agent, tokens: await by.client.callback(page, checks) };
  }

  it("a refresh token gives new tokens of the same login [RFC 6749 §6, OpenID Connect Core §12.2]", async () => {
    const { tokens } = await signIn();
    assert.equal(tokens.refresh_token.split(".").length, opaque ? 1 : 3);
    const again = await client.refresh(tokens.refresh_token);
    assert.notEqual(again.access_token, tokens.access_token);
    assert.notEqual(again.refresh_token, tokens.refresh_token);
    assert.equal(again.claims.sub, tokens.claims.sub);
    assert.equal(again.claims.auth_time, tokens.claims.auth_time);
    assert.equal((await client.userinfo(again)).name, PERSON.claims.name);
  });

  it("a refreshed token may have less scope, never more", async () => {
    const { tokens } = await signIn({ scope: "openid email" });
    await refused(client.refresh(tokens.refresh_token, { scope: "openid profile" }), "invalid_scope", 400);
    const less = await client.refresh(tokens.refresh_token, { scope: "openid" });
    assert.deepEqual(await client.userinfo(less), { sub: tokens.claims.sub });
  });

  it("a refresh token whose successor was used ends the whole grant [RFC 9700 §4.14.2]", async () => {
    const { tokens } = await signIn();
    const second = await client.refresh(tokens.refresh_token);
    const third = await client.refresh(second.refresh_token);
    await refused(client.refresh(tokens.refresh_token), "invalid_grant", 400);
    await refused(client.refresh(third.refresh_token), "invalid_grant", 400);
    await refused(client.userinfo(third), "invalid_token", 401);
  });

  it("a refresh token is worth nothing to another client", async () => {
    const other = Object.keys(CLIENTS).find((name) => name !== method);
    const { tokens } = await signIn({}, { method: other, client: new LIBRARIES[library](providerOf(), other) });
    await refused(client.refresh(tokens.refresh_token), "invalid_grant", 400);
  });

  it("a revoked access token is refused, and so is the refresh token that came with it [RFC 7009 §2.1j]", async () => {
    const { tokens } = await signIn();
    await client.revoke(tokens.access_token, "access_token");
    await refused(client.userinfo(tokens), "invalid_token", 401);
    await refused(client.refresh(tokens.refresh_token), "invalid_grant", 400);
  });

  for (const hint of ["refresh_token", undefined, "access_token"]) {
    it(
      `a refresh token revoked with ${hint ? `the hint ${hint}` : "no hint"} ` + "takes its access token along",
      async () => {
        const { tokens } = await signIn();
        await client.revoke(tokens.refresh_token, hint);
        await refused(client.refresh(tokens.refresh_token), "invalid_grant", 400);
        await refused(client.userinfo(tokens), "invalid_token", 401);
      },
    );
  }

  it("revoking what is unknown is a success, an unknown hint is none [RFC 7009 §2.2b]", async () => {
    await client.revoke("no-token-of-this-server");
    await refused(client.revoke("no-token-of-this-server", "saml_token"), "unsupported_token_type", 400);
  });

  it("an answer that a page posts is the same as one in a redirect [Form Post §2a]", async () => {
    const { tokens } = await signIn({ response_mode: "form_post" });
    assert.equal(tokens.claims.sub, providerOf().sub);
  });

  it("signing out leads back with the state, and the sign-in is gone [RP-Initiated Logout §3]", async () => {
    const { tokens, agent } = await signIn();
    const { location } = await agent.visit(
      client.endSessionUrl(tokens, { post_logout_redirect_uri: LOGGED_OUT_URI, state: "a&b=c" }),
    );
    assert.equal(location?.href, `${LOGGED_OUT_URI}?state=${encodeURIComponent("a&b=c")}`);
    const silent = await agent.visit(authorizationUrl(providerOf().clients[method], newChecks(), { prompt: "none" }));
    assert.equal(silent.location.searchParams.get("error"), "login_required");
    await refused(client.refresh(tokens.refresh_token), "invalid_grant", 400);
  });

  if (isPublic) {
    it("a public client may not introspect [RFC 7662 §4b]", async () => {
      const { tokens } = await signIn();
      await refused(client.introspect(tokens.access_token), "invalid_client", 401);
    });
    return;
  }

  it("introspection tells what an access token is [RFC 7662 §2.2]", async () => {
    const { tokens } = await signIn();
    const { exp, iat, jti, auth_time: loggedIn, ...rest } = await client.introspect(tokens.access_token);
    assert.ok(loggedIn > 0 && loggedIn <= iat);
    assert.deepEqual(rest, {
      active: true,
      acr: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
      scope: "openid profile email",
      client_id: `app-${method}`,
      token_type: "Bearer",
      username: PERSON.username,
      sub: providerOf().sub,
      iss: providerOf().deployment.issuer,
    });
    assert.equal(exp - iat, 900);
    assert.equal(typeof jti, "string");
  });

  it("introspection finds a refresh token under any hint, and only while it is valid [RFC 7662 §2.1c]", async () => {
    const { tokens } = await signIn();
    for (const hint of ["refresh_token", "access_token", undefined]) {
      const { active, token_type, sub, client_id } = await client.introspect(tokens.refresh_token, hint);
      assert.deepEqual(
        { active, token_type, sub, client_id },
        { active: true, token_type: "refresh_token", sub: providerOf().sub, client_id: `app-${method}` },
      );
    }
    await client.revoke(tokens.refresh_token);
    assert.deepEqual(await client.introspect(tokens.refresh_token), INACTIVE);
    assert.deepEqual(await client.introspect(tokens.access_token), INACTIVE);
  });

  it("introspection of anything else is inactive, an unknown hint is refused [RFC 7662 §2.3c]", async () => {
    const { tokens } = await signIn();
    const [head, body] = tokens.access_token.split(".");
    for (const token of ["x", `${head}.${body}.AAAA`, tokens.id_token])
      assert.deepEqual(await client.introspect(token), INACTIVE, token);
    assert.deepEqual(await client.introspect("x", "auth_code"), INACTIVE);
    await refused(client.introspect(tokens.access_token, "saml_token"), "unsupported_token_type", 400);
  });

  it("client credentials give a token of the client's own [RFC 6749 §4.4]", async () => {
    const tokens = await client.clientCredentials("reports");
    assert.equal(tokens.refresh_token, undefined);
    assert.equal(tokens.id_token, undefined);
    const { active, scope, sub, client_id } = await client.introspect(tokens.access_token);
    assert.deepEqual(
      { active, scope, sub, client_id },
      { active: true, scope: "reports", sub: `app-${method}`, client_id: `app-${method}` },
    );
    await refused(client.userinfo(tokens), "insufficient_scope", 403);
    await refused(client.clientCredentials("openid"), "invalid_scope", 400);
  });

  it("a wrong secret is invalid_client everywhere [RFC 6749 §5.2]", async () => {
    const { tokens } = await signIn();
    const wrong = newClient("x".repeat(43));
    await refused(wrong.introspect(tokens.access_token), "invalid_client", 401);
    await refused(wrong.revoke(tokens.access_token), "invalid_client", 401);
    await refused(wrong.refresh(tokens.refresh_token), "invalid_client", 401);
    await refused(wrong.clientCredentials("reports"), "invalid_client", 401);
    assert.equal((await client.introspect(tokens.access_token)).active, true, "nothing was changed");
  });
}

for (const opaque of [false, true]) {
  describe(`tokens in use, refresh tokens ${opaque ? "opaque" : "signed"}`, () => {
    let provider;
    before(async () => {
      const confidential = [...REGISTRATION, "--grant", "client_credentials"];
      const registration = { client_secret_basic: confidential, client_secret_post: confidential, none: REGISTRATION };
      provider = await openProvider({
        config: { useOpaqueRefreshTokens: opaque, scopeDescriptions: { reports: "Read reports" } },
        registration,
      });
    });
    after(async () => {
      await provider?.deployment.stop();
    });

    for (const library of Object.keys(LIBRARIES)) {
      for (const method of Object.keys(CLIENTS))
        describe(`${library}, ${method}`, () => tests(library, method, opaque, () => provider));
    }
  });
}
