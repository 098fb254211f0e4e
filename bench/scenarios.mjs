// What is asked of the servers: each scenario makes its requests ready, knows one right answer when it sees it, and
// says how the load walks through them.
import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD } from "../tests/support/deployment.mjs";
import { UserAgent } from "../tests/support/user_agent.mjs";
import { basicOf, challengeOf, formText } from "../tests/security/provider.mjs";
import { assertion, newKey, proof } from "../tests/support/signer.mjs";
import { drive, head, whole } from "./load.mjs";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const VERIFIER = "v".repeat(43); // whose challenge provider.authorizationUrl() sends
const TOKENS = 64;
const PUBLISHED = "published.localhost"; // see site.mjs
const CHAINS = 24; // more than connections
const FEWEST_CODES_BYTES = 4000; // some hundred
const PEOPLE_A_SECOND = 30; // who get codes
const GRANTS_OF_ONE = 150; // of one user and one client only the latest 200 grants live
const SIGNED_A_SECOND = 4000; // more than are used
const SIGNING_IN = 64; // people of one scenario: of one user only the latest 100 sessions live
/// bcrypt at its lowest cost, about a millisecond; the password of people who live for minutes.
const CHEAP = {
  password: "a cheap hash for a bench",
  hash: "$2b$04$8kus3lYLaTwUqca/1L.Xxeq.woPW7f69J/NWn.GiurR4P3MNQrbsS",
};

const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const basic = ({ id, secret }) => ({ Authorization: basicOf(id, secret) });

/// Whoever and whatever the requests are about, once for all rounds; reads go through so many tokens.
export async function makeFixtures(site, count = TOKENS) {
  const { provider } = site;
  const { web, trusted, machine } = provider.clients;
  const person = provider.person();
  // Consent is given here: afterwards it is remembered.
  const tokens = [];
  for (let i = 0; i < count; ++i)
    tokens.push((await provider.tokens(web, { scope: "openid profile email" }, person)).access_token);
  await provider.tokens(web, { scope: "api" }, person);
  const signer = await addSigner(site);
  return { web, trusted, machine, person, tokens, signer, siteCookie: await signInToSite(site, person) };
}

/// Adds a client that signs; returns its private key.
async function addSigner({ provider, directory }) {
  const { jwk, jwks } = newKey("k1");
  const file = join(directory, "signer.jwks");
  writeFileSync(file, JSON.stringify(jwks));
  const signs = ["--auth-method", "private_key_jwt", "--jwks", file];
  await provider.deployment.postern([
    "client",
    "add",
    "signer",
    ...signs,
    "--grant",
    "client_credentials",
    "--scope",
    "api",
  ]);
  return jwk;
}

/// The headers with which a proxy asks the gate about a page of the wiki.
const forwarded = (uri, cookie) => ({
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Proto": "http",
  "X-Forwarded-Host": "localhost:81",
  "X-Forwarded-Uri": uri,
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Dest": "document",
  Cookie: cookie,
});

/// Protects a wiki, signs the person in to it, and answers the cookie of its gate.
async function signInToSite({ provider, origins: { fastcgi: origin } }, person) {
  await provider.deployment.postern(["site", "add", "wiki", "--url", "http://localhost:81/"]);
  const cookieOf = ({ headers }) => headers["set-cookie"][0].split(";")[0];
  const led = await provider.ask(`${origin}/gate`, { headers: forwarded("/page", "a=b") });
  const { location } = await provider.walk(person, led.headers.location);
  const callback = `${origin}/gate/pages${location.pathname}${location.search}`;
  return cookieOf(await provider.ask(callback, { headers: forwarded("/page", cookieOf(led)) }));
}

function expectJson(answer, status, what) {
  assert.equal(answer.status, status, `${what}: ${answer.status} ${answer.body}`);
  assert.ok(answer.json, `${what}: ${answer.body}`);
  return answer.json;
}

function expectTokens(answer, ...names) {
  const json = expectJson(answer, 200, "token response");
  for (const name of ["access_token", ...names])
    assert.match(json[name] ?? "", /^[\w-]+\.[\w-]+\.[\w-]+$/, `${name} of ${answer.body}`);
  return json;
}

