// Python's requests-oauthlib, as Debian ships it, in the hands of an application
// (tests/clients/python/requests_oauthlib_client.py).
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { AWKWARD_SECRETS, PERSON, addClientWithSecret } from "./provider.mjs";
import { REDIRECT_URI, pythonSuite, refused } from "./python_suite.mjs";

const BOTH_WAYS = ["basic", "body"];
const MACHINE = ["--grant", "client_credentials", "--scope", "reports"];

describe("requests-oauthlib", () => {
  const suite = pythonSuite("requests_oauthlib_client.py", { implicit: true });
  const { register, withApplication, sentTo } = suite;
  const signIn = async (application, how) =>
    application("callback", { url: await sentTo(await application("login")), how });

  it("is the one that Debian ships", (context) =>
    withApplication({ CLIENT_ID: "nobody" }, async (application) => {
      const [version, oauthlib, requests] = await application("version");
      context.diagnostic(`python3-requests-oauthlib ${version}, oauthlib ${oauthlib}, requests ${requests}`);
      assert.match(version, /^1\./);
    }));

  for (const [id, ...options] of [["confidential"], ["public", "--public"]]) {
    describe(`web application, ${id}`, () => {
      let settings;
      before(async () => {
        settings = await register(id, ...options);
      });

      for (const how of BOTH_WAYS) {
        it(`signs in with PKCE and asks for the claims, credentials by ${how}`, () =>
          withApplication(settings, async (application) => {
            const tokens = await signIn(application, how);
            assert.deepEqual([...tokens.scope].sort(), ["email", "openid", "profile"]);
            const { sub, name } = await application("userinfo");
            assert.deepEqual([sub, name], [suite.sub, PERSON.claims.name]);
          }));
      }

      it("refreshes, and by itself when its token is over", () =>
        withApplication(settings, async (application) => {
          const first = await signIn(application);
          const second = await application("refresh");
          assert.notEqual(second.refresh_token, first.refresh_token);
          const { userinfo, saved } = await application("userinfo_after_expiry");
          assert.equal(userinfo.sub, suite.sub);
          assert.notEqual(saved.refresh_token, second.refresh_token);
          await refused(application("refresh", { token: first.refresh_token }), "invalid_grant");
          await refused(application("refresh", { token: saved.refresh_token }), "invalid_grant");
        }));

      it("revokes, and is refused afterwards", () =>
        withApplication(settings, async (application) => {
          const { access_token } = await signIn(application);
          await application("revoke", { token: access_token, hint: "access_token" });
          await assert.rejects(application("userinfo"), /401/);
          await refused(application("refresh"), "invalid_grant");
        }));

      it("is refused with a wrong secret", () =>
        withApplication({ ...settings, CLIENT_SECRET: "x".repeat(43) }, async (application) => {
          for (const how of BOTH_WAYS) await refused(signIn(application, how), "invalid_client");
        }));
    });
  }

  for (const [which, secret] of AWKWARD_SECRETS.entries()) {
    it(`a back end whose secret is ${secret} gets a token of its own`, async () => {
      const id = `back-end-${which}`;
      await addClientWithSecret(suite.deployment, id, secret, REDIRECT_URI, ...MACHINE);
      const settings = { CLIENT_ID: id, CLIENT_SECRET: secret };
      for (const how of BOTH_WAYS) {
        await withApplication(settings, async (application) => {
          const {
            token,
            about: { active, sub, scope },
          } = await application("back_end", { scope: "reports", how });
          assert.equal(token.refresh_token, undefined);
          assert.deepEqual({ active, sub, scope }, { active: true, sub: id, scope: "reports" });
        });
        await withApplication({ ...settings, CLIENT_SECRET: `${secret}x` }, (application) =>
          refused(application("back_end", { scope: "reports", how }), "invalid_client"),
        );
      }
    });
  }

  it("takes a token out of the fragment in the implicit flow, and not with another state", async () => {
    await withApplication(await register("implicit", "--public", "--grant", "implicit"), async (application) => {
      const answer = await sentTo(await application("implicit_login"));
      await assert.rejects(
        application("implicit_callback", { url: answer.replace(/state=[^&]*/, "state=another") }),
        /missing state/,
      );
      const { token, userinfo } = await application("implicit_callback", { url: answer });
      assert.equal(token.token_type, "Bearer");
      assert.equal(userinfo.sub, suite.sub);
    });
  });
});
