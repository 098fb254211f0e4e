// Keycloak as a broker: its realm has Postern as an identity provider, and an application of the realm signs users in.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { claimsOf } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const SITE = "https://site.example"; // of the realm's application; the person's browser stops before it
const ADMINISTRATOR = { client_id: "administrator", client_secret: "of-this-test-and-of-no-other" };
const SURNAMED = { ...PERSON, username: "alva", claims: { given_name: "Alva", family_name: "Berg" } };
const UNDECIDED = { ...SURNAMED, username: "otto" };
const claimed = (who) => ({ email: `${who.username}@example.org`, email_verified: true, ...who.claims });

/// What docs/clients/keycloak.md tells to enter, as the realm that Keycloak's REST API takes.
const realm = (issuer, metadata) => ({
  realm: "shop",
  enabled: true,
  sslRequired: "none",
  groups: [{ name: "employees" }],
  identityProviders: [
    {
      alias: "postern",
      providerId: "oidc",
      enabled: true,
      trustEmail: true,
      config: {
        issuer,
        authorizationUrl: metadata.authorization_endpoint,
        tokenUrl: metadata.token_endpoint,
        userInfoUrl: metadata.userinfo_endpoint,
        logoutUrl: metadata.end_session_endpoint,
        jwksUrl: metadata.jwks_uri,
        useJwksUrl: "true",
        validateSignature: "true",
        clientId: "broker",
        clientSecret: SECRET,
        clientAuthMethod: "client_secret_post",
        pkceEnabled: "true",
        pkceMethod: "S256",
        defaultScope: "openid profile email groups",
        syncMode: "FORCE",
      },
    },
  ],
  identityProviderMappers: [
    {
      name: "employees",
      identityProviderAlias: "postern",
      identityProviderMapper: "oidc-advanced-group-idp-mapper",
      config: { syncMode: "INHERIT", claims: '[{"key":"groups","value":"staff"}]', group: "/employees" },
    },
  ],
  clients: [
    {
      clientId: "site",
      secret: SECRET,
      redirectUris: [`${SITE}/callback`],
      attributes: { "post.logout.redirect.uris": `${SITE}/bye` },
      protocolMappers: [
        {
          name: "groups",
          protocol: "openid-connect",
          protocolMapper: "oidc-group-membership-mapper",
          config: { "claim.name": "groups", "id.token.claim": "true", "full.path": "false" },
        },
      ],
    },
  ],
});

/// { status, ...the JSON that is answered }
async function call(method, url, { form, json, token } = {}) {
  const type = json ? "application/json" : "application/x-www-form-urlencoded";
  const { status, body } = await request(url, {
    method,
    headers: { "content-type": type, ...(token && { authorization: `Bearer ${token}` }) },
    body: json ? JSON.stringify(json) : new URLSearchParams(form).toString(),
  });
  return { status, ...(body.startsWith("{") && JSON.parse(body)) };
}