/// Adds users with the cheap hash, so that no session or grant of the fixtures has to end; returns their names.
async function addPeople(site, count) {
  const { provider, directory } = site;
  site.people ??= 0;
  const names = Array.from({ length: count }, () => `person-${++site.people}`);
  const file = join(directory, "people");
  writeFileSync(file, names.map((name) => `${name}:${CHEAP.hash}\n`).join(""), { mode: 0o600 });
  await provider.deployment.postern(["user", "import", file]);
  return names;
}

/// Signs in users of their own; returns their browsers.
async function signIn(site, url, count) {
  const { provider } = site;
  const browsers = [];
  for (const username of await addPeople(site, count)) {
    const browser = provider.person();
    await provider.walk(browser, url, { user: { username, password: CHEAP.password } });
    browsers.push(browser);
  }
  return browsers;
}

/// Codes for people who are signed in, as many as an authorization endpoint gives in that time and as live together.
async function harvest(site, client, scope, seconds) {
  const file = join(site.directory, "codes");
  writeFileSync(file, "", { mode: 0o600 });
  const {
    origins: { fastcgi: origin },
    provider,
  } = site;
  const url = new URL(provider.authorizationUrl(client, { scope }));
  for (let time = seconds; ; time *= 2) {
    const browsers = await signIn(site, url.href, Math.ceil(time * PEOPLE_A_SECOND));
    const data = {
      codes: file,
      each: GRANTS_OF_ONE,
      requests: browsers.map(({ cookieHeader }) =>
        whole("GET", url.pathname + url.search, url.host, { Cookie: cookieHeader }),
      ),
    };
    await drive({
      url: origin,
      script: "authorize.lua",
      directory: site.directory,
      core: site.loadCore,
      seconds: time,
      data,
    });
    if (statSync(file).size > FEWEST_CODES_BYTES) return file;
  }
}

/// The beginning of a token request with a code; the code itself comes last.
function codeRequest(host, client) {
  const fixed = formText({
    grant_type: "authorization_code",
    redirect_uri: client.redirectUri,
    code_verifier: VERIFIER,
  });
  return { head: head("POST", "/token", host, { ...basic(client), ...FORM }), before: `${fixed}&code=` };
}

/// What is sent when each of the values is used once, in the request that `around` makes of one.
function spend(site, seconds, sign, around) {
  const values = Array.from({ length: Math.ceil(seconds * SIGNED_A_SECOND) }, sign);
  assert.ok(
    values.every(({ length }) => length === values[0].length),
    "the length of the body is that of each",
  );
  const lines = join(site.directory, "signed");
  writeFileSync(lines, `${values.join("\n")}\n`, { mode: 0o600 });
  const [before, after] = around(values[0]).split(values[0]);
  return { lines, before, after };
}

