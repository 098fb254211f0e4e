// A deployment behind a web server with somebody to sign in and two clients: what the tests of all web servers ask for.
import { createHash, randomBytes } from "node:crypto";
import { Deployment } from "../support/deployment.mjs";
import { sendRaw } from "../support/raw.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";

export const PERSON = {
  username: "mara",
  password: "correct horse battery",
  claims: { name: "Mara Müller", email: "mara@example.org" },
};
export const REDIRECT_URI = "https://client.example/callback";
export const SIGNED_OUT_URI = "https://client.example/signed-out";
export const PAGE_ORIGIN = "https://page.example";

const FORM = "application/x-www-form-urlencoded";

/// What is equal whenever an answer is: all but the request's id, the time, and how the web server marks the end.
export function essence({ status, headers, body }) {
  const { date, "x-request-id": id, "content-length": length, "transfer-encoding": coding, ...rest } = headers;
  return { status, headers: rest, body: id ? body.replaceAll(id, "") : body };
}

export class Site {
  static async open(options) {
    const site = new Site();
    site.deployment = await Deployment.start(options);
    try {
      site.person = await site.deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
      const { client_id, client_secret } = await site.deployment.addClient(
        "app",
        REDIRECT_URI,
        ...["authorization_code", "refresh_token", "client_credentials"].flatMap((name) => ["--grant", name]),
        "--scope",
        "openid profile email reports",
        "--post-logout-redirect-uri",
        SIGNED_OUT_URI,
      );
      site.basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`;
      await site.deployment.addClient("page", `${PAGE_ORIGIN}/`, "--public");
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  async close() {
    await this.deployment.stop();
  }

  get issuer() {
    return this.deployment.issuer;
  }
  get base() {
    return new URL(this.issuer).pathname.replace(/\/$/, "");
  }

  /// `path` is below the issuer, or a whole URL.
  ask(path, options = {}) {
    return request(/^https?:/.test(path) ? path : this.issuer + path, { ca: this.deployment.ca, ...options });
  }

  /// A form sent to an endpoint by the client "app".
  post(path, form, headers = {}) {
    const body = new URLSearchParams(form).toString();
    return this.ask(path, {
      method: "POST",
      body,
      headers: {
        "content-type": FORM,
        "content-length": Buffer.byteLength(body),
        authorization: this.basic,
        ...headers,
      },
    });
  }

  get agent() {
    return new UserAgent({ ca: this.deployment.ca });
  }

  /// A new authorization request of "app": { url, verifier, state }.
  begin(more = {}) {
    const verifier = randomBytes(32).toString("base64url");
    const state = randomBytes(12).toString("base64url");
    const query = new URLSearchParams({
      client_id: "app",
      redirect_uri: REDIRECT_URI,
      response_type: "code",
      scope: "openid profile email",
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...more,
    });
    return { url: `${this.issuer}/authorize?${query}`, verifier, state };
  }

  /// Signs in and agrees: { code, verifier }.
  async signIn(agent = this.agent, more = {}) {
    const { url, verifier } = this.begin(more);
    let page = await agent.visit(url);
    if (page.form?.buttons.login) page = await agent.signIn(page, PERSON.username, PERSON.password);
    if (page.form?.buttons.approve) page = await agent.approve(page);
    const code = page.location?.searchParams.get("code");
    if (!code) throw new Error(`no code: ${page.status} ${page.title} ${page.location ?? ""}`);
    return { code, verifier };
  }

  redeem({ code, verifier }) {
    return this.post("/token", {
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    });
  }

  /// See sendRaw().
  raw(bytes, options) {
    return sendRaw(this.deployment, bytes, options);
  }

  /// A POST to the token endpoint written by hand: `lines` are its headers besides Host.
  rawToken(lines, body, options) {
    const head = [
      `POST ${this.base}/token HTTP/1.1`,
      `Host: 127.0.0.1:${this.deployment.port}`,
      "Connection: close",
      ...lines,
      "",
      "",
    ];
    return this.raw(head.join("\r\n") + body, options);
  }
}

export { statusOf } from "../support/raw.mjs";
