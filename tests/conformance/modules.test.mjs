// The conformance driver in front of a provider that does one thing wrong, for every module: something between the two
// changes what is asked or what is answered. A module that does not notice would certify nothing.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { request } from "../support/user_agent.mjs";
import { BASIC } from "./modules/basic.mjs";
import { CONFIG } from "./modules/config.mjs";
import { LOGOUT } from "./modules/logout.mjs";
import { POST_LOGOUT_REDIRECT_URI, REDIRECT_URI, openProvider } from "./provider.mjs";
import { runModule } from "./run.mjs";

const ends = (path) => (url) => new URL(url).pathname.endsWith(path);
const authorize = (url) => ends("/authorize")(url) && !new URL(url).searchParams.has("resume");

let provider; // of all runs

/// Faults are functions (url, options, pass) that answer a response, `pass` being the way to the server.

/// The parameters of an authorization request as the server gets them.
const asks = (change) => (url, options, pass) => {
  if (!authorize(url) || !change) return pass(url, options);
  const changed = new URL(url);
  change(changed.searchParams);
  return pass(changed.href, options);
};
const ignores = (...names) => asks((parameters) => names.forEach((name) => parameters.delete(name)));
const dislikes = (name) =>
  asks((parameters) => {
    if (parameters.has(name)) parameters.set("response_type", "unknown");
  });

/// The answer of an endpoint, changed; `change` may answer another one.
const answers = (path, change) => async (url, options, pass) => {
  const answer = await pass(url, options);
  return ends(path)(url) ? (change(answer, { url, options }) ?? answer) : answer;
};
const json = (path, change) =>
  answers(path, (answer) => {
    const value = JSON.parse(answer.body);
    change(value);
    return { ...answer, body: JSON.stringify(value) };
  });
const publishes = (change) => json("/openid-configuration", change);
const redirects = (path, change) =>
  answers(path, (answer) => {
    if (!answer.headers.location?.startsWith(new URL(REDIRECT_URI).origin)) return answer;
    const location = new URL(answer.headers.location);
    change(location.searchParams);
    return { ...answer, headers: { ...answer.headers, location: location.href } };
  });

/// The second request to an endpoint is answered like the first.
function repeats(path) {
  let first;
  return async (url, options, pass) => {
    if (!ends(path)(url)) return pass(url, options);
    first ??= await pass(url, options);
    return first;
  };
}