/// What clients sign, and pushed requests.
function ofSigners(site, { web, machine, signer: jwk, person }, named) {
  const { provider } = site;
  const { issuer } = provider;
  const origin = site.origins.fastcgi;
  const { host } = new URL(origin);
  const own = { grant_type: "client_credentials", scope: "api" };
  const signed = () => assertion({ jwk, client: "signer", issuer });
  const shown = (path, more) => proof({ jwk, url: issuer + path, ...more });
  const once = (id, title, around, check) =>
    named(id, title, "write", {
      script: "once.lua",
      prepare: async (seconds) => {
        const { make, request } = await around();
        return spend(site, seconds, make, request);
      },
      check,
    });
  const boundToken = async () => {
    const answer = await provider.exchange(
      web,
      await provider.code(web, { scope: "openid" }, person),
      {},
      {
        headers: shown("/token"),
      },
    );
    return expectTokens(answer).access_token;
  };
  const ofUser = (token) => shown("/userinfo", { method: "GET", token });
  const pushed = {
    response_type: "code",
    redirect_uri: web.redirectUri,
    scope: "openid",
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: "S256",
  };
  const tokenOf = async (form, options) => {
    const { access_token } = expectTokens(await provider.post(`${origin}/token`, form, options));
    assert.equal((await provider.introspect(access_token)).active, true);
  };
  return [
    once(
      "assertion",
      "token, client_credentials by an assertion",
      async () => ({
        make: () => signed().client_assertion,
        request: (client_assertion) =>
          whole("POST", "/token", host, FORM, formText({ ...own, ...signed(), client_assertion })),
      }),
      () => tokenOf({ ...own, ...signed() }),
    ),
    once(
      "proof",
      "token, client_credentials with a proof",
      async () => ({
        make: () => shown("/token").dpop,
        request: (dpop) => whole("POST", "/token", host, { ...basic(machine), ...FORM, DPoP: dpop }, formText(own)),
      }),
      () => tokenOf(own, { client: machine, headers: shown("/token") }),
    ),
    once(
      "userinfo_proof",
      "userinfo, with a proof",
      async () => {
        const token = await boundToken();
        return {
          make: () => ofUser(token).dpop,
          request: (dpop) => whole("GET", "/userinfo", host, { Authorization: `DPoP ${token}`, DPoP: dpop }),
        };
      },
      async () => {
        const token = await boundToken();
        const headers = { authorization: `DPoP ${token}`, ...ofUser(token) };
        const { sub } = expectJson(await provider.ask(`${origin}/userinfo`, { headers }), 200, "userinfo");
        assert.equal(sub, provider.user.sub);
      },
    ),
    named("par", "par, a pushed request", "read", {
      prepare: async () => ({
        requests: [whole("POST", "/par", host, { ...basic(web), ...FORM }, formText(pushed))],
      }),
      check: async () => {
        const answer = await provider.post(`${origin}/par`, pushed, { client: web });
        assert.match(expectJson(answer, 201, "par").request_uri, /^urn:ietf:params:oauth:request_uri:/);
        return answer;
      },
    }),
  ];
}

