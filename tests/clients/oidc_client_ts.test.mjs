// oidc-client-ts in Chromium: a page of an origin of its own, which has the library as it is published and no server
// behind it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { openBrowser, signIn } from "../browser/browser.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { PERSON, openProvider } from "./provider.mjs";

const LIBRARY = readFileSync(
  createRequire(import.meta.url)
    .resolve("oidc-client-ts")
    .replace(/[^/]*$/, "../browser/oidc-client-ts.min.js"),
);
const page = (script = "") =>
  `<!doctype html><title>Application</title><link rel="icon" href="data:,"><script src="/oidc.js"></script>${script}`;
/// In the iframe that asks without the user.
const SILENT = page(
  "<script>new oidc.UserManager({ authority: '', client_id: '', redirect_uri: '' }).signinSilentCallback()</script>",
);

/// The application's web server: the library, the page of the iframe, and one page at every other path.
function openSite() {
  const server = createServer(({ url }, answer) =>
    url === "/oidc.js"
      ? answer.setHeader("content-type", "text/javascript").end(LIBRARY)
      : answer.setHeader("content-type", "text/html").end(url.startsWith("/silent") ? SILENT : page()),
  );
  return listening(server);
}

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

  /// A tab of a browser of its own. `call` runs a method of the library's UserManager there; the library keeps its
  /// state in the page's sessionStorage.
  async function withPage(use, { id = "board", settings = {} } = {}) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const options = {
        authority: provider.deployment.issuer,
        client_id: id,
        redirect_uri: `${site.origin}/callback`,
        post_logout_redirect_uri: `${site.origin}/`,
        scope: "openid profile email",
        automaticSilentRenew: false,
        loadUserInfo: true,
        revokeTokensOnSignout: true,
        ...settings,
      };
      const call = (method, ...parameters) =>
        page.evaluate(
          ([options, method, parameters]) => {
            const manager = new oidc.UserManager({
              ...options,
              userStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
              stateStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
            });
            return manager[method](...parameters).then(
              (result) => JSON.parse(JSON.stringify(result ?? null)),
              (error) => ({ failed: error.error ?? error.message }),
            );
          },
          [options, method, parameters],
        );
      await page.goto(site.origin);
      await use({ page, call });
    } finally {
      await context.close();
    }
  }

  /// The library leaves the page, which ends the call.
  const leave = (call, method) => call(method).catch(() => {});

  async function signedIn({ page, call }, decision = "#approve") {
    await leave(call, "signinRedirect");
    await page.waitForSelector("#login");
    await signIn(page, PERSON.password, PERSON.username);
    await page.click(decision);
    await page.waitForURL(`${site.origin}/callback?*`);
    return call("signinCallback");
  }
  const userinfo = (page, token) =>
    page.evaluate(
      ([url, authorization]) => fetch(url, { headers: { authorization } }).then(({ status }) => status),
      [`${provider.deployment.issuer}/userinfo`, `Bearer ${token}`],
    );

  it("signs a user in with PKCE, and reads UserInfo from its own origin", () =>
    withPage(async ({ page, call }) => {
      const { profile, token_type, scope } = await signedIn({ page, call });
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
    withPage(async ({ page, call }) => {
      const users = [await signedIn({ page, call })];
      for (let round = 0; round < 2; ++round) users.push(await call("signinSilent"));
      assert.equal(new Set(users.map(({ refresh_token }) => refresh_token)).size, 3);
      assert.equal(await userinfo(page, users.at(-1).access_token), 200);
    }));

  it("without a refresh token it asks in an iframe, and is told that a user has to be asked", async () => {
    const silent = `${site.origin}/silent`;
    await register("without-refresh", "--grant", "authorization_code", "--redirect-uri", silent);
    await withPage(
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
    withPage(async (tab) => assert.equal((await signedIn(tab, "#deny")).failed, "access_denied")));

  it("a user who may not use the client does not get to the application", async () => {
    await register("members-only", "--allow-group", "members");
    await withPage(
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
    withPage(async ({ page, call }) => {
      const { access_token: token } = await signedIn({ page, call });
      assert.equal(await userinfo(page, token), 200);
      await leave(call, "signoutRedirect");
      await page.waitForURL(({ origin, pathname }) => origin === site.origin && pathname === "/");
      assert.equal(await userinfo(page, token), 401);
      assert.equal(await call("getUser"), null);
      await leave(call, "signinRedirect");
      await page.waitForSelector("#login");
    }));
});
