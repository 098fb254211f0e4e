// A real browser in front of a deployment that serves the demo, and a watch on everything a page must not do.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { Deployment } from "../support/deployment.mjs";

const ARGUMENTS = (
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync"
).split(" ");

export const PERSON = {
  username: "dana",
  password: "a quiet garden gate",
  claims: { name: "Dana Demo", email: "dana@example.org", email_verified: true },
};

/// A deployment with the demo's client and one user. Plain http on loopback unless `tls` is true.
export async function openDemo(options = {}) {
  const deployment = await Deployment.start({ tls: false, demo: true, ...options });
  try {
    await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    const home = `${deployment.origin}/demo/`;
    const options = ["--public", "--name", "Demo page", "--post-logout-redirect-uri", home];
    await deployment.addClient("demo-spa", home, ...options);
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

// Playwright adds an outdated form of --headless itself unless it believes that there is a screen.
const LAUNCH = { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: false, args: ARGUMENTS };

/// `backForwardCache`: pages that the person leaves are kept as they are for the way back, as everywhere but in
/// Playwright.
export function openBrowser({ backForwardCache = false, args = [] } = {}) {
  return chromium.launch({
    ...LAUNCH,
    args: [...ARGUMENTS, ...args],
    ignoreDefaultArgs: backForwardCache ? ["--disable-back-forward-cache"] : [],
  });
}

/// One whose settings are in the directory `profile`, with a cookie setting there perhaps.
export function openBrowserWithoutCookies(profile) {
  return chromium.launchPersistentContext(profile, LAUNCH);
}

/// A page in a context of its own, with `faults`: violations of the Content-Security-Policy, whatever the browser
/// complains about, errors that no script caught, requests to any other origin than the deployment's, and everything
/// that a page of the server itself asks for beside what the person in front of it does.
export async function openPage(browser, deployment, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults = [];
  watch(page, deployment, faults);
  return { page, context, faults, close: () => context.close() };
}

/// Uses such a page, which must have no faults.
export async function watched(browser, deployment, options, use) {
  const tab = await openPage(browser, deployment, options);
  try {
    await use(tab.page, tab);
  } finally {
    await tab.close();
  }
  assert.deepEqual(tab.faults, []);
}

function isDemo(url) {
  return URL.canParse(url) && new URL(url).pathname.startsWith("/demo/");
}

/// The same for a further tab.
export function watch(page, deployment, faults) {
  page.on("console", (message) => {
    const text = message.text();
    // the page's own: 4xx
    const isStatus = /^Failed to load resource: the server responded with a status of /.test(text);
    if (["error", "warning"].includes(message.type()) && !isStatus) faults.push(text);
  });
  page.on("pageerror", (error) => faults.push(`not caught: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol === "data:") return;
    const known = [deployment.origin, new URL(deployment.issuer).origin];
    if (!known.includes(url.origin)) faults.push(`request to ${url.origin}`);
    else if (!request.isNavigationRequest() && !isDemo(request.frame().url()))
      faults.push(`${request.frame().url()} asked for ${url}`);
  });
}

/// Fills the login form in and sends it.
export async function signIn(page, password = PERSON.password, username = PERSON.username) {
  await page.fill("#username", username);
  await page.fill("#password", password);
  await page.click("#login");
}

/// Where an authorization request of the demo's client begins, without its JavaScript.
export function authorizationUrl(deployment, parameters = {}) {
  const url = new URL(`${deployment.issuer}/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: "demo-spa",
    redirect_uri: `${deployment.origin}/demo/`,
    scope: "openid profile email",
    state: "of this test",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    ...parameters, // RFC 7636 Appendix B
  });
  return url.href;
}

/// The token endpoint's answer to the code of such a request (RFC 6749 §4.1.3). Not by `page.request`, which keeps its
/// connections as long as the web server does: a request may meet one that is being closed.
export function redeem(deployment, code, parameters = {}) {
  return fetch(`${deployment.issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      client_id: "demo-spa",
      redirect_uri: `${deployment.origin}/demo/`,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", // RFC 7636 Appendix B
      ...parameters,
    }),
  });
}
