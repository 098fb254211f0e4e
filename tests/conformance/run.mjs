// One run of one module: the suite's side of the conversation, and the findings it gathers. Checks that the suite makes
// in some modules only (extra claims in the ID token, Cache-Control, the entropy of a code) are made in all of them
// here.
import { randomInt } from "node:crypto";
import { UserAgent, request } from "../support/user_agent.mjs";
import {
  checkDelivery,
  checkErrorResponse,
  checkIss,
  checkLogoutRedirect,
  checkState,
  checkSuccessResponse,
} from "./checks/authorization_response.mjs";
import { checkUserinfo } from "./checks/claims.mjs";
import { worst } from "./checks/finding.mjs";
import { checkPage, kindOf } from "./checks/page.mjs";
import { checkAuthMethod, checkEndpoints, checkIssuer, checkJwks } from "./checks/server.mjs";
import {
  checkHashes,
  checkIdTokenClaims,
  checkIdTokenExtras,
  checkSignature,
  checkTokenResponse,
  parseJwt,
} from "./checks/tokens.mjs";
import { POST_LOGOUT_REDIRECT_URI, REDIRECT_URI, USER } from "./provider.mjs";

const MAX_PAGES = 6;
const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LOGIN_ERRORS = ["login_required", "interaction_required", "account_selection_required", "consent_required"];

export const randomText = (length) =>
  Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join("");
/// The long state of some modules: 128 characters, those of RFC 3986 §2.3 that are not alphanumeric at the end.
export const longState = () => `${randomText(124)}-._~`;

// as the suite does it: RFC 6749 §2.3.1
const formEncode = (text) => new URLSearchParams({ "": text }).toString().slice(1);
/// A parameter that is undefined is left out.
const queryOf = (parameters) =>
  new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined));

/// Thrown when a module cannot go on; what is wrong is among the findings by then.
export class Stop extends Error {}

export class Run {
  findings = [];
  reviews = [];
  skipped = null;

  /// `mode` is "query" or "form_post"; `send` stands between the run and the network.
  constructor({ deployment, clients }, { mode = "query", send = request } = {}) {
    Object.assign(this, { deployment, clients, mode, send, agent: new UserAgent({ ca: deployment.ca, send }) });
  }

  /// Seconds pass on the provider's clock. Runs beside this one see them pass, too.
  wait(seconds) {
    return this.deployment.advance(seconds);
  }

  now() {
    return this.deployment.now();
  }

  /// Records what checks found; answers whether there was nothing of the level FAILURE.
  check(...lists) {
    const found = lists.flat();
    this.findings.push(...found);
    return worst(found) !== "FAILURE";
  }

  /// The same for what the rest of the module cannot do without.
  require(...lists) {
    if (!this.check(...lists)) throw new Stop();
  }

  fail(text) {
    this.require([{ level: "FAILURE", text }]);
  }
  warn(text) {
    this.check([{ level: "WARNING", text }]);
  }
  expect(good, text) {
    if (!good) this.check([{ level: "FAILURE", text }]);
  }

  skip(reason) {
    this.skipped = reason;
    throw new Stop();
  }

  get result() {
    return worst(this.findings) ?? (this.skipped ? "SKIPPED" : "PASSED");
  }

  get notes() {
    return [
      ...this.findings.map(({ level, text }) => `${level}: ${text}`),
      ...(this.skipped ? [this.skipped] : []),
      ...this.reviews.map((text) => `seen: ${text}`),
    ];
  }

  /// One request; the answer's body is parsed into `json` when it is JSON.
  async fetch(url, { method = "GET", headers = {}, form } = {}) {
    const body = form && queryOf(form).toString();
    const more = form ? { "content-type": "application/x-www-form-urlencoded" } : {};
    const length = method === "POST" ? { "content-length": Buffer.byteLength(body ?? "") } : {};
    const answer = await this.send(url, {
      method,
      body,
      ca: this.deployment.ca,
      headers: { accept: "application/json", ...more, ...length, ...headers },
    });
    try {
      return { ...answer, json: JSON.parse(answer.body) };
    } catch {
      return { ...answer, json: undefined };
    }
  }

