// The code flow as a client nobody here wrote sees it; each way of running the server goes through the same tests.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { generators } from "openid-client";
import { UserAgent } from "../support/user_agent.mjs";
import {
  CLIENTS,
  PERSON,
  REDIRECT_URI,
  authorizationUrl,
  authorize,
  newChecks,
  openProvider,
  walk,
} from "./relying_party.mjs";

/// The first half of the hash, as OpenID Connect Core §3.1.3.6 says; SHA-256 goes with RS256.
function atHash(accessToken) {
  return createHash("sha256").update(accessToken).digest().subarray(0, 16).toString("base64url");
}

async function refusedWith(promise, error, status) {
  await assert.rejects(promise, (caught) => {
    assert.equal(caught.error, error, caught.message);
    if (status) assert.equal(caught.response.statusCode, status);
    return true;
  });
}

export function codeFlow(mode) {
  describe(
    `openid-client over TLS, lighttpd in ${mode} mode [RFC 7009 §2c, ` +
      "RFC 7662 §2, OIDC Core §3.1.2, §3.1.3, §5.3a, §16.2, §16.17, Discovery §7.1]",
    () => {
      let provider;
      before(async () => {
        provider = await openProvider({ mode });
      });
      after(async () => {
        await provider?.deployment.stop();
      });
      const client = (method = "client_secret_basic") => provider.clients[method];

      it("discovery describes this issuer [OpenID Connect Discovery §4.2, Discovery §4.3]", () => {
        const { metadata } = provider.issuer;
        assert.equal(metadata.issuer, provider.deployment.issuer);
        assert.ok(metadata.response_types_supported.includes("code"));
        assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
        for (const method of Object.keys(CLIENTS))
          assert.ok(metadata.token_endpoint_auth_methods_supported.includes(method), method);
        assert.equal(metadata.authorization_response_iss_parameter_supported, true);
      });

      for (const method of Object.keys(CLIENTS)) {
        it(
          "code and PKCE give an ID token and UserInfo " + `to a client with ${method} [OIDC Core §2k, §3.1.3.7]`,
          async () => {
            const { checks, answer, location } = await authorize(provider, client(method));
            assert.equal(
              location.searchParams.get("from"),
              "postern",
              "the registered query is kept [RFC 6749 §3.1.2]",
            );
            // verifies signature, nonce, iss, at_hash
            const tokens = await client(method).callback(REDIRECT_URI, answer, checks);
            const claims = tokens.claims();
            assert.equal(claims.sub, provider.sub);
            assert.equal(claims.aud, `app-${method}`);
            assert.equal(claims.nonce, checks.nonce);
            assert.equal(claims.at_hash, atHash(tokens.access_token));
            assert.equal(tokens.token_type.toLowerCase(), "bearer");

            const expected = {
              sub: provider.sub,
              name: PERSON.claims.name,
              given_name: "Mara",
              email: "mara@example.org",
              email_verified: true,
              preferred_username: PERSON.username,
            };
            for (const how of [{}, { method: "POST", via: "body" }]) {
              const { updated_at, ...rest } = await client(method).userinfo(tokens, how);
              assert.deepEqual(rest, expected);
              assert.ok(
                Number.isInteger(updated_at) && updated_at <= Date.now() / 1000,
                "seconds of the user's last change [OpenID Connect Core §5.1]",
              );
            }
          },
        );

        it(`a wrong code_verifier is refused for a client with ${method} [RFC 7636 §4.6]`, async () => {
          const { checks, answer } = await authorize(provider, client(method));
          const other = { ...checks, code_verifier: generators.codeVerifier() };
          await refusedWith(client(method).callback(REDIRECT_URI, answer, other), "invalid_grant", 400);
        });
      }

      it("a code used twice is refused and takes back what it gave [RFC 6749 §4.1.2]", async () => {
        const { checks, answer } = await authorize(provider, client());
        const tokens = await client().callback(REDIRECT_URI, answer, checks);
        assert.equal((await client().userinfo(tokens)).sub, provider.sub);
        await refusedWith(client().callback(REDIRECT_URI, answer, checks), "invalid_grant", 400);
        await refusedWith(client().userinfo(tokens), "invalid_token", 401);
      });

      for (const method of ["client_secret_basic", "client_secret_post"]) {
        it(`a wrong secret by ${method} is invalid_client, and the code stays good [RFC 6749 §5.2]`, async () => {
          const right = client(method);
          const { checks, answer } = await authorize(provider, right);
          const wrong = new provider.issuer.Client({ ...right.metadata, client_secret: "x".repeat(43) });
          await refusedWith(wrong.callback(REDIRECT_URI, answer, checks), "invalid_client", 401);
          assert.equal((await right.callback(REDIRECT_URI, answer, checks)).claims().sub, provider.sub);
        });
      }

      it("a code of another client is refused [RFC 6749 §4.1.3, OIDC Core §3.1.3.2a]", async () => {
        const { checks, answer } = await authorize(provider, client("client_secret_basic"));
        await refusedWith(client("client_secret_post").callback(REDIRECT_URI, answer, checks), "invalid_grant", 400);
      });

      it("a denied consent comes back as access_denied with the state [RFC 6749 §4.1.2.1]", async () => {
        const { checks, answer } = await authorize(provider, client("none"), {
          decision: "deny",
          parameters: { prompt: "consent" },
        });
        assert.equal(answer.state, checks.state);
        assert.equal(answer.code, undefined);
        await refusedWith(client("none").callback(REDIRECT_URI, answer, checks), "access_denied");
      });

      it("a redirect_uri that is not registered gets a page, never a redirect [RFC 6749 §4.1.2.1]", async () => {
        for (const redirect_uri of [`${REDIRECT_URI}x`, "https://client.example/callback", "https://evil.example/"]) {
          const page = await new UserAgent({ ca: provider.deployment.ca }).visit(
            authorizationUrl(client(), newChecks(), { redirect_uri }),
          );
          assert.equal(page.status, 400, redirect_uri);
          assert.equal(page.headers.location, undefined);
          assert.match(page.headers["content-type"], /^text\/html/);
          assert.doesNotMatch(page.body, /evil\.example/);
        }
      });

      it("the client refuses an answer with another state or nonce", async () => {
        const { checks, answer } = await authorize(provider, client());
        await assert.rejects(
          client().callback(REDIRECT_URI, answer, { ...checks, state: generators.state() }),
          /state mismatch/,
        );
        await assert.rejects(
          client().callback(REDIRECT_URI, answer, { ...checks, nonce: generators.nonce() }),
          /nonce mismatch/,
        );
      });

      it("a wrong password shows the form again and signs no user in", async () => {
        const agent = new UserAgent({ ca: provider.deployment.ca });
        const form = await agent.visit(authorizationUrl(client(), newChecks()));
        const again = await agent.signIn(form, PERSON.username, "incorrect");
        assert.equal(again.location, undefined);
        assert.ok(again.form.buttons.login, "the login form");
        assert.equal(again.form.fields.username, PERSON.username);
        assert.equal(again.form.fields.password, "");
        const silent = await authorize(provider, client(), { agent, parameters: { prompt: "none" } });
        assert.equal(silent.answer.error, "login_required");
      });

      it(
        "a confidential client is remembered: no second " + "login, no second question, and prompt=none works",
        async () => {
          const { agent } = await authorize(provider, client("client_secret_post"));
          const url = authorizationUrl(client("client_secret_post"), newChecks());
          assert.equal((await agent.visit(url)).location?.origin, "https://client.example");
          const { checks, answer } = await authorize(provider, client("client_secret_post"), {
            agent,
            parameters: { prompt: "none" },
          });
          assert.equal(
            (await client("client_secret_post").callback(REDIRECT_URI, answer, checks)).claims().sub,
            provider.sub,
          );
        },
      );

      it("max_age=0 asks for the password again, and auth_time says so [OpenID Connect Core §3.1.2.1]", async () => {
        const { agent } = await authorize(provider, client());
        const checks = newChecks();
        const url = authorizationUrl(client(), checks, { max_age: 0 });
        assert.ok((await agent.visit(url)).form?.buttons.login, "a login form");
        const page = await walk(agent, url);
        const tokens = await client().callback(REDIRECT_URI, client().callbackParams(page.location.href), {
          ...checks,
          max_age: 60,
        });
        assert.equal(typeof tokens.claims().auth_time, "number");
      });

      it("without the openid scope there is no ID token and no UserInfo [OIDC Core §3.1.2.1b, §5.3]", async () => {
        await provider.deployment.postern([
          "client",
          "set",
          "app-client_secret_basic",
          "--scope",
          "openid profile email reports",
        ]);
        const { checks, answer } = await authorize(provider, client(), { parameters: { scope: "reports" } });
        const tokens = await client().oauthCallback(REDIRECT_URI, answer, {
          state: checks.state,
          code_verifier: checks.code_verifier,
          response_type: "code",
        });
        assert.equal(tokens.id_token, undefined);
        assert.equal(tokens.scope, "reports");
        await refusedWith(client().userinfo(tokens), "insufficient_scope", 403);
      });
    },
  );
}
