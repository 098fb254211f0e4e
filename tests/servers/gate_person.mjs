// A user in front of sites behind the gate.
import { createHash, randomBytes } from "node:crypto";
import { UserAgent, request } from "../support/user_agent.mjs";

/// Of the client "tool".
export const REDIRECT_URI = "https://tool.example/callback";

export const PAGE = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

/// A request as a browser sends one for a page.
export const asPage = (url, options) => request(url, { ...options, headers: { ...PAGE, ...options?.headers } });

/// A browser that signs in to sites: one jar for each of them, and one for the provider. `send` stands between it and
/// the sites.
export class Person {
  static PASSWORD = "correct horse battery staple";

  constructor(ca, username, send = asPage) {
    Object.assign(this, { ca, username, send, provider: new UserAgent({ ca }) });
  }

  /// The user agent that has the cookie of the site at `url`; `led` is its first answer, `page` the last.
  async signIn(url) {
    const { ca, send } = this;
    const agent = new UserAgent({ ca, send });
    agent.led = await agent.visit(url);
    let answered = await this.provider.visit(agent.led.location.href);
    if (!answered.location) answered = await this.provider.signIn(answered, this.username, Person.PASSWORD);
    agent.page = await agent.visit(answered.location.href);
    return agent;
  }

  /// An access token for the API at `resource`, by the client "tool" and the session that the provider has.
  async token(issuer, resource) {
    const verifier = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "tool",
      redirect_uri: REDIRECT_URI,
      scope: "openid",
      state: "s",
      resource,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    let answered = await this.provider.visit(`${issuer}/authorize?${query}`);
    if (!answered.location) answered = await this.provider.signIn(answered, this.username, Person.PASSWORD);
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "tool",
      redirect_uri: REDIRECT_URI,
      code: answered.location.searchParams.get("code"),
      code_verifier: verifier,
      resource,
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
    return JSON.parse((await request(`${issuer}/token`, { method: "POST", ca: this.ca, headers, body })).body)
      .access_token;
  }
}