describe("Keycloak as a broker", () => {
  let deployment;
  let directory;
  let origin;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider()));
    for (const who of [SURNAMED, UNDECIDED]) await deployment.addUser(who.username, who.password, claimed(who));
    for (const group of ["members", "staff"]) await deployment.postern(["group", "add", group]);
    directory = temporaryDirectory();
    origin = `http://127.0.0.1:${await freePort()}`;
    const endpoint = `${origin}/realms/shop/broker/postern/endpoint`;
    const back = ["--post-logout-redirect-uri", `${endpoint}/logout_response`, "--pkce", "required"];
    const scope = ["--scope", "openid profile email groups"];
    await addClientWithSecret(deployment, "broker", SECRET, endpoint, ...back, ...scope);
    await start(owned);
  });

  async function start(owned) {
    const health = `http://127.0.0.1:${await freePort()}`;
    const keycloak = owned(
      new WebServer("bash", [join(BUILD, "applications/keycloak/bin/kc.sh"), "start", "--optimized"], {
        logFiles: [join(directory, "keycloak.log")],
        env: {
          JAVA_OPTS_APPEND: "-XX:TieredStopAtLevel=1", // starts faster
          KC_LOG: "file",
          KC_LOG_FILE: join(directory, "keycloak.log"),
          KC_HTTP_ENABLED: "true",
          KC_HTTP_HOST: "127.0.0.1",
          KC_HTTP_PORT: new URL(origin).port,
          KC_HTTP_MANAGEMENT_HOST: "127.0.0.1",
          KC_HTTP_MANAGEMENT_PORT: new URL(health).port,
          KC_HOSTNAME: origin,
          KC_CACHE: "local",
          KC_TRUSTSTORE_PATHS: deployment.caFile,
          KC_BOOTSTRAP_ADMIN_CLIENT_ID: ADMINISTRATOR.client_id,
          KC_BOOTSTRAP_ADMIN_CLIENT_SECRET: ADMINISTRATOR.client_secret,
        },
      }),
    );
    await keycloak.untilItAnswers(`${health}/health/ready`, { status: 200, patience: 5 });
    const { body } = await request(`${deployment.issuer}/.well-known/openid-configuration`, { ca: deployment.ca });
    const made = await administer("POST", "", realm(deployment.issuer, JSON.parse(body)));
    assert.equal(made.status, 201, JSON.stringify(made));
  }

  async function administer(method, path, json) {
    const form = { grant_type: "client_credentials", ...ADMINISTRATOR };
    const { access_token: token } = await call("POST", openid("token", "master"), { form });
    return call(method, `${origin}/admin/realms${path}`, { json, token });
  }

  const openid = (endpoint, name = "shop") => `${origin}/realms/${name}/protocol/openid-connect/${endpoint}`;
  const login = () =>
    `${openid("auth")}?${new URLSearchParams({
      ...{ client_id: "site", response_type: "code", scope: "openid profile email", state: "s" },
      ...{ redirect_uri: `${SITE}/callback`, kc_idp_hint: "postern" },
    })}`;
  const atSite = (page) => page.location?.origin === SITE;
  const newPerson = (who = SURNAMED) => new Person(deployment.ca, who);

  /// What the application gets for the code that the browser brings.
  async function signIn(person) {
    const page = await person.signIn(login(), { until: atSite });
    assert.ok(atSite(page), `sent back to the application, not left on "${page.title}" ${page.url}\n${page.body}`);
    const code = page.location.searchParams.get("code");
    const application = { client_id: "site", client_secret: SECRET, redirect_uri: `${SITE}/callback` };
    const form = { grant_type: "authorization_code", code, ...application };
    return call("POST", openid("token"), { form });
  }

  it("asks with PKCE and a nonce", async () => {
    const { location } = await newPerson().visit(login());
    const { scope, code_challenge_method, nonce } = Object.fromEntries(location.searchParams);
    assert.deepEqual([scope, code_challenge_method], ["openid profile email groups", "S256"]);
    assert.ok(nonce);
  });

  it("signs a user in with names, address and groups, which follow at the next sign-in", async () => {
    const told = claimsOf((await signIn(newPerson())).id_token);
    const { preferred_username, given_name, family_name, email, email_verified, groups } = told;
    assert.deepEqual(
      { preferred_username, given_name, family_name, email, email_verified, groups },
      { preferred_username: SURNAMED.username, ...claimed(SURNAMED), groups: undefined },
    );
    await deployment.postern(["group", "member", "add", "staff", SURNAMED.username]);
    const later = claimsOf((await signIn(newPerson())).id_token);
    assert.deepEqual([later.sub, later.groups], [told.sub, ["employees"]], "the same user, now of the group");
  });

  it("asks a user without a family name for it", async () => {
    const page = await newPerson(PERSON).signIn(login(), { until: atSite });
    assert.equal(new URL(page.url).pathname, "/realms/shop/login-actions/first-broker-login");
    assert.match(page.body, /name="lastName"/);
  });

  it("a user who denies consent, or may not use the client, is not signed in", async () => {
    const denied = await newPerson(UNDECIDED).signIn(login(), { decision: "deny", until: atSite });
    assert.deepEqual([new URL(denied.url).origin, atSite(denied)], [origin, false]);
    assert.match(denied.body, /Access denied when authenticating with postern/);
    await deployment.postern(["client", "set", "broker", "--allow-group", "members"]);
    const page = await newPerson().signIn(login(), { until: atSite });
    assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
    await deployment.postern(["client", "set", "broker", "--allow-everyone"]);
  });

  it("signs out of Keycloak and of Postern", async () => {
    const person = newPerson();
    const { id_token } = await signIn(person);
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: `${SITE}/bye` });
    const page = await person.signIn(`${openid("logout")}?${query}`, { until: atSite });
    assert.equal(page.location?.href, `${SITE}/bye`, page.url + page.body);
    const again = await person.open(login());
    assert.equal(new URL(again.url).origin, deployment.origin);
    assert.ok(again.form.buttons.login, "asked for the password again");
  });

  it("goes on when Postern disables a user, who cannot sign in again", async () => {
    const person = newPerson();
    const { refresh_token } = await signIn(person);
    await deployment.postern(["user", "disable", SURNAMED.username]);
    const form = { grant_type: "refresh_token", refresh_token, client_id: "site", client_secret: SECRET };
    assert.equal((await call("POST", openid("token"), { form })).status, 200);
    const page = await newPerson().signIn(login(), { until: atSite });
    assert.deepEqual([new URL(page.url).origin, atSite(page)], [deployment.origin, false]);
    await deployment.postern(["user", "enable", SURNAMED.username]);
  });
});
