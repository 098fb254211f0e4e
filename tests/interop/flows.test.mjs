// What client libraries make of the answers: code and PKCE, UserInfo, refresh, introspection, revocation, logout
// and refusals, with each way of a client to authenticate. What is answered when is in tests/rfc.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { generators } from "openid-client-5";
import { AWKWARD_SECRETS, addClientWithSecret } from "../clients/provider.mjs";
import { prepared } from "../support/prepared.mjs";
import { newKey } from "../support/signer.mjs";
import { UserAgent } from "../support/user_agent.mjs";
import { LIBRARIES } from "./libraries.mjs";
import { CLIENTS, PERSON, REDIRECT_URI, authorizationUrl, newChecks, openProvider, walk } from "./relying_party.mjs";

const LOGGED_OUT_URI = "https://client.example/signed-out";
const GRANTS = ["authorization_code", "refresh_token"].flatMap((grant) => ["--grant", grant]);
const PUBLIC = ["--scope", "openid profile email reports", "--post-logout-redirect-uri", LOGGED_OUT_URI, ...GRANTS];
const CONFIDENTIAL = [...PUBLIC, "--grant", "client_credentials"];
const INACTIVE = { active: false };

const refused = (promise, error, status) =>
  assert.rejects(promise, (caught) => {
    assert.deepEqual([caught.error, caught.status], [error, status], caught.stack);
    return true;
  });

function tests(library, method, providerOf) {
  let client;
  before(() => {
    client = new LIBRARIES[library](providerOf(), method);
  });

  /// Somebody signs in, up to the answer: { agent, checks, page }.
  async function authorize(parameters = {}, decision = "approve") {
    const { deployment, clients } = providerOf();
    const agent = new UserAgent({ ca: deployment.ca });
    const checks = newChecks();
    const asked = { redirect_uri: client.redirectUri, ...parameters };
    const page = await walk(agent, authorizationUrl(clients[method], checks, asked), decision);
    return { agent, checks, page };
  }
  async function signIn(parameters) {
    const { agent, checks, page } = await authorize(parameters);
    return { agent, tokens: await client.callback(page, checks) };
  }

  it("code and PKCE give an ID token and UserInfo [OIDC Core §2k, §3.1.3.7, Discovery §4.3, §7.1]", async () => {
    const { checks, page } = await authorize();
    const { search } = new URL(client.redirectUri);
    assert.ok(page.location.search.startsWith(search || "?"), "the registered query is kept [RFC 6749 §3.1.2]");
    const tokens = await client.callback(page, checks); // verifies signature, nonce, iss, at_hash
    const { sub } = providerOf();
    assert.deepEqual([tokens.claims.sub, tokens.claims.aud, tokens.claims.nonce], [sub, `app-${method}`, checks.nonce]);
    const { updated_at, ...rest } = await client.userinfo(tokens);
    const { name, given_name, email, email_verified } = PERSON.claims;
    assert.deepEqual(rest, { sub, name, given_name, email, email_verified, preferred_username: PERSON.username });
    assert.ok(Number.isInteger(updated_at) && updated_at <= Date.now() / 1000, "seconds [OpenID Connect Core §5.1]");
  });

  it("a wrong code_verifier is refused, and a denial comes back with the state [RFC 7636 §4.6]", async () => {
    const { checks, page } = await authorize();
    const other = { ...checks, code_verifier: generators.codeVerifier() };
    await refused(client.callback(page, other), "invalid_grant", 400);
    const denied = await authorize({ prompt: "consent" }, "deny");
    assert.equal(denied.page.location.searchParams.get("state"), denied.checks.state);
    await assert.rejects(client.callback(denied.page, denied.checks), { error: "access_denied" });
  });

  it("an answer that a page posts is the same as one in a redirect [Form Post §2a]", async () => {
    const { agent, checks, page } = await authorize({ response_mode: "form_post" });
    const posted = await agent.submit(page, "continue");
    assert.ok(posted.posted);
    assert.equal((await client.callback(posted, checks)).claims.sub, providerOf().sub);
  });

  it("a refresh token gives new tokens of the same login, until it is revoked [RFC 6749 §6]", async () => {
    const { tokens } = await signIn();
    const again = await client.refresh(tokens.refresh_token);
    assert.notEqual(again.access_token, tokens.access_token);
    assert.notEqual(again.refresh_token, tokens.refresh_token);
    assert.deepEqual([again.claims.sub, again.claims.auth_time], [tokens.claims.sub, tokens.claims.auth_time]);
    assert.equal((await client.userinfo(again)).name, PERSON.claims.name);
    await refused(client.refresh(again.refresh_token, { scope: "openid reports" }), "invalid_scope", 400);
    await client.revoke(again.refresh_token, "refresh_token");
    await refused(client.refresh(again.refresh_token), "invalid_grant", 400);
    await refused(client.userinfo(again), "invalid_token", 401);
    await refused(client.revoke("unknown", "saml_token"), "unsupported_token_type", 400);
  });

  it("signing out leads back with the state, and the sign-in is gone [RP-Initiated Logout §3]", async () => {
    const { tokens, agent } = await signIn();
    const parameters = { post_logout_redirect_uri: LOGGED_OUT_URI, state: "a&b=c" };
    const { location } = await agent.visit(await client.endSessionUrl(tokens, parameters));
    assert.equal(location?.href, `${LOGGED_OUT_URI}?state=${encodeURIComponent("a&b=c")}`);
    const silent = await agent.visit(authorizationUrl(providerOf().clients[method], newChecks(), { prompt: "none" }));
    assert.equal(silent.location.searchParams.get("error"), "login_required");
  });

  if (method === "none") return;

  it("introspection tells what a token is, and nothing of what is none [RFC 7662 §2.2]", async () => {
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
    assert.equal((await client.introspect(tokens.refresh_token, "refresh_token")).token_type, "refresh_token");
    for (const token of ["x", tokens.id_token]) assert.deepEqual(await client.introspect(token), INACTIVE, token);
  });

  it("client credentials give a token of the client's own [RFC 6749 §4.4]", async () => {
    const tokens = await client.clientCredentials("reports");
    assert.deepEqual([tokens.refresh_token, tokens.id_token], [undefined, undefined]);
    const { active, scope, sub } = await client.introspect(tokens.access_token);
    assert.deepEqual({ active, scope, sub }, { active: true, scope: "reports", sub: `app-${method}` });
    await refused(client.userinfo(tokens), "insufficient_scope", 403);
  });

  it("a wrong secret or key is invalid_client everywhere [RFC 6749 §5.2, OIDC Core §16.17]", async () => {
    const { checks, page } = await authorize();
    const other = method === "private_key_jwt" ? newKey("k1").jwk : "x".repeat(43);
    const wrong = new LIBRARIES[library](providerOf(), method, other);
    await refused(wrong.callback(page, checks), "invalid_client", 401);
    const tokens = await client.callback(page, checks); // the code stays good
    await refused(wrong.introspect(tokens.access_token), "invalid_client", 401);
    await refused(wrong.revoke(tokens.access_token), "invalid_client", 401);
    await refused(wrong.refresh(tokens.refresh_token), "invalid_client", 401);
    await refused(wrong.clientCredentials("reports"), "invalid_client", 401);
    assert.equal((await client.introspect(tokens.access_token)).active, true, "nothing was changed");
  });
}

