// A relying party as an application would write it with openid-client 5, and a person in front of it.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Issuer, custom, generators } from "openid-client-5";
import { Deployment } from "../support/deployment.mjs";
import { newKey } from "../support/signer.mjs";
import { UserAgent } from "../support/user_agent.mjs";

export const REDIRECT_URI = "https://client.example/callback?from=postern";
/// For libraries that redeem a code with its redirect URI without a query.
export const PLAIN_REDIRECT_URI = "https://client.example/callback";
export const PERSON = {
  username: "mara",
  password: "correct horse battery",
  claims: {
    name: "Mara Müller",
    given_name: "Mara",
    email: "mara@example.org",
    email_verified: true,
    phone_number: "+49 30 5550100",
  },
};

/// The clients that are registered, and what the registration of each needs.
export const CLIENTS = {
  client_secret_basic: ["--auth-method", "client_secret_basic"],
  client_secret_post: ["--auth-method", "client_secret_post"],
  none: ["--public"],
};

/// Registers a client for the method; answers its metadata, and for one that signs its private key.
async function register(deployment, method, options) {
  const id = `app-${method}`;
  options = ["--redirect-uri", PLAIN_REDIRECT_URI, ...options];
  if (method !== "private_key_jwt") return { metadata: await deployment.addClient(id, REDIRECT_URI, ...options) };
  const { jwk, jwks } = newKey("k1");
  const file = join(mkdtempSync(join(tmpdir(), "postern-jwks-")), "jwks.json");
  writeFileSync(file, JSON.stringify(jwks));
  const signs = ["--auth-method", method, "--jwks", file];
  return { metadata: await deployment.addClient(id, REDIRECT_URI, ...signs, ...options), jwk };
}

/// A deployment with the person and the clients, and openid-client's view of it. `registration` has more options by
/// method. With `clientAssertions` one of the clients signs.
export async function openProvider({ registration: more = {}, ...options }) {
  const deployment = await Deployment.start(options);
  try {
    const { sub } = await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    custom.setHttpOptionsDefaults({ ca: deployment.ca, timeout: 60_000 });
    const issuer = await Issuer.discover(deployment.issuer);
    const clients = {};
    const kinds = options.config?.clientAssertions ? { ...CLIENTS, private_key_jwt: [] } : CLIENTS;
    for (const [method, registration] of Object.entries(kinds)) {
      const { metadata, jwk } = await register(deployment, method, [...registration, ...(more[method] ?? [])]);
      const described = {
        client_id: metadata.client_id,
        client_secret: metadata.client_secret,
        redirect_uris: [REDIRECT_URI],
        response_types: ["code"],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: options.config?.idTokenAlgorithm ?? "RS256",
        ...(jwk ? { token_endpoint_auth_signing_alg: jwk.alg } : {}),
      };
      clients[method] = jwk ? new issuer.Client(described, { keys: [jwk] }) : new issuer.Client(described);
      clients[method].signing = jwk;
    }
    return { deployment, issuer, clients, sub };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/// What one authorization is remembered by until its answer comes.
export function newChecks() {
  const code_verifier = generators.codeVerifier();
  return { state: generators.state(), nonce: generators.nonce(), code_verifier, response_type: "code" };
}

export function authorizationUrl(client, checks, parameters = {}) {
  return client.authorizationUrl({
    scope: "openid profile email",
    state: checks.state,
    nonce: checks.nonce,
    redirect_uri: REDIRECT_URI,
    code_challenge: generators.codeChallenge(checks.code_verifier),
    code_challenge_method: "S256",
    ...parameters,
  });
}

/// A person's way through the pages: signs in, types the `code` of an authenticator app and answers the consent form
/// ("approve" or "deny") wherever they are shown. Answers where the browser ended up, a page with `location` when it
/// was sent back to the client.
export async function walk(agent, url, decision = "approve", code = undefined) {
  let page = await agent.visit(url);
  if (page.form?.buttons.login) page = await agent.signIn(page, PERSON.username, PERSON.password);
  if (page.form?.buttons.verify && code !== undefined) page = await agent.submit(page, "verify", { code });
  if (page.form?.buttons[decision]) page = await agent.submit(page, decision);
  return page;
}

/// One authorization, up to the parameters that came back to the client.
export async function authorize(
  { deployment },
  client,
  { checks = newChecks(), parameters, decision, agent = new UserAgent({ ca: deployment.ca }), code } = {},
) {
  const page = await walk(agent, authorizationUrl(client, checks, parameters), decision, code);
  if (!page.location) throw new Error(`not sent back to the client: ${page.status} ${page.title}`);
  return { checks, agent, location: page.location, answer: client.callbackParams(page.location.href) };
}
