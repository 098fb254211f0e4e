// A deployment with one client of each kind and a person, and the requests that a client, an application or an attacker
// makes of it. Nothing is checked here: answers come back as they are.
import { createHash, randomBytes } from "node:crypto";
import { Deployment } from "../support/deployment.mjs";
import { sendRaw } from "../support/raw.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";

export const USER = {
  username: "alice",
  password: "correct horse battery staple",
  claims: { name: "Alice Example", email: "alice@op.example" },
};
const FORM = "application/x-www-form-urlencoded";
const SCOPES = "openid profile email offline_access";

const GRANTS = ["--grant", "authorization_code", "--grant", "refresh_token"];
/// Where each is sent to and what else it is registered with; all but spa and native are confidential.
const CLIENTS = {
  web: ["https://app.example/cb", ...GRANTS, "--grant", "client_credentials", "--scope", `${SCOPES} api`],
  other: ["https://other.example/cb", ...GRANTS, "--grant", "client_credentials", "--scope", `${SCOPES} api`],
  trusted: ["https://trusted.example/cb", ...GRANTS, "--first-party", "--scope", SCOPES],
  spa: ["https://spa.example/cb", ...GRANTS, "--public", "--scope", SCOPES],
  native: ["http://127.0.0.1/cb", ...GRANTS, "--public", "--native", "--scope", SCOPES],
  machine: [null, "--grant", "client_credentials", "--scope", "api"],
};

export const basicOf = (id, secret) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
export const challengeOf = (verifier) => createHash("sha256").update(verifier).digest("base64url");
const newVerifier = () => randomBytes(32).toString("base64url");
export { statusOf } from "../support/raw.mjs";
/// The bytes of a form: `parameters` is an object (undefined values are left out), an array of pairs, or the text
/// itself.
export function formText(parameters) {
  if (typeof parameters === "string") return parameters;
  const pairs = Array.isArray(parameters)
    ? parameters
    : Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(pairs).toString();
}

export async function openProvider(options = {}) {
  const deployment = await Deployment.start(options);
  try {
    const user = { ...USER, sub: (await deployment.addUser(USER.username, USER.password, USER.claims)).sub };
    const clients = {};
    for (const [id, [redirectUri, ...registration]] of Object.entries(CLIENTS)) {
      const added = await deployment.postern([
        "client",
        "add",
        id,
        ...(redirectUri ? ["--redirect-uri", redirectUri] : []),
        ...registration,
      ]);
      clients[id] = { id, secret: added.client_secret, redirectUri };
    }
    return new Provider(deployment, user, clients);
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

export class Provider {
  #browser = null;
  #signingIn = null;

  constructor(deployment, user, clients) {
    Object.assign(this, { deployment, user, clients });
  }

  async stop() {
    await this.deployment.stop();
  }

  get issuer() {
    return this.deployment.issuer;
  }

  /// One request, no redirect followed: { status, headers, body, json }, json undefined when the body is none. `path`
  /// is below the issuer, or a whole URL.
  async ask(path, options = {}) {
    const answer = await request(/^https?:/.test(path) ? path : this.issuer + path, {
      ca: this.deployment.ca,
      ...options,
    });
    try {
      answer.json = JSON.parse(answer.body);
    } catch {
      /* not every answer is JSON */
    }
    return answer;
  }

  /// A form posted to an endpoint, see formText(). `client`: authenticated by Basic, or by client_id in the form when
  /// it has no secret; `basic`: [id, secret]; `bearer`: an access token.
  post(path, parameters, { client, basic, bearer, headers } = {}) {
    let body = formText(parameters);
    if (client && !client.secret) body += `${body ? "&" : ""}client_id=${client.id}`;
    const credentials = basic ?? (client?.secret ? [client.id, client.secret] : null);
    const authorization = credentials ? basicOf(...credentials) : bearer ? `Bearer ${bearer}` : null;
    return this.ask(path, {
      method: "POST",
      body,
      headers: {
        "content-type": FORM,
        "content-length": Buffer.byteLength(body),
        ...(authorization ? { authorization } : {}),
        ...headers,
      },
    });
  }

  /// See sendRaw().
  raw(bytes, options) {
    return sendRaw(this.deployment, bytes, options);
  }

  /// A browser that nobody has signed in with.
  person() {
    return new UserAgent({ ca: this.deployment.ca });
  }

  /// `parameters` replace the usual ones of `client`; undefined takes one away.
  authorizationUrl(client, parameters = {}) {
    const usual = {
      client_id: client.id,
      redirect_uri: client.redirectUri,
      response_type: "code",
      scope: "openid",
      state: "s-1",
      code_challenge: challengeOf("v".repeat(43)),
      code_challenge_method: "S256",
    };
    return `${this.issuer}/authorize?${formText({ ...usual, ...parameters })}`;
  }

  /// Through login and consent to wherever the browser is sent then: a page of user_agent.mjs.
  async walk(person, url, { user = this.user, decision = "approve" } = {}) {
    let page = await person.visit(url);
    if (page.form?.buttons.login) page = await person.signIn(page, user.username, user.password);
    if (page.form?.buttons[decision]) page = await person.submit(page, decision);
    return page;
  }

  /// A fresh code: { code, verifier, redirect_uri, person }. Without `person` it is a browser where the user is signed
  /// in since the first time, whose sign-in the others wait for: a second one would end the forms of the first.
  async code(client, parameters = {}, person = undefined) {
    if (person) return this.#codeIn(person, client, parameters);
    this.#browser ??= this.person();
    if (this.#signingIn) await this.#signingIn.catch(() => {});
    const code = this.#codeIn(this.#browser, client, parameters);
    this.#signingIn ??= code;
    return code;
  }

  async #codeIn(browser, client, parameters) {
    const verifier = newVerifier();
    const page = await this.walk(
      browser,
      this.authorizationUrl(client, { code_challenge: challengeOf(verifier), ...parameters }),
    );
    const code = page.location?.searchParams.get("code");
    if (!code) throw new Error(`no code: ${page.status} ${page.title} ${page.location ?? ""}`);
    return { code, verifier, redirect_uri: client.redirectUri, person: browser };
  }

  /// `extra` replaces parameters of the token request; undefined takes one away.
  exchange(client, { code, verifier, redirect_uri }, extra = {}, options = {}) {
    return this.post(
      "/token",
      { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier, ...extra },
      { client, ...options },
    );
  }

  /// The token response of a whole sign-in; throws when it is refused.
  async tokens(client, parameters = {}, person = undefined) {
    const { status, body, json } = await this.exchange(client, await this.code(client, parameters, person));
    if (status !== 200) throw new Error(`no tokens: ${status} ${body}`);
    return json;
  }

  refresh(client, refreshToken, extra = {}, options = {}) {
    return this.post(
      "/token",
      { grant_type: "refresh_token", refresh_token: refreshToken, ...extra },
      { client, ...options },
    );
  }

  /// What the client "other", an API perhaps, is told about a token.
  async introspect(token, extra = {}) {
    const { status, body, json } = await this.post(
      "/token/introspect",
      { token, ...extra },
      { client: this.clients.other },
    );
    if (status !== 200) throw new Error(`introspection: ${status} ${body}`);
    return json;
  }

  userinfo(token) {
    return this.ask("/userinfo", { headers: { authorization: `Bearer ${token}` } });
  }

  revoke(client, token, extra = {}) {
    return this.post("/token/revoke", { token, ...extra }, { client });
  }
}