/// The logout endpoint is never asked: this comes instead.
const logsOutBy = (answer) => (url, options, pass) => (ends("/logout")(url) ? answer : pass(url, options));
const page = (title) => ({
  status: 200,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<title>${title}</title>`,
});
const back = (query) => ({ status: 303, headers: { location: `${POST_LOGOUT_REDIRECT_URI}${query}` }, body: "" });
const alwaysBack = logsOutBy(back(""));
const backWithState = (url, options, pass) => {
  const state = new URL(url).searchParams.get("state") ?? "";
  return logsOutBy(back(`?${new URLSearchParams({ state })}`))(url, options, pass);
};

/// The refresh token of the one client is presented by the other as if that one had been asked.
function confusesClients() {
  let last;
  return async (url, options, pass) => {
    const answer = await pass(url, options);
    if (!ends("/token")(url)) return answer;
    if (answer.status === 200) last = answer;
    return answer.status === 400 ? last : answer;
  };
}

const F = "FAILURE";
const W = "WARNING";
// By module: rows [level, what the finding says, fault].
const FAULTS = {
  "oidcc-server": [
    [F, /^state/, redirects("/authorize", (query) => query.delete("state"))],
    [F, /iss is not/, redirects("/authorize", (query) => query.set("iss", "x"))],
    [F, /nonce/, ignores("nonce")],
    [F, /no-store/, answers("/token", (answer) => void delete answer.headers["cache-control"])],
    [F, /key set/, json("/jwks", (set) => delete set.keys)],
    [F, /0 keys/, json("/jwks", (set) => set.keys.forEach((key) => (key.kid += "x")))],
    [W, /expires_in/, json("/token", (tokens) => delete tokens.expires_in)],
    [F, /at_hash/, json("/token", (tokens) => (tokens.access_token += "x"))],
    [F, /UserInfo/, answers("/userinfo", (answer) => ({ ...answer, status: 401 }))],
    [F, /cut/, () => Promise.reject(new Error("the line was cut"))],
  ],
  "oidcc-response-type-missing": [
    [F, /not one of/, redirects("/authorize", (query) => query.set("error", "server_error"))],
  ],
  "oidcc-userinfo-get": [[F, /differs/, json("/userinfo", (claims) => (claims.sub += "x"))]],
  "oidcc-userinfo-post-header": [
    [
      F,
      /405/,
      answers("/userinfo", (answer, { options }) => (options.method === "POST" ? { ...answer, status: 405 } : answer)),
    ],
  ],
  "oidcc-userinfo-post-body": [
    [W, /400/, answers("/userinfo", (answer, { options }) => (options.body ? { ...answer, status: 400 } : answer))],
  ],
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": [
    [F, /no code/, asks((query) => !query.has("nonce") && query.set("response_type", "x"))],
  ],
  "oidcc-scope-profile": [[W, /lacks.*zoneinfo/, json("/userinfo", (claims) => delete claims.zoneinfo)]],
  "oidcc-scope-email": [[W, /gives name/, json("/userinfo", (claims) => (claims.name = "Zoë"))]],
  "oidcc-scope-address": [[F, /address is/, json("/userinfo", (claims) => (claims.address = "Am Tor 1"))]],
  "oidcc-scope-phone": [
    [W, /lacks phone_number_verified/, json("/userinfo", (claims) => delete claims.phone_number_verified)],
  ],
  "oidcc-scope-all": [[W, /lacks phone/, asks((query) => query.set("scope", "openid email"))]],
  "oidcc-alternate-happy-flow": [
    [W, /lacks email/, asks((query) => query.get("scope") === "email openid" && query.set("scope", "openid"))],
  ],
  "oidcc-display-page": [[F, /no code/, dislikes("display")]],
  "oidcc-display-popup": [[F, /no code/, dislikes("display")]],
  "oidcc-prompt-login": [[F, /sign in again/, ignores("prompt")]],
  "oidcc-prompt-none-not-logged-in": [[F, /not one of/, ignores("prompt")]],
  "oidcc-prompt-none-logged-in": [
    [F, /page was shown/, asks((query) => query.get("prompt") && query.set("prompt", "login"))],
  ],
  "oidcc-max-age-1": [[F, /sign in again/, ignores("max_age")]],
  "oidcc-max-age-10000": [
    [
      F,
      /auth_time has changed/,
      async (url, options, pass) => {
        if (!authorize(url) || !url.includes("max_age=10000")) return pass(url, options);
        await provider.deployment.advance(1); // so that auth_time can differ
        return pass(url.replace("max_age=10000", "prompt=login"), options);
      },
    ],
  ],
  "oidcc-ensure-request-with-unknown-parameter-succeeds": [[F, /no code/, dislikes("extra")]],
  "oidcc-id-token-hint": [
    [F, /login_required/, asks((query) => query.get("id_token_hint") && query.set("max_age", "0"))],
  ],
  "oidcc-login-hint": [[F, /no code/, dislikes("login_hint")]],
  "oidcc-ui-locales": [[F, /no code/, dislikes("ui_locales")]],
  "oidcc-claims-locales": [[F, /no code/, dislikes("claims_locales")]],
  "oidcc-ensure-request-with-acr-values-succeeds": [
    [W, /acr/, publishes((document) => (document.acr_values_supported = ["another"]))],
  ],
  "oidcc-codereuse": [
    [W, /used twice/, repeats("/token")],
    [
      F,
      /invalid_grant/,
      json("/token", (tokens) => Object.assign(tokens, tokens.error && { error: "invalid_request" })),
    ],
  ],
  "oidcc-codereuse-30seconds": [
    [F, /200/, repeats("/token")],
    [W, /UserInfo answers 200/, repeats("/userinfo")],
  ],
  "oidcc-ensure-registered-redirect-uri": [
    [F, /browser was sent/, asks((query) => query.set("redirect_uri", REDIRECT_URI))],
  ],
  "oidcc-ensure-post-request-succeeds": [
    [
      W,
      /POST at/,
      answers("/authorize", (answer, { options }) =>
        options.method === "POST" ? { ...page("no"), status: 405 } : answer,
      ),
    ],
  ],
  "oidcc-server-client-secret-post": [
    [
      F,
      /not among/,
      publishes((document) => (document.token_endpoint_auth_methods_supported = ["client_secret_basic"])),
    ],
  ],
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": [[F, /^state/, ignores("request")]],
  "oidcc-claims-essential": [[W, /lacks name/, ignores("claims")]],
  "oidcc-ensure-request-object-with-redirect-uri": [
    [F, /no code/, asks((query) => query.set("redirect_uri", REDIRECT_URI))],
  ],
  "oidcc-refresh-token": [
    [W, /none was issued/, json("/token", (tokens) => delete tokens.refresh_token)],
    [F, /200/, confusesClients()],
    [W, /lacks refresh_token/, publishes((document) => (document.grant_types_supported = ["authorization_code"]))],
    [F, /iat/, repeats("/token")],
  ],
  "oidcc-ensure-request-with-valid-pkce-succeeds": [[F, /400/, ignores("code_challenge", "code_challenge_method")]],

  "oidcc-discovery-endpoint-verification": [
    [W, /claims_supported/, publishes((document) => delete document.claims_supported)],
    [F, /found at/, publishes((document) => (document.issuer += "/x"))],
  ],

  "oidcc-rp-initiated-logout-discovery-endpoint-verification": [
    [F, /no end_session/, publishes((document) => delete document.end_session_endpoint)],
  ],
  "oidcc-rp-initiated-logout": [
    [F, /state/, alwaysBack],
    [F, /login_required/, backWithState],
    [F, /not sent back/, logsOutBy(page("You are signed out"))],
  ],
  "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri": [[F, /browser was sent/, alwaysBack]],
  "oidcc-rp-initiated-logout-modified-id-token-hint": [[F, /browser was sent/, alwaysBack]],
  "oidcc-rp-initiated-logout-no-id-token-hint": [[F, /browser was sent/, alwaysBack]],
  "oidcc-rp-initiated-logout-no-params": [
    [F, /browser was sent/, alwaysBack],
    [F, /login_required/, logsOutBy(page("You are signed out"))],
  ],
  "oidcc-rp-initiated-logout-no-post-logout-redirect-uri": [
    [F, /browser was sent/, alwaysBack],
    [F, /login_required/, logsOutBy(page("You are signed out"))],
  ],
  "oidcc-rp-initiated-logout-no-state": [
    [F, /state/, backWithState],
    [F, /login_required/, alwaysBack],
  ],
  "oidcc-rp-initiated-logout-only-state": [
    [F, /is other/, logsOutBy(page("You are still signed in"))],
    [F, /login_required/, logsOutBy(page("You are signed out"))],
  ],
  "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri": [[F, /browser was sent/, alwaysBack]],
  "oidcc-rp-initiated-logout-bad-id-token-hint": [[F, /browser was sent/, alwaysBack]],
};
const MODULES = { ...BASIC, ...CONFIG, ...LOGOUT };

describe("the modules of the conformance driver in front of a provider with a fault", { concurrency: 4 }, () => {
  before(async () => {
    provider = await openProvider();
  });
  after(async () => {
    await provider?.deployment.stop();
  });

  it("are all tried here", () => assert.deepEqual(Object.keys(FAULTS).sort(), Object.keys(MODULES).sort()));

  for (const [name, rows] of Object.entries(FAULTS)) {
    it(`${name} notices ${rows.length === 1 ? "it" : `each of ${rows.length}`}`, async () => {
      for (const [level, says, fault] of rows) {
        const send = async (url, options) => fault(url, options, request);
        const client = name === "oidcc-server-client-secret-post" ? "client_secret_post" : undefined;
        const run = await runModule(provider, { module: MODULES[name], client, send });
        const found = run.findings.some((finding) => finding.level === level && says.test(finding.text));
        assert.ok(found, `${level} ${says} is not in ${JSON.stringify(run.findings)}`);
        assert.equal(run.result, level);
      }
    });
  }
});