/// The endpoints by themselves, at the web server `mode`.
function endpoints(site, fixtures, mode) {
  const { provider } = site;
  const { web, machine, tokens, person, siteCookie } = fixtures;
  const origin = site.origins[mode];
  const { host } = new URL(origin);
  const cgi = mode === "cgi";
  const named = (id, title, kind, rest) => ({
    id: cgi ? `cgi_${id}` : id,
    title: cgi ? `${title}, CGI` : title,
    kind,
    mode,
    url: origin,
    script: "cycle.lua",
    ...rest,
  });
  const exchange = (title, id, scope, ...names) =>
    named(id, title, "write", {
      script: "codes.lua",
      prepare: async (seconds) => ({
        ...codeRequest(host, web),
        codes: await harvest(site, web, scope, cgi ? seconds / 3 : seconds),
      }),
      check: async () => {
        const { code, verifier, redirect_uri } = await provider.code(web, { scope }, person);
        expectTokens(
          await provider.post(
            `${origin}/token`,
            { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier },
            { client: web },
          ),
          ...names,
        );
      },
    });
  const introspect = (id, title, name) =>
    named(id, title, "read", {
      prepare: async () => ({
        requests: tokens.map((token) =>
          whole("POST", "/token/introspect", name, { ...basic(machine), ...FORM }, `token=${token}`),
        ),
      }),
      check: async () => {
        const answer = await provider.post(
          `${origin}/token/introspect`,
          { token: tokens[0] },
          { client: machine, headers: { host: name } },
        );
        const { active, sub, scope } = expectJson(answer, 200, "introspection");
        assert.deepEqual(
          { active, sub, scope },
          { active: true, sub: provider.user.sub, scope: "openid profile email" },
        );
        return answer;
      },
    });
  return [
    named("client_credentials", "token, client_credentials", "write", {
      prepare: async () => ({
        requests: [
          whole("POST", "/token", host, { ...basic(machine), ...FORM }, "grant_type=client_credentials&scope=api"),
        ],
      }),
      check: async () => {
        const answer = await provider.post(
          `${origin}/token`,
          { grant_type: "client_credentials", scope: "api" },
          { client: machine },
        );
        assert.equal((await provider.introspect(expectTokens(answer).access_token)).active, true);
        return answer;
      },
    }),
    exchange("token, code", "code", "api", "refresh_token"),
    ...(cgi ? [] : [exchange("token, code with ID token", "code_openid", "openid", "refresh_token", "id_token")]),
    named("refresh", "token, refresh", "write", {
      script: "refresh.lua",
      prepare: async () => {
        const count = site.chains ?? CHAINS;
        const url = provider.authorizationUrl(web, { scope: "api" });
        const owners = await signIn(site, url, Math.ceil(count / GRANTS_OF_ONE));
        const chains = [];
        for (let i = 0; i < count; ++i)
          chains.push((await provider.tokens(web, { scope: "api" }, owners[i % owners.length])).refresh_token);
        return {
          head: head("POST", "/token", host, { ...basic(web), ...FORM }),
          before: "grant_type=refresh_token&refresh_token=",
          tokens: chains,
        };
      },
      check: async () => {
        const first = await provider.tokens(web, { scope: "api" }, person);
        const next = expectTokens(
          await provider.post(
            `${origin}/token`,
            { grant_type: "refresh_token", refresh_token: first.refresh_token },
            { client: web },
          ),
          "refresh_token",
        );
        assert.notEqual(next.refresh_token, first.refresh_token);
        assert.equal((await provider.introspect(next.access_token)).active, true);
      },
    }),
    introspect("introspect", "introspect", host),
    // It needs a static library that Debian has no package for.
    ...(cgi && existsSync(join(BUILD, "bench/introspect_static"))
      ? [introspect("introspect_static", "introspect, linked statically", "static.localhost")]
      : []),
    named("userinfo", "userinfo", "read", {
      prepare: async () => ({ requests: tokens.map((token) => whole("GET", "/userinfo", host, bearer(token))) }),
      check: async () => {
        const answer = await provider.ask(`${origin}/userinfo`, { headers: bearer(tokens[0]) });
        const { sub, name, email } = expectJson(answer, 200, "userinfo");
        assert.deepEqual({ sub, name, email }, { sub: provider.user.sub, ...provider.user.claims });
        return answer;
      },
    }),
    ...(cgi
      ? []
      : [
          named("gate", "gate, a page that passes", "read", {
            prepare: async () => ({ requests: [whole("GET", "/gate", host, forwarded("/page", siteCookie))] }),
            check: async () => {
              const answer = await provider.ask(`${origin}/gate`, { headers: forwarded("/page", siteCookie) });
              assert.equal(answer.status, 200, answer.body);
              assert.equal(answer.headers["remote-user"], provider.user.username);
              return answer;
            },
          }),
          ...ofSigners(site, fixtures, named),
        ]),
    ...documents(site, host, mode, named),
    ...journeys(site, fixtures, mode, named),
  ];
}

/// What must be the same whoever sends a public document; Date, tags and the number of the request are not.
const OF_A_DOCUMENT = [
  "content-type",
  "content-length",
  "cache-control",
  "access-control-allow-origin",
  "x-content-type-options",
  "referrer-policy",
];

/// Discovery and key set: from the programs, and from the files that `postern publish` wrote.
function documents({ origins, provider }, host, mode, named) {
  const answers = (path, name) => provider.ask(origins[mode] + path, { headers: { host: name } });
  const document = (id, path, isRight) => {
    const one = (name, more, check) =>
      named(id + more.replace(", ", "_"), id + more, "read", {
        prepare: async () => ({ requests: [whole("GET", path, name)] }),
        check,
      });
    const ofTheProgram = async () => {
      const answer = await answers(path, host);
      assert.ok(isRight(expectJson(answer, 200, id)), answer.body);
      return answer;
    };
    const ofTheFile = async () => {
      const [program, file] = [await ofTheProgram(), await answers(path, PUBLISHED)];
      const seen = ({ status, headers, body }) => ({
        status,
        body,
        ...Object.fromEntries(OF_A_DOCUMENT.map((header) => [header, headers[header]])),
      });
      assert.deepEqual(seen(file), seen(program));
      assert.equal(file.headers["x-request-id"], undefined, "a program has answered");
      return file;
    };
    return [one(host, "", ofTheProgram), ...(mode === "fastcgi" ? [one(PUBLISHED, ", published", ofTheFile)] : [])];
  };
  return [
    ...document("discovery", "/.well-known/openid-configuration", ({ issuer }) => issuer === provider.issuer),
    ...document("jwks", "/jwks", ({ keys }) => keys.length >= 2),
  ];
}

