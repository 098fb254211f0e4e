// What `make run` says is so: the demo, the account in the browser's language, a passkey and an app.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Demo } from "../clients/demo.mjs";
import { prepared } from "../support/prepared.mjs";
import { totp } from "../support/totp.mjs";
import { withAuthenticator } from "./app.mjs";
import { openBrowser, signIn, watched } from "./browser.mjs";

describe("make run", () => {
  let demo;
  let browser;
  let origin;
  prepared(async (owned) => {
    demo = owned(await Demo.start());
    browser = owned(await openBrowser());
    [origin] = demo.said.match(/http:\/\/localhost:\d+/);
  });

  const password = () => demo.said.match(/password\s+(\S+)/)[1];

  const withPage = (use) => watched(browser, { origin, issuer: origin }, { locale: "de-DE" }, use);
  const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();

  it("the addresses that it prints are pages in the browser's language", () =>
    withPage(async (page) => {
      await page.goto(demo.said.match(/\S+\/demo\//)[0]);
      await page.click("#sign-in");
      await heading(page, "Anmelden");
      await signIn(page, password(), "demo");
      await page.click("#approve");
      await page.waitForSelector('html[data-state="done"]');
      for (const [path, name] of [
        ["/account", "Ihr Konto"],
        ["/account/passkeys", "Passkeys"],
        ["/account/app", "Authenticator-App"],
      ]) {
        assert.ok(demo.said.includes(origin + path), path);
        await page.goto(origin + path);
        await heading(page, name);
      }
    }));

  it("the page behind the gate is shown to who has signed in, and signs out [GATE-33]", async () => {
    const page = await browser.newPage();
    const [wiki] = demo.said.match(/http:\/\/127\.0\.0\.1:\d+\/wiki\//);
    await page.goto(wiki);
    await page.waitForSelector("#password");
    assert.equal(new URL(page.url()).origin, origin);
    await signIn(page, password(), "demo");
    await page.waitForURL(wiki);
    await page.getByText("knows no OpenID Connect").waitFor();
    await page.click("text=Sign out");
    await page.click("#logout");
    await page.waitForURL(`${wiki}.postern/logout?done`);
  });

  it("a passkey is added, and signs in without the password; then an app", () =>
    withPage(async (page) => {
      await withAuthenticator(page);
      await page.goto(`${origin}/account/passkeys`);
      await signIn(page, password(), "demo");
      await page.click("#another");
      await page.click("#add-passkey");
      await page.waitForSelector("#kept");
      await page.context().clearCookies();
      // The browser's only passkey may be chosen before the button is pressed (conditional mediation).
      await page.goto(`${origin}/account/app`);
      await page.waitForSelector("#key");
      const code = totp(await page.locator("#key").textContent(), Date.now() / 1000);
      await page.fill("#code", code);
      await page.click("#turn-on");
      await page.waitForSelector("#done, #kept");
    }));
});
