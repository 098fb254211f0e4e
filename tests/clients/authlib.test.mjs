// Python's Authlib, as Debian ships it, in the hands of an application (tests/clients/python/authlib_client.py).
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { AWKWARD_SECRETS, PERSON, addClientWithSecret } from "./provider.mjs";
import { REDIRECT_URI, pythonSuite, refused } from "./python_suite.mjs";

const SCOPE = "openid profile email";
const MACHINE = ["--grant", "client_credentials", "--scope", `${SCOPE} reports`];
const GRANTS = ["--grant", "authorization_code", "--grant", "refresh_token"];

describe("Authlib", () => {
  const suite = pythonSuite("authlib_client.py", { implicit: true });
  const { register, withApplication, sentTo } = suite;
  const signIn = async (application) => application("callback", { url: await sentTo(await application("login")) });

  it("is the one that Debian ships", (context) =>
    withApplication({ CLIENT_ID: "nobody" }, async (application) => {
      const version = await application("version");
      context.diagnostic(`python3-authlib ${version}`);
      assert.match(version, /^1\./);
    }));

  for (const [id, method, ...options] of [
    ["by-default", undefined, ...MACHINE, ...GRANTS],
    ["by-basic", "client_secret_basic", "--auth-method", "client_secret_basic", ...MACHINE, ...GRANTS],
    ["by-post", "client_secret_post", "--auth-method", "client_secret_post", ...MACHINE, ...GRANTS],
    ["public", "none", "--public"],
    ["public-by-default", undefined, "--public"],
  ]) {
    describe(
      `${options.includes("--public") ? "public" : "confidential"} ` +
        `client, ${method ?? "the method that the library chooses"}`,
      () => {
        let settings;
        before(async () => {
          settings = { ...(await register(id, ...options)), SCOPE, ...(method && { AUTH_METHOD: method }) };
        });
        const signedIn = (use) =>
          withApplication(settings, async (application) => use(application, await signIn(application)));

        it("signs in with PKCE, and the library verifies the ID token with nonce and at_hash", () =>
          signedIn(async (application, tokens) => {
            const claims = await application("id_token");
            assert.equal(claims.sub, suite.sub);
            assert.equal(tokens.scope, SCOPE);
            assert.ok(tokens.expires_at > Date.now() / 1000);
            await refused(application("id_token", { nonce: "another" }), "invalid_claim");
            const { name, email, sub } = await application("userinfo");
            assert.deepEqual(
              { name, email, sub },
              { name: PERSON.claims.name, email: PERSON.claims.email, sub: suite.sub },
            );
            assert.equal((await application("userinfo_without_session")).sub, suite.sub);
          }));

        it("refreshes on request and by itself, and keeps each new refresh token", () =>
          signedIn(async (application, tokens) => {
            const second = await application("refresh");
            assert.notEqual(second.refresh_token, tokens.refresh_token);
            assert.notEqual(second.access_token, tokens.access_token);
            const { userinfo, saved } = await application("userinfo_after_expiry");
            assert.equal(userinfo.sub, suite.sub);
            assert.notEqual(saved.refresh_token, second.refresh_token);
            await refused(application("refresh_with", { token: tokens.refresh_token }), "invalid_grant");
            await refused(application("refresh_with", { token: saved.refresh_token }), "invalid_grant");
          }));

        it("revokes, and is refused afterwards", () =>
          signedIn(async (application, tokens) => {
            await application("revoke", { token: tokens.refresh_token, hint: "refresh_token" });
            await refused(application("refresh"), "invalid_grant");
            await assert.rejects(application("userinfo"), /401/);
          }));

        if (options.includes("--public")) {
          it("may not introspect", () =>
            signedIn(async (application, tokens) => {
              await assert.rejects(application("introspect", { token: tokens.access_token }), /401/);
            }));
          return;
        }

        it("introspects access and refresh tokens", () =>
          signedIn(async (application, tokens) => {
            const access = await application("introspect", { token: tokens.access_token, hint: "access_token" });
            assert.deepEqual(
              [access.active, access.sub, access.username, access.client_id],
              [true, suite.sub, PERSON.username, id],
            );
            assert.equal(
              (await application("introspect", { token: tokens.refresh_token, hint: "refresh_token" })).active,
              true,
            );
            await application("revoke", { token: tokens.access_token });
            assert.deepEqual(await application("introspect", { token: tokens.access_token }), { active: false });
          }));

        it("gets a token of its own by client_credentials", () =>
          withApplication(settings, async (application) => {
            const { access_token, refresh_token } = await application("client_credentials", { scope: "reports" });
            assert.equal(refresh_token, undefined);
            const { active, scope, sub } = await application("introspect", { token: access_token });
            assert.deepEqual({ active, scope, sub }, { active: true, scope: "reports", sub: id });
          }));

        it("is refused with a wrong secret", () =>
          withApplication({ ...settings, CLIENT_SECRET: "x".repeat(43) }, async (application) => {
            await refused(signIn(application), "invalid_client");
            await refused(application("client_credentials", { scope: "reports" }), "invalid_client");
          }));
      },
    );
  }

  for (const [which, secret] of AWKWARD_SECRETS.entries()) {
    for (const method of ["client_secret_basic", "client_secret_post"]) {
      it(`the secret ${secret} works by ${method}`, async () => {
        const id = `awkward-${which}-${method}`;
        await addClientWithSecret(suite.deployment, id, secret, REDIRECT_URI, ...MACHINE);
        const settings = { CLIENT_ID: id, CLIENT_SECRET: secret, AUTH_METHOD: method };
        await withApplication(settings, async (application) =>
          assert.ok((await application("client_credentials", { scope: "reports" })).access_token),
        );
        await withApplication({ ...settings, CLIENT_SECRET: `${secret}x` }, (application) =>
          refused(application("client_credentials", { scope: "reports" }), "invalid_client"),
        );
      });
    }
  }

  it("takes a token out of the fragment in the implicit flow, and not with another state", async () => {
    const settings = { ...(await register("implicit", "--public", "--grant", "implicit")), SCOPE };
    await withApplication(settings, async (application) => {
      const answer = await sentTo(await application("implicit_login"));
      await refused(
        application("implicit_callback", { url: answer.replace(/state=[^&]*/, "state=another") }),
        "mismatching_state",
      );
      assert.equal((await application("implicit_callback", { url: answer })).token_type, "Bearer");
      assert.equal((await application("userinfo")).sub, suite.sub);
    });
  });
});
