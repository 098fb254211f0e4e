// Tokens of a person and of a program, for APIs to judge.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { Deployment } from "../support/deployment.mjs";
import { request } from "../support/user_agent.mjs";
import { Person } from "./person.mjs";
import { PERSON } from "./provider.mjs";

const REDIRECT_URI = "https://application.example/callback";
const SCOPE = "openid profile email reports reports-of-others";
export const API_CLIENT = "reports-api";

/// A provider with a person, an application that may have the scope "reports", a program that may have it too, and the
/// API itself, registered as examples/clients tells. End it with deployment.stop().
export async function openTokenSource({ config = {}, ...options } = {}) {
  const deployment = await Deployment.start({
    config: { scopeDescriptions: { reports: "Read reports" }, ...config },
    ...options,
  });
  try {
    const { sub } = await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    const application = await deployment.addClient("application", REDIRECT_URI, "--scope", SCOPE);
    const itself = ["--grant", "client_credentials", "--scope"];
    const program = await deployment.postern(["client", "add", "program", ...itself, "reports"]);
    const api = await deployment.postern(["client", "add", API_CLIENT, "--name", "Reports", ...itself, ""]);
    return new TokenSource({ deployment, sub, application, program, api });
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/// What a JWT says, whatever key signed it.
export const claimsOf = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url"));

export async function untilExpired(token) {
  const { exp } = claimsOf(token);
  while (Date.now() / 1000 <= exp + 1) await new Promise((done) => setTimeout(done, 20));
}

/// The same with another signature.
export function altered(token) {
  const [head, body, signature] = token.split(".");
  return `${head}.${body}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
}

class TokenSource {
  constructor(parts) {
    Object.assign(this, parts);
  }

  /// An application like the one that is there, with options of its own.
  async addApplication(id, ...options) {
    return this.deployment.addClient(id, REDIRECT_URI, "--scope", SCOPE, ...options);
  }

  async addPerson(username) {
    const person = { ...PERSON, username };
    await this.deployment.addUser(username, person.password);
    return person;
  }

  /// The token response for a person who signed in. `application`: another one of addApplication(); `resource`: the API
  /// that both requests name.
  async ofPerson(scope = "openid profile reports", who = PERSON, { application = this.application, resource } = {}) {
    const { deployment } = this;
    const target = resource === undefined ? {} : { resource };
    const verifier = randomBytes(32).toString("base64url");
    const asked = new URLSearchParams({
      client_id: application.client_id,
      response_type: "code",
      redirect_uri: REDIRECT_URI,
      scope,
      state: "s",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...target,
    });
    const until = (page) => page.location?.href.startsWith(REDIRECT_URI);
    const { location } = await new Person(deployment.ca, who).signIn(`${deployment.issuer}/authorize?${asked}`, {
      until,
    });
    return this.#ask("/token", application, {
      grant_type: "authorization_code",
      code: location.searchParams.get("code"),
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
      ...target,
    });
  }

  /// The token response for the program itself.
  async ofProgram() {
    return this.#ask("/token", this.program, { grant_type: "client_credentials" });
  }

  async revoke(token) {
    return this.#ask("/token/revoke", this.application, { token });
  }

  async introspect(token) {
    return this.#ask("/token/introspect", this.api, { token });
  }

  /// A token that has expired, of a deployment with a short accessTokenTTL.
  async expired() {
    const { access_token: token } = await this.ofPerson();
    await untilExpired(token);
    return token;
  }

  async #ask(path, { client_id, client_secret }, form) {
    const body = new URLSearchParams(form).toString();
    const headers = {
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
    };
    const answer = await request(`${this.deployment.issuer}${path}`, {
      method: "POST",
      ca: this.deployment.ca,
      headers,
      body,
    });
    assert.equal(answer.status, 200, `${path}: ${answer.body}`);
    return answer.body === "" ? null : JSON.parse(answer.body);
  }
}
