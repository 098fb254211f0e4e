// The checks of the conformance driver against data that is wrong in one place: a check that cannot fail proves
// nothing.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import * as authorizationResponse from "./checks/authorization_response.mjs";
import * as claims from "./checks/claims.mjs";
import * as page from "./checks/page.mjs";
import * as server from "./checks/server.mjs";
import * as text from "./checks/text.mjs";
import * as tokens from "./checks/tokens.mjs";

const EXPORTS = [authorizationResponse, claims, page, server, text, tokens].flatMap(Object.entries);
const CHECKS = Object.fromEntries(EXPORTS.filter(([name]) => name.startsWith("check")));

const F = "FAILURE";
const W = "WARNING";
const NOW = 1_800_000_000;
const CODE = "HedKu8tjLgr7PbckDwGK-M9iUe0FldLdRWNcEZfrhl4";
const URI = "https://client.example/callback";
const JSON_ANSWER = { "content-type": "application/json;charset=UTF-8", "cache-control": "no-store" };
const HTML = { "content-type": "text/html; charset=utf-8" };

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = { ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" };
const EC_KEY = { kty: "EC", crv: "P-256", x: "AA", y: "BB", kid: "two" };
function signed(header) {
  const content = `${encode(header)}.${encode({ sub: "x" })}`;
  return tokens.parseJwt(`${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`);
}
const JWT = signed({ alg: "RS256", kid: "one" });
const ID_TOKEN = {
  iss: "https://op.example",
  sub: "248289761001",
  aud: "app",
  exp: NOW + 3600,
  iat: NOW,
  auth_time: NOW - 10,
  nonce: "n",
  acr: "1",
};
const EXPECTED = { issuer: "https://op.example", clientId: "app", nonce: "n", now: NOW };
const HASH = (value) => createHash("sha256").update(value).digest().subarray(0, 16).toString("base64url");

/// An object with these changes; a member that becomes undefined goes.
const changed = (object, changes) =>
  Object.fromEntries(Object.entries({ ...object, ...changes }).filter(([, value]) => value !== undefined));

const parameters = (changes) =>
  new URLSearchParams(changed({ code: CODE, state: "s", iss: "https://op.example" }, changes));
const refusal = (changes) => parameters({ code: undefined, error: "login_required", ...changes });
const callback = (changes) => ({ target: `${URI}?code=1`, method: "GET", parameters: parameters(), ...changes });
const posted = (changes) => ({
  target: URI,
  method: "POST",
  enctype: "application/x-www-form-urlencoded",
  parameters: parameters(),
  ...changes,
});
const QUERY = { mode: "query", redirectUri: URI };
const POST = { mode: "form_post", redirectUri: URI };

const TOKENS = { access_token: CODE, token_type: "Bearer", expires_in: 900, id_token: "e30.e30.AA" };
const answer = (json, changes) => ({ status: 200, headers: JSON_ANSWER, json, ...changes });
const tokenAnswer = (changes) => answer({ ...TOKENS, ...changes });
const refused = (json, changes) => answer({ error: "invalid_grant", ...json }, { status: 400, ...changes });

const DOCUMENT = {
  issuer: "https://op.example",
  authorization_endpoint: "https://op.example/a",
  token_endpoint: "https://op.example/t",
  userinfo_endpoint: "https://op.example/u",
  jwks_uri: "https://op.example/k",
  end_session_endpoint: "https://op.example/e",
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  scopes_supported: ["openid"],
  claims_supported: ["sub"],
  grant_types_supported: ["authorization_code"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
};
const published = (changes) => changed(DOCUMENT, changes);
const discovered = (changes) => [answer(published(changes))];
const WELL_KNOWN = "https://op.example/.well-known/openid-configuration";

const PERSON = {
  sub: ID_TOKEN.sub,
  name: "Jane",
  email_verified: true,
  updated_at: 1_700_000_000,
  address: { country: "DE" },
  birthdate: "0000-10-31",
};
const person = (changes) => [answer({ ...PERSON, ...changes }), ID_TOKEN];
const button = (id) => ({ form: { buttons: { [id]: {} } }, status: 200, headers: HTML, body: "", title: "t" });
const errorPage = (changes) => ({
  form: null,
  status: 400,
  headers: HTML,
  body: '<code id="request-id" dir="ltr">',
  title: "t",
  ...changes,
});

// By check: arguments that are fine, and rows [level, what the finding says, arguments that are wrong in that one way].
const CASES = {
  checkGuessing: {
    good: [["the code", CODE]],
    bad: [
      [F, /shorter/, ["the code", CODE.slice(0, 15)]],
      [F, /entropy/, ["the code", "ab".repeat(40)]],
      [F, /entropy/, ["the code", undefined]],
    ],
  },
  checkErrorText: {
    good: [[{ error: "invalid_grant", error_description: "fine !#[]~", error_uri: "https://op.example/why" }]],
    bad: [
      [F, /no error/, [{}]],
      [F, /no error/, [{ error: "" }]],
      [F, /no error/, [{ error: 1 }]],
      [F, /error holds/, [{ error: 'a"b' }]],
      [F, /error_uri/, [{ error: "e", error_uri: "no uri" }]],
      [F, /error_description is not/, [{ error: "e", error_description: 1 }]],
      [F, /error_description holds char/, [{ error: "e", error_description: 'say "x"' }]],
      [F, /error_description holds char/, [{ error: "e", error_description: "a\\b" }]],
      [F, /error_description holds char/, [{ error: "e", error_description: "é" }]],
      [W, /line break/, [{ error: "e", error_description: "a\nb" }]],
    ],
  },

  checkDelivery: {
    good: [
      [callback(), QUERY],
      [posted(), POST],
    ],
    bad: [
      [F, /not to/, [callback({ target: `${URI}/x?code=1` }), QUERY]],
      [F, /fragment/, [callback({ target: `${URI}#code=1` }), QUERY]],
      [F, /by POST/, [callback({ method: "POST" }), QUERY]],
      [F, /by GET/, [posted({ method: "GET" }), POST]],
      [F, /sent as/, [posted({ enctype: "text/plain" }), POST]],
      [F, /holds code/, [posted({ target: `${URI}?error=x` }), POST]],
      [F, /not to/, [posted({ target: `${URI}?x=y` }), POST]],
      [F, /twice/, [callback({ parameters: new URLSearchParams("code=1&code=1") }), QUERY]],
    ],
  },
  checkState: {
    good: [
      [parameters(), "s"],
      [parameters({ state: undefined }), undefined],
    ],
    bad: [
      [F, /state/, [parameters({ state: "S" }), "s"]],
      [F, /state/, [parameters({ state: undefined }), "s"]],
      [F, /state/, [parameters(), undefined]],
    ],
  },
  checkIss: {
    good: [
      [parameters(), { issuer: "https://op.example" }],
      [parameters({ iss: undefined }), { issuer: "x" }],
    ],
    bad: [
      [F, /not the issuer/, [parameters(), { issuer: "https://op.example/" }]],
      [
        F,
        /missing/,
        [parameters({ iss: undefined }), { issuer: "x", authorization_response_iss_parameter_supported: true }],
      ],
    ],
  },
  checkSuccessResponse: {
    good: [[parameters()]],
    bad: [
      [F, /no code/, [parameters({ code: undefined })]],
      [F, /an error/, [parameters({ error: "x" })]],
      [W, /nobody knows.*extra/, [parameters({ extra: "1" })]],
      [F, /shorter/, [parameters({ code: "short" })]],
    ],
  },
  checkErrorResponse: {
    good: [[refusal(), ["login_required"]]],
    bad: [
      [F, /not one of/, [refusal({ error: "server_error" }), ["login_required"]]],
      [F, /a code/, [refusal({ code: "1" }), ["login_required"]]],
      [W, /nobody knows.*extra/, [refusal({ extra: "1" }), ["login_required"]]],
      [F, /error_description/, [refusal({ error_description: '"' }), ["login_required"]]],
    ],
  },
  checkLogoutRedirect: {
    good: [
      [`${URI}?state=a%26b`, { redirectUri: URI, state: "a&b" }],
      [URI, { redirectUri: URI }],
    ],
    bad: [
      [F, /state/, [URI, { redirectUri: URI, state: "s" }]],
      [F, /state/, [`${URI}?state=s`, { redirectUri: URI }]],
      [F, /not to/, [`${URI}/x`, { redirectUri: URI }]],
      [F, /not to/, [`${URI}#x`, { redirectUri: URI }]],
      [F, /twice/, [`${URI}?state=s&state=s`, { redirectUri: URI, state: "s" }]],
      [W, /nobody knows.*extra/, [`${URI}?extra=1`, { redirectUri: URI }]],
    ],
  },
  checkPage: {
    good: [
      [errorPage(), ["error"]],
      [button("login"), ["login"]],
      [button("logout"), ["logout confirmation"]],
      [errorPage({ status: 200, body: "", title: "You are signed out" }), ["logged out"]],
    ],
    bad: [
      [F, /browser was sent/, [errorPage({ location: URI }), ["error"]]],
      [F, /not an HTML/, [errorPage({ headers: JSON_ANSWER }), ["error"]]],
      [F, /not login/, [errorPage(), ["login"]]],
      [F, /not consent/, [button("login"), ["consent"]]],
      [F, /is other/, [errorPage({ body: "" }), ["error"]]],
      [F, /status 200/, [errorPage({ status: 200 }), ["error"]]],
      [F, /status 400/, [{ ...button("login"), status: 400 }, ["login"]]],
    ],
  },

  checkTokenResponse: {
    good: [
      [tokenAnswer(), { idToken: "required" }],
      [tokenAnswer({ id_token: undefined }), { idToken: "optional" }],
    ],
    bad: [
      [F, /status/, [answer(TOKENS, { status: 201 }), { idToken: "required" }]],
      [F, /not application/, [answer(TOKENS, { headers: HTML }), { idToken: "required" }]],
      [F, /not a JSON/, [answer(undefined), { idToken: "required" }]],
      [
        F,
        /no-store/,
        [answer(TOKENS, { headers: { ...JSON_ANSWER, "cache-control": "private" } }), { idToken: "required" }],
      ],
      [F, /no access_token/, [tokenAnswer({ access_token: undefined }), { idToken: "required" }]],
      [F, /token_type/, [tokenAnswer({ token_type: "MAC" }), { idToken: "required" }]],
      [W, /no expires_in/, [tokenAnswer({ expires_in: undefined }), { idToken: "required" }]],
      ...["900", 0, -1, 1.5, 31_536_001].map((expires_in) => [
        F,
        /expires_in is/,
        [tokenAnswer({ expires_in }), { idToken: "required" }],
      ]),
      [F, /no id_token/, [tokenAnswer({ id_token: undefined }), { idToken: "required" }]],
      [F, /no id_token/, [tokenAnswer({ id_token: "a.b" }), { idToken: "optional" }]],
    ],
  },
  checkAccessToken: { good: [[CODE]], bad: [[F, /access token/, ["short"]]] },
  checkRefreshToken: {
    good: [[CODE]],
    bad: [
      [F, /visible/, [`${CODE}\n`]],
      [F, /shorter/, ["short"]],
      [F, /shorter/, [undefined]],
    ],
  },
  checkTokenError: {
    good: [[refused(), "invalid_grant"]],
    bad: [
      [F, /status is 401/, [refused({}, { status: 401 }), "invalid_grant"]],
      [F, /not application/, [refused({}, { headers: HTML }), "invalid_grant"]],
      [F, /not invalid_grant/, [refused({ error: "invalid_request" }), "invalid_grant"]],
      [F, /not invalid_grant/, [answer(undefined, { status: 400 }), "invalid_grant"]],
      [F, /error_description/, [refused({ error_description: "\\" }), "invalid_grant"]],
    ],
  },
  checkSignature: {
    good: [[JWT, { keys: [KEY, EC_KEY] }]],
    bad: [
      [F, /alg is none/, [{ ...JWT, header: { alg: "none", kid: "one" } }, { keys: [KEY] }]],
      [F, /no kid/, [signed({ alg: "RS256" }), { keys: [KEY] }]],
      [F, /0 keys/, [JWT, { keys: [{ ...KEY, kid: "other" }] }]],
      [F, /2 keys/, [JWT, { keys: [KEY, KEY] }]],
      ...[{ use: "enc" }, { alg: "RS512" }, { kty: "EC" }].map((change) => [
        F,
        /not made for/,
        [JWT, { keys: [{ ...KEY, ...change }] }],
      ]),
      [F, /does not verify/, [{ ...JWT, signed: `${JWT.signed}x` }, { keys: [KEY] }]],
      [F, /does not verify/, [{ ...JWT, signature: Buffer.alloc(256) }, { keys: [KEY] }]],
    ],
  },
  checkIdTokenClaims: {
    good: [
      [ID_TOKEN, EXPECTED],
      [changed(ID_TOKEN, { aud: ["x", "app"], azp: "app", acr: undefined }), EXPECTED],
    ],
    bad: [
      [F, /iss/, { iss: "https://op.example/" }],
      [F, /aud/, { aud: "other" }],
      [F, /aud/, { aud: ["other"] }],
      [F, /aud/, { aud: undefined }],
      [F, /azp/, { azp: "other" }],
      [F, /no exp/, { exp: undefined }],
      [F, /no exp/, { exp: "1" }],
      [F, /exp is past/, { exp: NOW - 301 }],
      [F, /50 years/, { exp: NOW + 51 * 365 * 86400 }],
      [F, /no iat/, { iat: undefined }],
      [F, /iat is in the future/, { iat: NOW + 301 }],
      [F, /five minutes/, { iat: NOW - 301 }],
      [F, /not a number/, { auth_time: "1" }],
      [F, /auth_time is in the future/, { auth_time: NOW + 301 }],
      [F, /year old/, { auth_time: NOW - 366 * 86400 }],
      [F, /acr/, { acr: "" }],
      [F, /acr/, { acr: 1 }],
      [F, /nonce/, { nonce: "other" }],
      [F, /nonce/, { nonce: undefined }],
      [F, /sub/, { sub: "" }],
      [F, /sub/, { sub: undefined }],
      [F, /sub/, { sub: "x".repeat(256) }],
      [F, /sub/, { sub: "ü" }],
      [F, /name is/, { name: "" }],
      [F, /nonce/, [ID_TOKEN, { ...EXPECTED, nonce: undefined }]],
    ].map(([level, says, change]) => [
      level,
      says,
      Array.isArray(change) ? change : [changed(ID_TOKEN, change), EXPECTED],
    ]),
  },
  checkIdTokenExtras: {
    good: [[ID_TOKEN]],
    bad: [
      [W, /name/, [{ ...ID_TOKEN, name: "Jane" }]],
      [W, /email/, [{ ...ID_TOKEN, email: "j@example.org" }]],
      [W, /cid/, [{ ...ID_TOKEN, cid: "app" }]],
    ],
  },
  checkHashes: {
    good: [
      [{}, {}],
      [
        { at_hash: HASH("a"), c_hash: HASH("c") },
        { accessToken: "a", code: "c" },
      ],
    ],
    bad: [
      [F, /at_hash/, [{ at_hash: HASH("b") }, { accessToken: "a" }]],
      [F, /c_hash/, [{ c_hash: HASH("b") }, { code: "c" }]],
    ],
  },
  checkAcr: {
    good: [[{ acr: "1" }, ["1", "2"]]],
    bad: [
      [W, /no acr/, [{}, ["1"]]],
      [W, /not asked/, [{ acr: "3" }, ["1"]]],
    ],
  },
  checkSameLogin: {
    good: [
      [ID_TOKEN, ID_TOKEN],
      [ID_TOKEN, { ...ID_TOKEN, auth_time: undefined }],
    ],
    bad: [
      [F, /sub/, [ID_TOKEN, { ...ID_TOKEN, sub: "x" }]],
      [F, /auth_time/, [ID_TOKEN, { ...ID_TOKEN, auth_time: NOW }]],
    ],
  },
  checkLaterLogin: {
    good: [
      [ID_TOKEN, { auth_time: NOW }],
      [{}, { auth_time: NOW }],
    ],
    bad: [
      [F, /auth_time/, [ID_TOKEN, ID_TOKEN]],
      [F, /auth_time/, [{ auth_time: 2 }, { auth_time: 1 }]],
    ],
  },
  checkRefreshedIdToken: {
    good: [[ID_TOKEN, { ...ID_TOKEN, iat: NOW + 1 }]],
    bad: [
      [F, /iat/, [ID_TOKEN, ID_TOKEN]],
      ...["sub", "auth_time", "iss", "aud", "azp"].map((name) => [
        F,
        new RegExp(name),
        [ID_TOKEN, { ...ID_TOKEN, iat: NOW + 1, [name]: "other" }],
      ]),
    ],
  },
  checkAuthTime: {
    good: [[ID_TOKEN, { now: NOW, seconds: 10 }]],
    bad: [
      [F, /no auth_time/, [{}, { now: NOW, seconds: 10 }]],
      [F, /10 seconds away/, [ID_TOKEN, { now: NOW, seconds: 9 }]],
      [F, /away/, [{ auth_time: NOW + 10 }, { now: NOW, seconds: 9 }]],
    ],
  },

  checkClaimTypes: {
    good: [[PERSON], [{ birthdate: "1999" }], [{ birthdate: "1999-12-31" }], [{ anything: null }]],
    bad: [
      ...["", " ", null, "null", 1, {}].map((name) => [F, /name is/, [{ name }]]),
      ...["true", 1, null].map((email_verified) => [F, /email_verified is/, [{ email_verified }]]),
      [F, /phone_number_verified is/, [{ phone_number_verified: "false" }]],
      ...["1700000000", 1, 9e12].map((updated_at) => [F, /updated_at is/, [{ updated_at }]]),
      ...["street", null, [], {}, { country: 1 }, { country: "" }].map((address) => [F, /address is/, [{ address }]]),
      ...["31.12.1999", "1999-13-01", "1999-12-32", "99", 1999].map((birthdate) => [
        F,
        /birthdate is/,
        [{ birthdate }],
      ]),
    ],
  },
  checkUserinfo: {
    good: [person(), person({ _claim_names: { age: "s" }, _claim_sources: { s: {} } })],
    bad: [
      [F, /without a JSON/, [answer(undefined), ID_TOKEN]],
      [F, /answered 401/, [answer(PERSON, { status: 401 }), ID_TOKEN]],
      [F, /answered text/, [answer(PERSON, { headers: HTML }), ID_TOKEN]],
      [F, /no sub/, person({ sub: undefined })],
      [F, /differs/, person({ sub: "other" })],
      [F, /_claim_names/, person({ _claim_names: { age: "s" } })],
      [F, /name is/, person({ name: "" })],
    ],
  },
  checkScopeClaims: {
    good: [[{ email: "a", email_verified: true }, ["email"]]],
    bad: [
      [W, /email_verified/, [{ email: "a" }, ["email"]]],
      [W, /address/, [{}, ["address"]]],
    ],
  },
  checkNothingElse: {
    good: [[{ sub: "x", email: "a" }, ["email"]]],
    bad: [[W, /name/, [{ sub: "x", name: "a" }, ["email"]]]],
  },

  checkEndpoints: {
    good: [[DOCUMENT]],
    bad: [
      ...["authorization_endpoint", "token_endpoint", "jwks_uri"].flatMap((name) => [
        [F, new RegExp(`no ${name}`), [published({ [name]: undefined })]],
        [F, new RegExp(`${name} is`), [published({ [name]: "http://op.example/x" })]],
      ]),
      [F, /other_endpoint is/, [published({ other_endpoint: "https://" })]],
      [F, /userinfo_endpoint is/, [published({ userinfo_endpoint: "https://user@op.example/" })]],
    ],
  },
  checkIssuer: {
    good: [
      [DOCUMENT, WELL_KNOWN],
      [{ issuer: "https://op.example/" }, WELL_KNOWN],
    ],
    bad: [
      ...["http://op.example", "op.example", undefined, "https://me@op.example"].map((issuer) => [
        F,
        /not an https/,
        [{ issuer }, WELL_KNOWN],
      ]),
      ...["https://op.example?x", "https://op.example#x", "https://op.example/?"].map((issuer) => [
        F,
        /query/,
        [{ issuer }, WELL_KNOWN],
      ]),
      [F, /was found at/, [{ issuer: "https://other.example" }, WELL_KNOWN]],
    ],
  },
  checkDiscovery: {
    good: [discovered(), discovered({ ui_locales_supported: ["en", "de-AT", "zh-Hant-TW"] })],
    bad: [
      [F, /not a JSON object/, [answer([])]],
      [F, /status/, [answer(DOCUMENT, { status: 404 })]],
      [F, /not application/, [answer(DOCUMENT, { headers: HTML })]],
      [W, /nobody knows the member extra/, { extra: 1 }],
      [F, /scopes_supported has the wrong/, { scopes_supported: "openid" }],
      [F, /claims_parameter_supported has the wrong/, { claims_parameter_supported: "true" }],
      [F, /service_documentation has the wrong/, { service_documentation: "none" }],
      [F, /no response type/, { response_types_supported: ["token"] }],
      [F, /no response type/, { response_types_supported: undefined }],
      [F, /subject_types/, { subject_types_supported: [] }],
      [F, /RS256/, { id_token_signing_alg_values_supported: ["ES256"] }],
      [W, /no userinfo_endpoint/, { userinfo_endpoint: undefined }],
      [W, /request objects/, { request_object_signing_alg_values_supported: ["none"] }],
      [W, /no claims_supported/, { claims_supported: undefined }],
      [W, /no scopes_supported/, { scopes_supported: undefined }],
      [F, /lacks openid/, { scopes_supported: ["profile"] }],
      [F, /no scope/, { scopes_supported: ["openid", "a b"] }],
      [F, /grant_types_supported is empty/, { grant_types_supported: [] }],
      [F, /PKCE/, { code_challenge_methods_supported: ["S512"] }],
      [F, /language tag/, { ui_locales_supported: ["english"] }],
      [F, /language tag/, { claims_locales_supported: ["de_DE"] }],
      [F, /UserInfo is signed/, { userinfo_signing_alg_values_supported: ["MD5"] }],
      [F, /token_endpoint is/, { token_endpoint: "http://op.example/t" }],
    ].map(([level, says, change]) => [level, says, Array.isArray(change) ? change : discovered(change)]),
  },
  checkEndSession: {
    good: [[DOCUMENT]],
    bad: [
      [F, /no end_session/, [published({ end_session_endpoint: undefined })]],
      [F, /no end_session/, [published({ end_session_endpoint: "http://op.example/e" })]],
    ],
  },
  checkAuthMethod: {
    good: [
      [DOCUMENT, "client_secret_post"],
      [{}, "client_secret_basic"],
    ],
    bad: [
      [F, /not among/, [DOCUMENT, "client_secret_basic"]],
      [F, /not among/, [{}, "client_secret_post"]],
    ],
  },
  checkJwks: {
    good: [[{ keys: [KEY, EC_KEY] }]],
    bad: [
      [F, /no list/, [undefined]],
      [F, /no list/, [{ keys: {} }]],
      [F, /empty/, [{ keys: [] }]],
      [F, /same kid/, [{ keys: [KEY, { ...EC_KEY, kid: "one" }] }]],
      [F, /not an object/, [{ keys: ["x"] }]],
      [F, /no kty/, [{ keys: [{ kid: "one" }] }]],
      [F, /secret/, [{ keys: [{ kty: "oct", kid: "one" }] }]],
      ...["d", "p", "k"].map((name) => [F, /secret/, [{ keys: [{ ...KEY, [name]: "AA" }] }]]),
      [F, /lacks one of n,e/, [{ keys: [{ ...KEY, n: undefined }] }]],
      [F, /lacks one of x,y/, [{ keys: [{ ...EC_KEY, x: "AA==" }] }]],
      [F, /no kid/, [{ keys: [{ ...KEY, kid: undefined }] }]],
      [F, /no kid/, [{ keys: [{ ...KEY, kid: " " }] }]],
      [W, /type XYZ/, [{ keys: [{ kty: "XYZ", kid: "one" }] }]],
      [W, /curve/, [{ keys: [{ ...EC_KEY, crv: "P-1" }] }]],
      [W, /algorithm/, [{ keys: [{ ...KEY, alg: "X" }] }]],
    ],
  },
};

/// The rows that the sources of the checks hold: { level, words }, words being the longest constant part of the text.
function rowsOfSources() {
  const directory = new URL("./checks/", import.meta.url);
  const sources = readdirSync(directory)
    .map((name) => readFileSync(new URL(name, directory), "utf8"))
    .join("\n");
  return [...sources.matchAll(/"(FAILURE|WARNING)",\s*(?:"([^"]*)"|`([^`]*)`)/g)].map(
    ([, level, constant, template]) => {
      const parts = (constant ?? template).split(/\$\{[^}]*\}/);
      return { level, words: parts.sort((a, b) => b.length - a.length)[0] };
    },
  );
}

describe("the checks of the conformance driver", () => {
  it("are all tried here", () => assert.deepEqual(Object.keys(CASES).sort(), Object.keys(CHECKS).sort()));

  for (const [name, { good, bad }] of Object.entries(CASES)) {
    it(`${name} finds nothing in what is fine`, () => {
      for (const args of good) assert.deepEqual(CHECKS[name](...args), []);
    });
    it(`${name} finds ${bad.length} faults`, () => {
      for (const [level, says, args] of bad) {
        const found = CHECKS[name](...args);
        assert.ok(
          found.some((finding) => finding.level === level && says.test(finding.text)),
          `${level} ${says} is not in ${JSON.stringify(found)}`,
        );
      }
    });
  }

  it("have no row that is never found", () => {
    const found = Object.entries(CASES).flatMap(([name, { bad }]) =>
      bad.flatMap(([, , args]) => CHECKS[name](...args)),
    );
    const never = rowsOfSources().filter(
      ({ level, words }) => !found.some((finding) => finding.level === level && finding.text.includes(words)),
    );
    assert.ok(rowsOfSources().length > 90);
    assert.deepEqual(never, []);
  });
});