  /// What every module begins with: discovery, the key set and the client's method.
  async setUp(client = "client") {
    const address = `${this.deployment.issuer}/.well-known/openid-configuration`;
    this.discovery = await this.fetch(address);
    this.metadata = this.discovery.json ?? {};
    this.require(
      checkIssuer(this.metadata, address),
      checkEndpoints(this.metadata),
      checkAuthMethod(this.metadata, this.clients[client].method),
    );
    this.jwks = (await this.fetch(this.metadata.jwks_uri)).json;
    this.require(checkJwks(this.jwks));
  }

  supports(member, value) {
    return this.metadata[member]?.includes(value) === true;
  }

  /// The person in front of the browser: signs in and agrees wherever that is asked. { page, seen }: the last page and
  /// the kinds of those before it.
  async walk(page) {
    const seen = [];
    const answers = {
      login: () => this.agent.signIn(page, USER.username, USER.password),
      consent: () => this.agent.approve(page),
      form_post: () => this.agent.submit(page, "continue"),
    };
    while (!page.location && kindOf(page) in answers && seen.length < MAX_PAGES) {
      this.require(checkPage(page, [kindOf(page)]));
      seen.push(kindOf(page));
      page = await answers[kindOf(page)]();
    }
    return { page, seen };
  }

  /// The parameters of an authorization request; one that is undefined is left out of it.
  newRequest({ client = "client", parameters = {} } = {}) {
    return {
      response_type: "code",
      client_id: this.clients[client].id,
      redirect_uri: REDIRECT_URI,
      scope: "openid",
      state: randomText(10),
      nonce: randomText(10),
      ...(this.mode === "form_post" && { response_mode: "form_post" }),
      ...parameters,
    };
  }

  authorizationUrl(sent) {
    return `${this.metadata.authorization_endpoint}?${queryOf(sent)}`;
  }

  /// One authorization request and what became of it: { client, sent, seen, page, callback }, with `callback` when the
  /// browser was sent to another site, and `seen` without the page that posts itself.
  async authorize({ client = "client", parameters, post = false } = {}) {
    const sent = this.newRequest({ client, parameters });
    const first = post
      ? this.agent.post(this.metadata.authorization_endpoint, queryOf(sent))
      : this.agent.visit(this.authorizationUrl(sent));
    const { page, seen } = await this.walk(await first);
    const callback = page.location && {
      target: page.location.href,
      method: page.posted ? page.form.method : "GET",
      enctype: page.form?.enctype,
      parameters: page.posted ?? page.location.searchParams,
    };
    return { client, sent, page, callback, seen: seen.filter((kind) => kind !== "form_post") };
  }