/// From the authorization endpoint to an ID token. The client is one of the operator's own, so nobody is asked for
/// consent.
function journeys(site, { trusted, person }, mode, named) {
  const { provider } = site;
  const origin = site.origins[mode];
  const { host } = new URL(origin);
  const { href, pathname, search } = new URL(provider.authorizationUrl(trusted));
  const journey = (id, title, browser, people) =>
    named(id, title, "journey", {
      script: "journey.lua",
      eachAlone: true,
      prepare: async () => ({ host, start: pathname + search, people: await people(), ...codeRequest(host, trusted) }),
      check: async () => {
        const code = await provider.code(trusted, {}, browser());
        expectTokens(await provider.exchange(trusted, code), "id_token");
      },
    });
  const withoutSession = () => new UserAgent();
  const form = (username, password) => ({ cookie: "", fields: { username, password } });
  const {
    user: { username, password },
  } = provider;
  return [
    journey("login", "whole sign-in, yescrypt", withoutSession, () => [form(username, password)]),
    journey("login_cheap", "whole sign-in, cheap hash", withoutSession, async () =>
      (await addPeople(site, SIGNING_IN)).map((name) => form(name, CHEAP.password)),
    ),
    journey(
      "session",
      "whole sign-in, session there",
      () => person,
      async () => (await signIn(site, href, SIGNING_IN)).map(({ cookieHeader }) => ({ cookie: cookieHeader })),
    ),
  ].filter(({ id }) => id !== "cgi_login_cheap");
}

function anchors(site, wanted) {
  const headersOf = (i) => ({ Authorization: `Bearer token-${i}` });
  const anchor = (mode, id, title, headers) => {
    const { host } = new URL(site.origins[mode]);
    return {
      id,
      title,
      kind: "anchor",
      mode,
      url: site.origins[mode],
      script: "cycle.lua",
      prepare: async () => ({
        requests: Array.from({ length: TOKENS }, (_, i) => whole("GET", `/anchor/${id}`, host, headers(i))),
      }),
      check: async () => {
        const answer = await site.provider.ask(`${site.origins[mode]}/anchor/${id}`, { headers: headers(3) });
        assert.equal(answer.status, 200, answer.body);
        if (id.startsWith("token_")) {
          assert.match(answer.json.access_token, /^[\w+/]{320}\.[\w+/]{96}$/);
        } else {
          assert.equal(answer.body.length, 200);
          if (id !== "hello") assert.equal(answer.json.jti, "3");
        }
        return answer;
      },
    };
  };
  const asks = ["lookup", "cgi_lookup"];
  return wanted.map(([mode, id, title]) => anchor(mode, id, title, asks.includes(id) ? headersOf : () => ({})));
}

const HELLO = ["hello", "hello, 200 bytes"];
const ANCHORS = [
  ["fastcgi", ...HELLO],
  ["fastcgi", "lookup", "hello, SHA-256 and a lookup"],
  ["fastcgi", "token_lazy", "hello, a signature and a row"],
  ["fastcgi", "token_durable", "hello, a signature and a row on the disk"],
  ["cgi", "cgi_lookup", "static CGI, SHA-256 and a lookup"],
];

/// hello comes first.
export const scenariosOf = (site, fixtures) => [
  ...anchors(site, ANCHORS),
  ...endpoints(site, fixtures, "fastcgi"),
  ...endpoints(site, fixtures, "cgi"),
];
/// Of one web server alone, again hello first.
export const scenariosAt = (site, fixtures, mode) => [
  ...anchors(site, [[mode, ...HELLO]]),
  ...endpoints(site, fixtures, mode),
];
