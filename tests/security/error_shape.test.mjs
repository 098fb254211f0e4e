// What answers say and how: JSON that is JSON, descriptions that are ours, and nothing about the inside when it is
// broken.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileOf } from "./database.mjs";
import { basicOf, formText, openProvider } from "./provider.mjs";
import { SingleProcess } from "./single_process.mjs";

const ODD = '"quoted" \\back\\ \u2028\u2029 </script><script>alert(1)</script> é \u{1f600}';
/// RFC 6749 §4.1.2.1, §5.2: what a description may be made of.
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/// Words of the libraries and the files that no answer has.
const INSIDE = new RegExp(
  "sqlite|openssl|rapidjson|libfcgi|std::|\\.cpp|\\.db\\b|\\.pem|jwks\\.json|errno|select |insert |/tmp/|" +
    "malformed database|disk image",
  "i",
);

describe("what answers say", () => {
  let p;
  before(async () => {
    p = await openProvider({ config: { scopeDescriptions: { api: ODD } } });
    await p.deployment.addUser("odd", "correct horse battery staple", { name: ODD });
  });
  after(async () => {
    await p?.stop();
  });

  const web = () => p.clients.web;
  const basic = () => ({ authorization: basicOf(web().id, web().secret) });
  const body = (parameters) => ({ method: "POST", body: formText(parameters), headers: basic() });

  it("every answer begins with its status, and leads only to whole addresses [X03]", async () => {
    const browser = p.person();
    const seen = [];
    browser.send = (
      (send) =>
      async (...asked) => {
        const answer = await send(...asked);
        seen.push(answer);
        return answer;
      }
    )(browser.send);
    const page = await p.walk(browser, p.authorizationUrl(web()));
    assert.ok(page.location.searchParams.get("code"));
    const redirects = seen.filter(({ headers }) => headers.location);
    assert.ok(redirects.length >= 4, "to login, back, to consent, back, to the client");
    for (const { status, headers } of redirects) {
      assert.equal(status, 303);
      assert.ok(
        headers.location.startsWith(`${p.issuer}/`) || headers.location.startsWith(web().redirectUri),
        headers.location,
      );
      assert.equal(headers.status, undefined, "the web server has read it");
    }
    const worker = await SingleProcess.start(p.deployment, "authorize");
    try {
      for (const query of [new URL(p.authorizationUrl(web())).search.slice(1), "", "resume=x"]) {
        const { headers } = await worker.ask({ path: "/authorize", query });
        assert.match(headers.status, /^(303 See Other|400 Bad Request)$/);
        if (headers.location) assert.match(headers.location, /^https:\/\/127\.0\.0\.1:\d+\/login\?/);
      }
    } finally {
      await worker.stop();
    }
  });

  /// Requests that need what is about to be broken, each of an executable that was started before.
  async function started() {
    const [tokens, revoked] = [await p.tokens(web()), await p.tokens(web())];
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    const requests = {
      token: { path: "/token", ...body({ grant_type: "client_credentials" }) },
      introspect: { path: "/token/introspect", ...body({ token: tokens.access_token }) },
      revoke: { path: "/token/revoke", ...body({ token: revoked.refresh_token }) },
      userinfo: { path: "/userinfo", headers: bearer },
      authorize: { path: "/authorize", query: new URL(p.authorizationUrl(web())).search.slice(1) },
      jwks: { path: "/jwks" },
      discovery: { path: "/.well-known/openid-configuration" },
    };
    const workers = {};
    for (const name of Object.keys(requests)) workers[name] = await SingleProcess.start(p.deployment, name);
    return {
      ask: async (name) => {
        const answer = await workers[name].ask(requests[name]);
        assert.doesNotMatch(JSON.stringify(answer), INSIDE, name);
        return answer;
      },
      names: Object.keys(requests),
      workers,
      stop: async () => {
        for (const worker of Object.values(workers)) await worker.stop();
      },
    };
  }
  const FIXED = { 500: "server_error", 503: "temporarily_unavailable" };
  function isFixed(answer, status, name) {
    assert.equal(answer.status, status, `${name}: ${answer.body}`);
    assert.equal(answer.headers["cache-control"], "no-store");
    if (name === "authorize") assert.match(answer.headers["content-type"], /^text\/html/);
    else
      assert.deepEqual(
        [answer.json.error, DESCRIPTION.test(answer.json.error_description ?? "")],
        [FIXED[status], true],
      );
  }

  it(
    "a key set that has been spoiled is 500 with a fixed " + "text everywhere, and all is well when it is back [X29]",
    async () => {
      const all = await started();
      const file = join(p.deployment.directory, "keys/jwks.json");
      const good = readFileSync(file);
      try {
        for (const name of all.names) assert.ok((await all.ask(name)).status < 400, name);
        for (const bad of ["", "{", "not JSON at all", '{"keys":[{"kty":"RSA"}]}']) {
          writeFileSync(`${file}.bad`, bad);
          chmodSync(`${file}.bad`, 0o644);
          renameSync(`${file}.bad`, file);
          const texts = new Set();
          for (const name of all.names) {
            const answer = await all.ask(name);
            isFixed(answer, 500, name);
            if (name !== "authorize") texts.add(answer.body);
          }
          assert.equal(texts.size, 1, "one text for all");
        }
        assert.match(all.workers.token.log, /jwks\.json/, "the log has it");
      } finally {
        writeFileSync(`${file}.good`, good);
        chmodSync(`${file}.good`, 0o644);
        renameSync(`${file}.good`, file);
      }
      for (const name of all.names) assert.ok((await all.ask(name)).status < 400, `${name} afterwards`);
      await all.stop();
    },
  );

  it("a database that is locked is 503 with a fixed text and Retry-After for writers [X29]", async () => {
    const all = await started();
    const holder = spawn("flock", ["-x", `${fileOf(p.deployment)}.gate`, "sh", "-c", "echo held; cat"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise((done) => holder.once("exit", done));
    try {
      await new Promise((done) => holder.stdout.once("data", done));
      for (const name of ["token", "revoke"]) {
        const answer = await all.ask(name);
        isFixed(answer, 503, name);
        assert.match(answer.headers["retry-after"], /^\d+$/);
      }
      for (const name of ["introspect", "userinfo", "jwks"]) assert.equal((await all.ask(name)).status, 200, name);
    } finally {
      holder.stdin.end();
      await ended;
    }
    for (const name of ["token", "revoke"]) assert.equal((await all.ask(name)).status, 200, `${name} afterwards`);
    await all.stop();
  });

  it("descriptions are fixed texts, never an echo, and no input breaks a challenge or a JSON text [X30]", async () => {
    const inputs = [
      '"',
      "\\",
      "<b>",
      "é",
      '"}{"',
      '", error="x',
      "\u2028",
      "%22",
      'a"b\\c',
      "{{x}}",
      "'",
      "x".repeat(300),
    ];
    const marker = "Zq7";
    for (const input of inputs) {
      const value = `${marker}${input}`;
      const answers = [
        await p.post("/token", { grant_type: value }, { client: web() }),
        await p.post("/token", { grant_type: "client_credentials", scope: value }, { client: web() }),
        await p.post(
          "/token",
          {
            grant_type: "authorization_code",
            code: value,
            redirect_uri: value,
            code_verifier: `of the verifier: ${value}`,
          },
          { client: web() },
        ),
        await p.post("/token", { grant_type: "refresh_token", refresh_token: value }, { client: web() }),
        await p.post("/token", {
          grant_type: "client_credentials",
          aud: value,
          client_id: value,
          client_secret: `of the secret: ${value}`,
        }),
        await p.post("/token", { grant_type: "client_credentials" }, { basic: [value, value] }),
        await p.post("/token/introspect", { token: "x", token_type_hint: value }, { client: web() }),
        await p.post("/token/revoke", { token: "x", token_type_hint: value }, { client: web() }),
        await p.post("/userinfo", { access_token: value }),
        await p.ask("/userinfo", { headers: { authorization: `Bearer token-${encodeURIComponent(value)}` } }),
        ...(await Promise.all(
          [
            "scope",
            "response_type",
            "prompt",
            "max_age",
            "response_mode",
            "claims",
            "code_challenge_method",
            "id_token_hint",
          ].map((name) => p.ask(p.authorizationUrl(web(), { [name]: value }))),
        )),
      ];
      for (const [i, { status, headers, body: text, json }] of answers.entries()) {
        const what = `${i}: ${JSON.stringify(input).slice(0, 30)} ${status}`;
        const location = headers.location?.startsWith(web().redirectUri)
          ? new URL(headers.location).searchParams
          : null;
        const description = json?.error_description ?? location?.get("error_description");
        if (description !== undefined && description !== null) {
          assert.match(description, DESCRIPTION, what);
          assert.ok(!description.includes(marker), what);
        }
        if (headers["content-type"]?.startsWith("application/json")) {
          assert.ok(json, `${what}: ${text}`);
          assert.ok(!text.includes(marker), what);
        }
        const challenge = headers["www-authenticate"];
        if (challenge) {
          assert.match(
            challenge,
            /^(Basic|Bearer) [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(, ?[a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*")*$/,
            what,
          );
          assert.ok(!challenge.includes(marker), what);
        }
      }
    }
  });

  it(
    "quotes, backslashes, line separators and tags in claims " +
      "and descriptions are JSON, and no browser runs them [X31]",
    async () => {
      const tokens = await p.exchange(
        web(),
        await (async () => {
          const person = p.person();
          const url = p.authorizationUrl(web(), { scope: "openid profile api" });
          let page = await person.visit(url);
          page = await person.signIn(page, "odd", "correct horse battery staple");
          assert.doesNotMatch(page.body, /<script>/, "the description of a scope on the consent page");
          page = await person.approve(page);
          return {
            code: page.location.searchParams.get("code"),
            verifier: "v".repeat(43),
            redirect_uri: web().redirectUri,
          };
        })(),
      );
      assert.equal(tokens.status, 200, tokens.body);
      const claims = await p.userinfo(tokens.json.access_token);
      assert.equal(claims.json.name, ODD);
      const metadata = await p.ask("/.well-known/openid-configuration");
      assert.ok(metadata.json.scopes_supported.includes("api"));
      for (const { headers, body: text } of [
        claims,
        metadata,
        tokens,
        await p.ask("/jwks"),
        await p.post("/token", { grant_type: "x" }, { client: web() }),
      ]) {
        assert.match(headers["content-type"], /^application\/json\b/);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.doesNotMatch(text, /<|\u2028|\u2029/);
      }
      const wrong = await p.post(
        "/token",
        { grant_type: "client_credentials", scope: 'a"b \\ </script>' },
        { client: web() },
      );
      assert.deepEqual([wrong.status, wrong.json.error], [400, "invalid_scope"]);
    },
  );
});