describe("client libraries over TLS [RFC 7009 §2c, RFC 7662 §2, OIDC Core §3.1.2, §3.1.3, §5.3a, §16.2]", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(
      await openProvider({
        config: { scopeDescriptions: { reports: "Read reports" }, clientAssertions: true },
        registration: {
          client_secret_basic: CONFIDENTIAL,
          client_secret_post: CONFIDENTIAL,
          private_key_jwt: CONFIDENTIAL,
          none: PUBLIC,
        },
      }),
    );
  });

  for (const library of Object.keys(LIBRARIES))
    for (const method of [...Object.keys(CLIENTS), "private_key_jwt"])
      describe(`${library}, ${method}`, () => tests(library, method, () => provider));

  it("max_age=0 asks for the password again, and openid-client verifies auth_time", async () => {
    const client = provider.clients.client_secret_basic;
    const agent = new UserAgent({ ca: provider.deployment.ca });
    await walk(agent, authorizationUrl(client, newChecks()));
    const checks = newChecks();
    const url = authorizationUrl(client, checks, { max_age: 0 });
    assert.ok((await agent.visit(url)).form?.buttons.login, "a login form");
    const { location } = await walk(agent, url);
    const answer = client.callbackParams(location.href);
    const tokens = await client.callback(REDIRECT_URI, answer, { ...checks, max_age: 60 });
    assert.equal(typeof tokens.claims().auth_time, "number");
  });

  for (const method of ["client_secret_basic", "client_secret_post"]) {
    for (const [which, secret] of AWKWARD_SECRETS.entries()) {
      it(`the secret ${secret} works by ${method}, whatever it is when it is form-decoded`, async () => {
        const { deployment, issuer } = provider;
        const client_id = `awkward-${which}-${method}`;
        const options = ["--auth-method", method, "--grant", "client_credentials", "--scope", "reports"];
        await addClientWithSecret(deployment, client_id, secret, "https://client.example/callback", ...options);
        const registered = new issuer.Client({ client_id, client_secret: secret, token_endpoint_auth_method: method });
        for (const Library of Object.values(LIBRARIES)) {
          const client = (other) => new Library({ ...provider, clients: { [method]: registered } }, method, other);
          const { access_token } = await client().clientCredentials("reports");
          assert.equal((await client().introspect(access_token)).sub, client_id);
          await assert.rejects(client(`${secret}x`).clientCredentials("reports"), { error: "invalid_client" });
          await assert.rejects(client(encodeURIComponent(secret)).clientCredentials("reports"), {
            error: "invalid_client",
          });
        }
      });
    }
  }
});
