// What answers say and how: JSON that is JSON, and descriptions that are ours.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { openProvider } from "./provider.mjs";

/// RFC 6749 §4.1.2.1, §5.2: what a description may be made of.
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

describe("what answers say", () => {
  let p;
  prepared(async (owned) => {
    p = owned(await openProvider());
  });

  const web = () => p.clients.web;
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
          "scope response_type prompt max_age response_mode claims code_challenge_method id_token_hint"
            .split(" ")
            .map((name) => p.ask(p.authorizationUrl(web(), { [name]: value }))),
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
