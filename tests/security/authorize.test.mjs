// The parameters of the authorization endpoint: what is refused, and where it is said.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { claimsOf, isClientError, isPage, nextPage, parametersOf } from "./answers.mjs";
import { openProvider } from "./provider.mjs";

const CHALLENGE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"; // 43 characters

describe("the parameters of an authorization request", () => {
  let p;
  let web;
  before(async () => {
    p = await openProvider();
    ({ web } = p.clients);
    await p.deployment.postern([
      "client",
      "add",
      "query",
      "--first-party",
      "--redirect-uri",
      "https://query.example/cb?x=1&y=a%26b",
      "--redirect-uri",
      "https://query.example/cb?",
    ]);
  });
  after(() => p?.stop());

  const ask = (parameters, client = web) => p.ask(p.authorizationUrl(client, parameters));
  const refused = async (parameters, error, client = web, state = "s-1") =>
    isClientError(
      p,
      await ask(parameters, client),
      client.redirectUri,
      error,
      JSON.stringify(parameters).slice(0, 200),
      state,
    );
  const signedIn = async (client = web) => {
    const person = p.person();
    await p.code(client, {}, person);
    return person;
  };

  it("client and redirect_uri are settled before anything is sent anywhere [A01]", async () => {
    await p.deployment.postern(["client", "add", "asleep", "--redirect-uri", "https://asleep.example/cb"]);
    await p.deployment.postern(["client", "disable", "asleep"]);
    const targets = {
      "unknown client": { client_id: "nobody" },
      "no client": { client_id: undefined },
      "empty client": { client_id: "" },
      "disabled client": { client_id: "asleep", redirect_uri: "https://asleep.example/cb" },
      "another's client_id": { client_id: "other" },
      "strange address": { redirect_uri: "https://evil.example/cb" },
      neighbour: { redirect_uri: `${web.redirectUri}/` },
      "unknown client, its own address": { client_id: "evil", redirect_uri: "https://evil.example/cb" },
    };
    const errors = [
      {},
      { response_type: "zz" },
      { response_type: undefined },
      { response_type: "token" },
      { prompt: "none" },
      { prompt: "none login" },
      { scope: "no_such" },
      { scope: 'a"b' },
      { max_age: "x" },
      { state: "s".repeat(3000) },
      { state: undefined },
      { request: "x" },
      { request_uri: "https://evil.example/r" },
      { registration: "{}" },
      { code_challenge: "short" },
      { code_challenge_method: "plain" },
      { response_mode: "web_message" },
      { response_mode: "fragment" },
      { response_mode: "form_post" },
      { id_token_hint: "x" },
      { claims: "{" },
      { aud: "https://evil.example" },
      { nonce: "n".repeat(5000) },
    ];
    for (const [what, target] of Object.entries(targets)) {
      for (const error of errors) {
        const answer = await ask({ ...error, ...target });
        isPage(answer, `${what} with ${JSON.stringify(error).slice(0, 60)}`);
        assert.doesNotMatch(answer.body, /evil\.example/);
      }
    }
    for (const name of ["client_id", "redirect_uri"]) {
      for (const value of [
        name === "client_id" ? web.id : encodeURIComponent(web.redirectUri),
        "https%3A%2F%2Fevil.example",
      ]) {
        isPage(await p.ask(`${p.authorizationUrl(web)}&${name}=${value}`), `${name} twice`);
      }
    }
  });

  it("every other error goes to the client, with its state and nothing else [A02]", async () => {
    const rows = [
      [{ response_type: undefined }, "invalid_request"],
      [{ response_type: "" }, "invalid_request"],
      [{ response_type: "zz" }, "unsupported_response_type"],
      [{ scope: "no_such" }, "invalid_scope"],
      [{ max_age: "x" }, "invalid_request"],
      [{ prompt: "none login" }, "invalid_request"],
      [{ prompt: "none" }, "login_required"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ claims: "{" }, "invalid_request"],
      [{ id_token_hint: "x" }, "invalid_request"],
      [{ response_mode: "zz" }, "invalid_request"],
    ];
    for (const [parameters, error] of rows) {
      const told = await refused(parameters, error);
      assert.deepEqual(
        [...told.keys()].sort(),
        ["error", "error_description", "iss", "state"],
        JSON.stringify(parameters),
      );
    }
    for (const name of [
      "response_type",
      "scope",
      "nonce",
      "max_age",
      "prompt",
      "code_challenge",
      "code_challenge_method",
    ]) {
      const twice = await p.ask(
        `${p.authorizationUrl(web, { nonce: "n", max_age: "900", prompt: "login" })}&${name}=x`,
      );
      isClientError(p, twice, web.redirectUri, "invalid_request", `${name} twice`);
    }
    await refused({ response_type: "zz" }, "unsupported_response_type", p.clients.native);
  });

  it("state comes back byte for byte, and smuggles nothing [A03]", async () => {
    const person = await signedIn();
    const states = [
      'a b+c%26d=e%23f%25"<>\u00e9',
      "x&code=evil&iss=https://evil.example&error=none",
      "#fragment",
      "?a=b",
      "a=b;c=d",
      "%00%0d%0a",
      "'\\`{}|^~",
      "\u{1f511} \u202e",
      "s".repeat(2048),
    ];
    for (const state of states) {
      for (const more of [{}, { response_type: "zz" }]) {
        const { location } = await person.visit(p.authorizationUrl(web, { state, ...more }));
        assert.deepEqual(location.searchParams.getAll("state"), [state]);
        assert.deepEqual(location.searchParams.getAll("iss"), [p.issuer]);
        assert.deepEqual(
          [location.searchParams.getAll("code").length, location.searchParams.getAll("error").length],
          more.response_type ? [0, 1] : [1, 0],
          state,
        );
        assert.notEqual(location.searchParams.get("code"), "evil");
        assert.equal(location.hash, "");
      }
    }
    for (const state of ["s".repeat(2049), "s".repeat(5000)]) await refused({ state }, "invalid_request", web, null);
    for (const raw of ["%", "%4", "%zz"]) {
      const answer = await p.ask(`${p.authorizationUrl(web, { state: undefined })}&state=${raw}`);
      isClientError(p, answer, web.redirectUri, "invalid_request", raw, null);
    }
    for (const raw of ["a%00b", "a%0d%0aSet-Cookie:%20x=1", "%ff"])
      isPage(await p.ask(`${p.authorizationUrl(web, { state: undefined })}&state=${raw}`), raw); // lighttpd's own
    isClientError(
      p,
      await p.ask(`${p.authorizationUrl(web)}&state=other`),
      web.redirectUri,
      "invalid_request",
      "twice",
      null,
    );
    for (const parameters of [{ state: undefined }, { state: "" }]) {
      const { location } = await person.visit(p.authorizationUrl(web, parameters));
      assert.equal(location.searchParams.has("state"), false, "none was sent");
    }
  });

  it("the query of a registered address stays in front of the response parameters [A04]", async () => {
    const rows = {
      "https://query.example/cb?x=1&y=a%26b": "https://query.example/cb?x=1&y=a%26b&",
      "https://query.example/cb?": "https://query.example/cb?",
    };
    const person = p.person();
    for (const [redirectUri, begin] of Object.entries(rows)) {
      const client = { id: "query", redirectUri };
      const page = await p.walk(person, p.authorizationUrl(client));
      assert.ok(page.location?.href.startsWith(`${begin}code=`), `${page.location}`);
      const error = (await ask({ response_type: "zz" }, client)).headers.location;
      assert.ok(error.startsWith(`${begin}error=unsupported_response_type&`), error);
      assert.deepEqual(new URL(error).searchParams.getAll("state"), ["s-1"]);
    }
  });

  it("the response type is code, in this spelling; token needs option and registration [A06]", async () => {
    const person = await signedIn();
    for (const type of [
      "token",
      "token code",
      "code token",
      "code  ",
      " code",
      "CODE",
      "Code",
      "id_token",
      "code id_token",
      "none",
      "code,token",
      "code+token",
      "codetoken",
    ]) {
      const { location } = await person.visit(p.authorizationUrl(web, { response_type: type }));
      const told = parametersOf(location);
      assert.deepEqual(
        [location.href.startsWith(web.redirectUri), told.get("error"), told.get("code"), told.get("access_token")],
        [true, "unsupported_response_type", null, null],
        type,
      );
    }
    await assert.rejects(
      p.deployment.postern([
        "client",
        "add",
        "never",
        "--grant",
        "implicit",
        "--redirect-uri",
        "https://never.example/",
      ]),
      { code: 1 },
    );
    const machine = await p.ask(
      `${p.issuer}/authorize?client_id=machine&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb`,
    );
    isPage(machine, "a client without any address");
  });

  it("scope has its grammar and its registration, and is never cut down silently [A09]", async () => {
    const raw = (value) => p.ask(`${p.authorizationUrl(web, { scope: undefined })}&scope=${value}`);
    // lighttpd's own
    for (const value of ["openid%09profile", "openid%0aprofile", "openid%00"]) isPage(await raw(value), value);
    const rows = {
      "openid%22": "invalid_scope",
      "openid%5c": "invalid_scope",
      "openid%20%20profile": "invalid_scope",
      "%20openid": "invalid_scope",
      "openid%20": "invalid_scope",
      "%20": "invalid_scope",
      "openid%20no_such": "invalid_scope",
      OPENID: "invalid_scope",
      openidx: "invalid_scope",
      "openid,profile": "invalid_scope",
      "op%C3%A9nid": "invalid_scope",
      "openid%2520profile": "invalid_scope",
      "openid%2Bprofile": "invalid_scope",
      [Array.from({ length: 500 }, (_, i) => `s${i}`).join("%20")]: "invalid_scope",
      [Array.from({ length: 500 }, () => "openid").join("%20")]: "invalid_scope",
    };
    for (const [value, error] of Object.entries(rows))
      isClientError(p, await raw(value), web.redirectUri, error, value.slice(0, 60));

    const person = p.person();
    const login = await person.visit(
      `${p.authorizationUrl(web, { scope: undefined, prompt: "consent" })}&scope=openid%20email%20openid%20email%20api`,
    );
    const shown = await person.signIn(login, p.user.username, p.user.password);
    assert.deepEqual(
      [...shown.body.matchAll(/<code>([^<]*)<\/code>/g)].map(([, name]) => name),
      ["openid", "email", "api"],
      "what is shown",
    );
    const { location } = await person.approve(shown);
    const { json } = await p.exchange(web, {
      code: location.searchParams.get("code"),
      verifier: "v".repeat(43),
      redirect_uri: web.redirectUri,
    });
    const [consent] = await p.deployment.postern(["consent", "list", "--client", "web", "--user", p.user.username]);
    assert.equal(json.scope, "openid email api", "what is issued");
    assert.equal((await p.introspect(json.access_token)).scope, "openid email api");
    for (const scope of json.scope.split(" ")) assert.ok(consent.scope.split(" ").includes(scope), "what is stored");
  });

  it("a public client needs a challenge, and one that is registered for it [A10]", async () => {
    await p.deployment.postern([
      "client",
      "add",
      "strict",
      "--pkce",
      "required",
      "--redirect-uri",
      "https://strict.example/cb",
    ]);
    for (const client of [
      p.clients.spa,
      p.clients.native,
      { id: "strict", redirectUri: "https://strict.example/cb" },
    ]) {
      for (const without of [
        { code_challenge: undefined, code_challenge_method: undefined },
        { code_challenge: "", code_challenge_method: "" },
        { code_challenge: "" },
        { code_challenge: undefined },
      ]) {
        await refused(without, "invalid_request", client);
      }
      assert.equal(nextPage(p, await ask({}, client)), "login", client.id);
    }
    assert.equal(
      nextPage(p, await ask({ code_challenge: undefined, code_challenge_method: undefined })),
      "login",
      "a confidential client has its secret",
    );
  });

  it("a challenge is 43 characters of base64url, and nothing else [A11]", async () => {
    const of = (length) => "a".repeat(length - 1) + "A"; // its last bits are zero, as those of 32 bytes are
    for (const client of [web, p.clients.spa]) {
      for (const challenge of [
        of(42),
        of(44),
        of(128),
        of(129),
        of(1),
        `${of(42)}=`,
        `${of(42)}+`,
        `+${of(42)}`,
        `/${of(42)}`,
        `.${of(42)}`,
        `~${of(42)}`,
        ` ${of(42)}`,
        `${of(43)}=`,
        `${of(42)}\u00e9`,
      ]) {
        await refused({ code_challenge: challenge }, "invalid_request", client);
      }
      for (const challenge of [of(43), CHALLENGE.slice(0, 42) + "Q", `-_${of(41)}`])
        assert.equal(nextPage(p, await ask({ code_challenge: challenge }, client)), "login", challenge);
    }
  });

  it("the method is S256; plain, none at all and a method alone are refused [A12]", async () => {
    for (const client of [web, p.clients.spa]) {
      for (const method of ["plain", "s256", "S512", "S256 ", "none", "PLAIN", undefined, ""])
        await refused({ code_challenge_method: method }, "invalid_request", client);
      for (const method of ["S256", "plain"])
        await refused({ code_challenge: undefined, code_challenge_method: method }, "invalid_request", client);
    }
  });

  it("max_age is digits below 2^31 [A16]", async () => {
    const person = await signedIn(p.clients.trusted);
    for (const age of [
      "-1",
      "abc",
      "1e3",
      "5.0",
      "+5",
      " 5",
      "5 ",
      "2147483648",
      "99999999999999999999",
      "0x10",
      "\u0665",
      "--1",
      "1,000",
    ]) {
      await refused({ max_age: age }, "invalid_request");
      const { location } = await person.visit(p.authorizationUrl(p.clients.trusted, { max_age: age }));
      assert.equal(location.searchParams.get("error"), "invalid_request", age);
    }
    for (const [age, expected] of [
      ["2147483647", "code"],
      ["600", "code"],
      ["0600", "code"],
      ["0", "login"],
      ["00", "login"],
      ["", "code"],
    ]) {
      const page = await person.visit(p.authorizationUrl(p.clients.trusted, { max_age: age }));
      assert.equal(
        page.location?.searchParams.has("code") ? "code" : Object.keys(page.form?.buttons ?? {})[0],
        expected,
        `max_age=${age}`,
      );
    }
  });

  it("a request that points elsewhere for its contents is refused, and nothing is fetched [A22]", async () => {
    let connections = 0;
    const trap = createServer((socket) => {
      ++connections;
      socket.destroy();
    });
    await new Promise((done) => {
      trap.listen(0, "127.0.0.1", done);
    });
    try {
      const url = `http://127.0.0.1:${trap.address().port}/request.jwt`;
      const person = await signedIn();
      for (const request_uri of [
        url,
        "http://127.0.0.1:1/",
        "https://evil.example/r",
        "file:///etc/passwd",
        "urn:ietf:params:oauth:request_uri:x",
        "x",
      ]) {
        await refused({ request_uri }, "request_uri_not_supported");
        assert.equal(
          (await person.visit(p.authorizationUrl(web, { request_uri }))).location.searchParams.get("error"),
          "request_uri_not_supported",
        );
      }
      for (const request of ["x", "eyJhbGciOiJub25lIn0.e30.", url]) await refused({ request }, "request_not_supported");
      for (const registration of ["{}", JSON.stringify({ jwks_uri: url, logo_uri: url })])
        await refused({ registration }, "registration_not_supported");
      // `claims` is understood; what is no claims request is refused.
      for (const claims of [
        "{",
        "[]",
        "x",
        JSON.stringify({ userinfo: { email: 1 } }),
        `{"userinfo":{},"userinfo":{}}`,
      ])
        await refused({ claims }, "invalid_request");
      assert.equal(nextPage(p, await ask({ claims: JSON.stringify({ userinfo: { email: null } }) })), "login");
      assert.equal(connections, 0);
    } finally {
      trap.close();
    }
  });

  it("nonce comes back in the ID token exactly, or the request is refused [A24]", async () => {
    const person = p.person();
    for (const nonce of [
      "n",
      "a\"b\\c'd",
      "<script>&amp;",
      "\u00e9\u{1f511} \u202e",
      "a b+c%20",
      "{}[],:",
      "n".repeat(1500),
      '"'.repeat(1500),
    ]) {
      assert.equal(claimsOf((await p.tokens(web, { nonce }, person)).id_token).nonce, nonce);
    }
    assert.equal("nonce" in claimsOf((await p.tokens(web, {}, person)).id_token), false, "none was sent");
    for (const nonce of ["n".repeat(4096), "n".repeat(8000), '"'.repeat(4096)])
      await refused({ nonce }, "invalid_request");
    isClientError(
      p,
      await p.ask(`${p.authorizationUrl(web)}&nonce=%`),
      web.redirectUri,
      "invalid_request",
      "half a sign",
    );
    // lighttpd's own
    for (const raw of ["a%00b", "a%0ab", "%ff"]) isPage(await p.ask(`${p.authorizationUrl(web)}&nonce=${raw}`), raw);
  });

  it("every authorization response names the issuer of the metadata, once [A25]", async () => {
    const { json: metadata } = await p.ask("/.well-known/openid-configuration");
    assert.deepEqual([metadata.issuer, metadata.authorization_response_iss_parameter_supported], [p.issuer, true]);
    const person = await signedIn();
    const denied = await p.walk(p.person(), p.authorizationUrl(web, { prompt: "consent" }), { decision: "deny" });
    const errors = [
      { response_type: "zz" },
      { scope: "no_such" },
      { max_age: "x" },
      { state: undefined, response_type: "zz" },
      { response_mode: "fragment", scope: "no_such" },
    ];
    const landed = [
      (await person.visit(p.authorizationUrl(web))).location,
      denied.location,
      (await p.person().visit(p.authorizationUrl(web, { prompt: "none" }))).location,
      ...(await Promise.all(errors.map((parameters) => ask(parameters)))).map(
        ({ headers }) => new URL(headers.location),
      ),
    ];
    assert.equal(denied.location.searchParams.get("error"), "access_denied");
    for (const location of landed)
      assert.deepEqual(parametersOf(location).getAll("iss"), [metadata.issuer], `${location}`);
    const form = await person.visit(p.authorizationUrl(web, { response_mode: "form_post" }));
    assert.equal(form.form.fields.iss, metadata.issuer);
  });

  it("a client_secret in the address is not looked at, proves nothing and is in no log [A26]", async () => {
    const person = p.person();
    for (const client_secret of [web.secret, "wrong secret in the query"]) {
      const page = await p.walk(person, p.authorizationUrl(web, { client_secret }));
      const code = page.location?.searchParams.get("code");
      assert.ok(code, `${page.status}`);
      assert.ok(!page.location.href.includes(encodeURIComponent(client_secret)));
      const bare = await p.post("/token", {
        grant_type: "authorization_code",
        code,
        code_verifier: "v".repeat(43),
        redirect_uri: web.redirectUri,
        client_id: web.id,
      });
      assert.deepEqual(
        [bare.status, bare.json.error],
        [401, "invalid_client"],
        "the code was not issued to an authenticated client",
      );
      await ask({ client_secret, response_type: "zz" });
      await ask({ client_secret, redirect_uri: "https://evil.example/" });
      assert.ok(
        !p.deployment.log.includes(client_secret) && !p.deployment.log.includes(encodeURIComponent(client_secret)),
      );
    }
    assert.match(p.deployment.log, /"endpoint":"authorize"/, "the log was there to be looked at");
  });
});
