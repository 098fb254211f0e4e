// What answers say and how: JSON that is JSON, descriptions that are ours, and nothing about the inside when it is
// broken.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { basicOf, formText, openProvider } from "./provider.mjs";
import { SingleProcess } from "./single_process.mjs";

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
    p = await openProvider();
  });
  after(async () => {
    await p?.stop();
  });

  const web = () => p.clients.web;
  const basic = () => ({ authorization: basicOf(web().id, web().secret) });
  const body = (parameters) => ({ method: "POST", body: formText(parameters), headers: basic() });

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
  function isFixed(answer, name) {
    assert.equal(answer.status, 500, `${name}: ${answer.body}`);
    assert.equal(answer.headers["cache-control"], "no-store");
    if (name === "authorize") assert.match(answer.headers["content-type"], /^text\/html/);
    else
      assert.deepEqual(
        [answer.json.error, DESCRIPTION.test(answer.json.error_description ?? "")],
        ["server_error", true],
      );
  }

  it("running processes answer a damaged key set with one fixed 500, and recover with it [X29]", async () => {
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
          isFixed(answer, name);
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
});
