// oidc-client-ts in Chromium: a page of an origin of its own, which has the library as it is published and no server
// behind it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openBrowser, signIn } from "../browser/browser.mjs";
import { prepared } from "../support/prepared.mjs";
import { leave, openSite, signedIn, withPage } from "./oidc_client_ts.mjs";
import { PERSON, openProvider } from "./provider.mjs";

describe("oidc-client-ts in a browser", () => {
  let provider;
  let browser;
  let site;
  prepared(async (owned) => {
    site = owned(await openSite());
    provider = owned(await openProvider({}, { tls: false }));
    await provider.deployment.postern(["group", "add", "members"]);
    await register("board");
    browser = owned(await openBrowser());
  });

  const register = (id, ...options) =>
    provider.deployment.addClient(
      id,
      `${site.origin}/callback`,
      ...["--public", "--post-logout-redirect-uri", `${site.origin}/`, ...options],
    );

  const withTab = (use, { id = "board", settings = {} } = {}) =>
    withPage({ browser, site, provider }, { client_id: id, ...settings }, use);
  const userinfo = (page, token) =>
    page.evaluate(
      ([url, authorization]) => fetch(url, { headers: { authorization } }).then(({ status }) => status),
      [`${provider.deployment.issuer}/userinfo`, `Bearer ${token}`],
    );

  it("signs a user in with PKCE, and reads UserInfo from its own origin", () =>
    withTab(async (tab) => {
      const { profile, token_type, scope } = await signedIn(tab);
      const { sub, name, email } = profile;
      assert.deepEqual(
        { sub, name, email, token_type, scope },
        {
          sub: provider.sub,
          name: PERSON.claims.name,
          email: PERSON.claims.email,
          token_type: "Bearer",
          scope: "openid profile email",
        },
      );
    }));

  it("renews silently with the refresh token, which rotates", () =>
    withTab(async (tab) => {
      const users = [await signedIn(tab)];
      for (let round = 0; round < 2; ++round) users.push(await tab.call("signinSilent"));
      assert.equal(new Set(users.map(({ refresh_token }) => refresh_token)).size, 3);
      assert.equal(await userinfo(tab.page, users.at(-1).access_token), 200);
    }));

  it("without a refresh token it asks in an iframe, and is told that a user has to be asked", async () => {
    const silent = `${site.origin}/silent`;
    await register("without-refresh", "--grant", "authorization_code", "--redirect-uri", silent);
    await withTab(
      async (tab) => {
        assert.equal((await signedIn(tab)).refresh_token, undefined);
        assert.equal((await tab.call("signinSilent")).failed, "consent_required");
        await tab.page.context().clearCookies();
        assert.equal((await tab.call("signinSilent")).failed, "login_required");
      },
      { id: "without-refresh", settings: { silent_redirect_uri: silent } },
    );
  });

  it("a user who denies consent comes back with access_denied", () =>
    withTab(async (tab) => assert.equal((await signedIn(tab, "#deny")).failed, "access_denied")));

  it("a user who may not use the client does not get to the application", async () => {
    await register("members-only", "--allow-group", "members");
    await withTab(
      async ({ page, call }) => {
        await leave(call, "signinRedirect");
        await page.waitForSelector("#login");
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.status() === 403),
          signIn(page, PERSON.password, PERSON.username),
        ]);
        assert.equal(new URL(answer.url()).origin, provider.deployment.origin);
      },
      { id: "members-only" },
    );
  });

  it("revokes its tokens and signs out of Postern", () =>
    withTab(async (tab) => {
      const { page, call } = tab;
      const { access_token: token } = await signedIn(tab);
      assert.equal(await userinfo(page, token), 200);
      await leave(call, "signoutRedirect");
      await page.waitForURL(({ origin, pathname }) => origin === site.origin && pathname === "/");
      assert.equal(await userinfo(page, token), 401);
      assert.equal(await call("getUser"), null);
      await leave(call, "signinRedirect");
      await page.waitForSelector("#login");
    }));
});