  #checkCallback({ page, callback, sent }) {
    if (!callback) this.fail(`not sent back to the client but shown "${page.title}" (${page.status})`);
    this.check(
      checkDelivery(callback, { mode: this.mode, redirectUri: REDIRECT_URI }),
      checkState(callback.parameters, sent.state),
      checkIss(callback.parameters, this.metadata),
    );
    return callback.parameters;
  }

  /// The code that a flow must have brought.
  expectCode(flow) {
    const parameters = this.#checkCallback(flow);
    this.require(checkSuccessResponse(parameters));
    return parameters.get("code");
  }

  /// An error that a flow must have brought.
  expectError(flow, allowed) {
    this.require(checkErrorResponse(this.#checkCallback(flow), allowed));
  }

  /// The answer to prompt=none when nobody is signed in.
  expectNobody(flow) {
    this.expectError(flow, LOGIN_ERRORS);
    this.expectNoPage(flow);
  }

  expectNoPage(flow) {
    this.expect(flow.seen.length === 0, `a page was shown: ${flow.seen}`);
  }

  /// What the suite wants a screenshot of.
  review(page, ...kinds) {
    this.require(checkPage(page, kinds));
    this.reviews.push(`${kindOf(page)} page`);
  }

  expectLogin(flow) {
    if (flow.seen.includes("login")) this.reviews.push("login page");
    else this.fail("nobody was asked to sign in again");
  }

  /// A request to the token endpoint in the client's own way.
  async tokenRequest(client, form) {
    const { id, secret, method } = this.clients[client];
    const basic = Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString("base64");
    const withCredentials = {
      client_secret_basic: { form, headers: { authorization: `Basic ${basic}` } },
      client_secret_post: { form: { ...form, client_id: id, client_secret: secret } },
    };
    return this.fetch(this.metadata.token_endpoint, { method: "POST", ...withCredentials[method] });
  }

  codeRequest({ client, code }, more = {}) {
    return this.tokenRequest(client, { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, ...more });
  }

  /// Reads and checks the ID token of a token response.
  readIdToken(text, { client, nonce, accessToken, code }) {
    const idToken = parseJwt(text);
    const clientId = this.clients[client].id;
    this.check(
      checkSignature(idToken, this.jwks),
      checkIdTokenClaims(idToken.claims, { issuer: this.metadata.issuer, clientId, nonce, now: this.now() }),
      checkHashes(idToken.claims, { accessToken, code }),
      checkIdTokenExtras(idToken.claims),
    );
    return idToken.claims;
  }

  /// A whole flow: authorization, code, tokens, ID token, UserInfo; `exchange` goes into the token request.
  async signIn({ exchange, ...options } = {}) {
    return this.finish(await this.authorize(options), exchange);
  }

  /// Everything after the authorization. Adds `code`, `tokens`, `claims` and `userinfo` to the flow.
  async finish(flow, exchange) {
    flow.code = this.expectCode(flow);
    const answer = await this.codeRequest(flow, exchange);
    this.require(checkTokenResponse(answer, { idToken: "required" }));
    flow.tokens = answer.json;
    const {
      client,
      code,
      sent: { nonce },
      tokens: { access_token: accessToken },
    } = flow;
    flow.claims = this.readIdToken(flow.tokens.id_token, { client, nonce, accessToken, code });
    flow.userinfo = await this.expectUserinfo(flow);
    return flow;
  }

  /// UserInfo by GET and header unless `how` says otherwise, all of it checked.
  async expectUserinfo({ tokens, claims }, how = {}) {
    const answer = await this.userinfo(tokens, how);
    this.require(checkUserinfo(answer, claims));
    return answer.json;
  }

  userinfo({ access_token }, { method, form, headers = { authorization: `Bearer ${access_token}` } } = {}) {
    return this.fetch(this.metadata.userinfo_endpoint, { method, form, headers });
  }

  /// The browser goes to the logout endpoint, and the person confirms where that is asked: { page, seen, location }.
  async logout(parameters) {
    if (!this.metadata.end_session_endpoint) this.fail("there is no end_session_endpoint");
    let page = await this.agent.visit(`${this.metadata.end_session_endpoint}?${queryOf(parameters)}`);
    const seen = [];
    if (!page.location && kindOf(page) === "logout confirmation") {
      this.review(page, "logout confirmation");
      seen.push(kindOf(page));
      page = await this.agent.submit(page, "logout");
    }
    return { page, seen, location: page.location };
  }

  expectLogoutRedirect({ location, page }, state) {
    if (!location) this.fail(`not sent back to the client but shown "${page.title}" (${page.status})`);
    this.require(checkLogoutRedirect(location, { redirectUri: POST_LOGOUT_REDIRECT_URI, state }));
  }

  /// Nothing is left of the login: prompt=none brings an error.
  async expectSessionGone() {
    this.expectNobody(await this.authorize({ parameters: { prompt: "none", state: longState() } }));
  }
}

/// Ninety characters of which many have a meaning in a URL or in HTML; blank, plus and semicolon are not among them.
export function difficultState() {
  const signs = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
    (sign) => !/[A-Za-z0-9]/.test(sign),
  );
  const punctuation = Array.from({ length: 30 }, (_, at) => signs[at % signs.length].replace(/[ +;]/, "~"));
  const letters = Array.from({ length: 50 }, () => ALPHANUMERIC[randomInt(52)]);
  const digits = Array.from({ length: 10 }, () => String(randomInt(10)));
  const numbered = [...letters, ...digits, ...punctuation].map((sign) => [Math.random(), sign]);
  return numbered
    .sort(([a], [b]) => a - b)
    .map(([, sign]) => sign)
    .join("");
}

/// Runs one module to its end; an exception of the network or of a page that cannot be read is a FAILURE, too.
export async function runModule(provider, { module, client, ...options }) {
  const run = new Run(provider, options);
  try {
    await run.setUp(client);
    await module(run);
  } catch (error) {
    if (!(error instanceof Stop)) run.check([{ level: "FAILURE", text: error.message }]);
  }
  return run;
}
