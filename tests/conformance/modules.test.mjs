// The conformance driver in front of a provider that does one thing wrong: something between the two changes what is
// asked or what is answered, and the driver has to notice. One fault for each way in which modules judge.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { BASIC } from "./modules/basic.mjs";
import { CONFIG } from "./modules/config.mjs";
import { LOGOUT } from "./modules/logout.mjs";
import { POST_LOGOUT_REDIRECT_URI, REDIRECT_URI, openProvider } from "./provider.mjs";
import { runModule } from "./run.mjs";

const MODULES = { ...BASIC, ...CONFIG, ...LOGOUT };
const ends = (path) => (url) => new URL(url).pathname.endsWith(path);
const authorize = (url) => ends("/authorize")(url) && !new URL(url).searchParams.has("resume");

/// Faults are functions (url, options, pass) that answer a response, `pass` being the way to the server.

/// Takes parameters away from each authorization request.
const ignores =
  (...names) =>
  (url, options, pass) => {
    const changed = new URL(url);
    if (authorize(url)) for (const name of names) changed.searchParams.delete(name);
    return pass(changed.href, options);
  };
/// Changes the answer of an endpoint.
const answers = (path, change) => async (url, options, pass) => {
  const answer = await pass(url, options);
  return ends(path)(url) ? change(answer) : answer;
};
const json = (path, change) =>
  answers(path, (answer) => {
    const value = JSON.parse(answer.body);
    change(value);
    return { ...answer, body: JSON.stringify(value) };
  });
const redirects = (change) =>
  answers("/authorize", (answer) => {
    if (!answer.headers.location?.startsWith(new URL(REDIRECT_URI).origin)) return answer;
    const location = new URL(answer.headers.location);
    change(location.searchParams);
    return { ...answer, headers: { ...answer.headers, location: location.href } };
  });
/// Answers the second request to an endpoint like the first.
function repeats(path) {
  let first;
  return async (url, options, pass) => {
    if (!ends(path)(url)) return pass(url, options);
    first ??= await pass(url, options);
    return first;
  };
}
/// Sends the browser back without asking the logout endpoint.
const alwaysBack = (url, options, pass) =>
  ends("/logout")(url)
    ? { status: 303, headers: { location: POST_LOGOUT_REDIRECT_URI }, body: "" }
    : pass(url, options);

const F = "FAILURE";
const W = "WARNING";
// [module, level, what the finding says, fault]
const FAULTS = [
  ["oidcc-server", F, /^state/, redirects((query) => query.delete("state"))],
  ["oidcc-server", F, /iss is not/, redirects((query) => query.set("iss", "x"))],
  ["oidcc-server", F, /nonce/, ignores("nonce")],
  ["oidcc-server", F, /no-store/, answers("/token", (answer) => ({ ...answer, headers: {} }))],
  ["oidcc-server", F, /0 keys/, json("/jwks", (set) => set.keys.forEach((key) => (key.kid += "x")))],
  ["oidcc-server", F, /at_hash/, json("/token", (tokens) => (tokens.access_token += "x"))],
  ["oidcc-server", F, /UserInfo/, answers("/userinfo", (answer) => ({ ...answer, status: 401 }))],
  ["oidcc-server", F, /cut/, () => Promise.reject(new Error("the line was cut"))],
  ["oidcc-userinfo-get", F, /differs/, json("/userinfo", (claims) => (claims.sub += "x"))],
  ["oidcc-scope-profile", W, /lacks.*zoneinfo/, json("/userinfo", (claims) => delete claims.zoneinfo)],
  ["oidcc-prompt-login", F, /sign in again/, ignores("prompt")],
  ["oidcc-prompt-none-not-logged-in", F, /not one of/, ignores("prompt")],
  ["oidcc-max-age-1", F, /sign in again/, ignores("max_age")],
  ["oidcc-claims-essential", W, /lacks name/, ignores("claims")],
  ["oidcc-codereuse", W, /used twice/, repeats("/token")],
  ["oidcc-codereuse-30seconds", W, /UserInfo answers 200/, repeats("/userinfo")],
  ["oidcc-refresh-token", F, /iat/, repeats("/token")],
  ["oidcc-ensure-request-with-valid-pkce-succeeds", F, /400/, ignores("code_challenge", "code_challenge_method")],
  [
    "oidcc-discovery-endpoint-verification",
    F,
    /found at/,
    json("/openid-configuration", (document) => (document.issuer += "/x")),
  ],
  ["oidcc-rp-initiated-logout", F, /state/, alwaysBack],
  ["oidcc-rp-initiated-logout-bad-post-logout-redirect-uri", F, /browser was sent/, alwaysBack],
  ["oidcc-rp-initiated-logout-no-state", F, /login_required/, alwaysBack],
];

describe("the modules of the conformance driver in front of a provider with a fault", { concurrency: 4 }, () => {
  let provider; // of all runs
  prepared(async (owned) => {
    provider = owned(await openProvider());
  });

  for (const [name, level, says, fault] of FAULTS) {
    it(`${name} notices ${says}`, async () => {
      const send = async (url, options) => fault(url, options, request);
      const run = await runModule(provider, { module: MODULES[name], send });
      const found = run.findings.some((finding) => finding.level === level && says.test(finding.text));
      assert.ok(found, `${level} ${says} is not in ${JSON.stringify(run.findings)}`);
      assert.equal(run.result, level);
    });
  }
});
