// The page of response_mode=form_post in a real browser: it posts itself, and a person without JavaScript has a button.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBrowser } from "../browser/browser.mjs";
import { REDIRECT_URI, USER, openProvider } from "./provider.mjs";
import { Run } from "./run.mjs";

describe("form_post in Chromium", () => {
  let provider;
  let browser;
  before(async () => {
    provider = await openProvider();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await provider?.deployment.stop();
  });

  /// The happy flow of `oidcc-server` with the browser in the place of the user agent.
  async function happyFlow(contextOptions, afterConsent = () => {}) {
    const run = new Run(provider, { mode: "form_post" });
    await run.setUp();
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...contextOptions });
    context.setDefaultTimeout(60_000);
    try {
      const page = await context.newPage();
      const violations = [];
      page.on("console", (message) => {
        if (/content.security.policy/i.test(message.text())) violations.push(message.text());
      });
      const arrived = new Promise((done) =>
        page.route(`${new URL(REDIRECT_URI).origin}/**`, async (route) => {
          done(route.request());
          await route.fulfill({ contentType: "text/plain", body: "arrived" });
        }),
      );
      const sent = run.newRequest({
        parameters: { scope: "openid offline_access", prompt: "consent", state: `</form>"'&<b>` },
      });
      await page.goto(run.authorizationUrl(sent));
      await page.fill("#username", USER.username);
      await page.fill("#password", USER.password);
      await page.click("#login");
      await page.click("#approve");
      await afterConsent(page);
      await page.waitForURL(REDIRECT_URI);
      const request = await arrived;
      const callback = {
        target: request.url(),
        method: request.method(),
        enctype: request.headers()["content-type"],
        parameters: new URLSearchParams(request.postData()),
      };
      await run.finish({ client: "client", sent, callback });
      assert.deepEqual(run.findings, []);
      assert.deepEqual(violations, []);
    } finally {
      await context.close();
    }
  }

  it("the page submits itself under its own policy", () => happyFlow({}));
  it("without JavaScript the button does it", () =>
    happyFlow({ javaScriptEnabled: false }, (page) => page.click("#continue")));
});
