// A real browser in front of a deployment that serves the demo, and a watch on everything a page must not do.
import { chromium } from "playwright-core";
import { Deployment } from "../support/deployment.mjs";

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

export const PERSON = {
  username: "dana", password: "a quiet garden gate",
  claims: { name: "Dana Demo", email: "dana@example.org", email_verified: true },
};

/// A deployment with the demo's client and one user. Plain http on loopback unless `tls` is true.
export async function openDemo(options = {}) {
  const deployment = await Deployment.start({ tls: false, demo: true, ...options });
  try {
    await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    await deployment.addClient("demo-spa", `${deployment.origin}/demo/`, "--public", "--name", "Demo page",
      "--post-logout-redirect-uri", `${deployment.origin}/demo/`);
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

// Playwright adds an outdated form of --headless itself unless it believes that there is a screen.
export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: false, args: ARGUMENTS });
}

/// A page in a context of its own, with `faults`: violations of the Content-Security-Policy, errors that no script
/// caught, and requests to any other origin than the deployment's.
export async function openPage(browser, deployment, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (/content.security.policy/i.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(`not caught: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== deployment.origin) faults.push(`request to ${url.origin}`);
  });
  return { page, faults, close: () => context.close() };
}

/// Fills the login form in and sends it.
export async function signIn(page, password = PERSON.password) {
  await page.fill("#username", PERSON.username);
  await page.fill("#password", password);
  await page.click("#login");
}

/// Where an authorization request of the demo's client begins, without its JavaScript.
export function authorizationUrl(deployment, parameters = {}) {
  const url = new URL(`${deployment.issuer}/authorize`);
  url.search = new URLSearchParams({
    response_type: "code", client_id: "demo-spa", redirect_uri: `${deployment.origin}/demo/`, scope: "openid profile email", state: "of this test",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", ...parameters, // RFC 7636 Appendix B
  });
  return url.href;
}
