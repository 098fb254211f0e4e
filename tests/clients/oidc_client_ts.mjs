// A page whose UserManager is the one of oidc-client-ts, as it is published, on an origin of its own without a server
// behind it.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { signIn } from "../browser/browser.mjs";
import { listening } from "../support/listening.mjs";
import { PERSON } from "./provider.mjs";

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
export function openSite() {
  const server = createServer(({ url }, answer) =>
    url === "/oidc.js"
      ? answer.setHeader("content-type", "text/javascript").end(LIBRARY)
      : answer.setHeader("content-type", "text/html").end(url.startsWith("/silent") ? SILENT : page()),
  );
  return listening(server);
}

/// A tab of a browser of its own: use({ page, call, callback }). `call` runs a method of the library's UserManager
/// there; the library keeps its state in the page's sessionStorage and, with `dpop` in the settings, its key in
/// IndexedDB.
export async function withPage({ browser, site, provider }, { dpop = false, ...settings }, use) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const callback = `${site.origin}/callback`;
    const options = {
      authority: provider.deployment.issuer,
      redirect_uri: callback,
      post_logout_redirect_uri: `${site.origin}/`,
      scope: "openid profile email",
      automaticSilentRenew: false,
      loadUserInfo: true,
      revokeTokensOnSignout: true,
      ...settings,
    };
    const call = (method, ...parameters) =>
      page.evaluate(
        ([options, dpop, method, parameters]) => {
          const manager = new oidc.UserManager({
            ...options,
            userStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
            stateStore: new oidc.WebStorageStateStore({ store: sessionStorage }),
            ...(dpop ? { dpop: { bind_authorization_code: true, store: new oidc.IndexedDbDPoPStore() } } : {}),
          });
          return manager[method](...parameters).then(
            (result) => JSON.parse(JSON.stringify(result ?? null)),
            (error) => ({ failed: error.error ?? error.message }),
          );
        },
        [options, dpop, method, parameters],
      );
    await page.goto(site.origin);
    await use({ page, call, callback });
  } finally {
    await context.close();
  }
}

/// The library leaves the page, which ends the call.
export const leave = (call, method) => call(method).catch(() => {});

/// A person's way through the pages, up to the address that the browser is sent back to.
export async function comeBack({ page, call, callback }, decision = "#approve") {
  await leave(call, "signinRedirect");
  await page.waitForSelector("#login");
  await signIn(page, PERSON.password, PERSON.username);
  await page.click(decision);
  await page.waitForURL(`${callback}?*`);
  return new URL(page.url());
}

export async function signedIn(tab, decision) {
  await comeBack(tab, decision);
  return tab.call("signinCallback");
}
