// The server's own pages in a browser: without JavaScript, by keyboard, on a narrow screen, and under their own policy.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PERSON, authorizationUrl, openBrowser, openDemo, openPage, redeem, signIn } from "./browser.mjs";

const PHONE = { viewport: { width: 320, height: 568 }, hasTouch: true };
const LONG_NAME = `Weatherstationdataloggingapplication${"x".repeat(60)} of the Institute`;

describe("the server's pages", () => {
  let deployment;
  let browser;
  before(async () => {
    deployment = await openDemo({
      config: { scopeDescriptions: { "measurements:of-every-station:read": "Read what every station measured" } },
    });
    await deployment.addClient(
      "long",
      `${deployment.origin}/demo/`,
      "--public",
      "--name",
      LONG_NAME,
      "--scope",
      "openid profile email address phone measurements:of-every-station:read",
    );
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await deployment?.stop();
  });

  async function withPage(options, use) {
    const tab = await openPage(browser, deployment, options);
    try {
      await use(tab.page, tab.faults);
    } finally {
      await tab.close();
    }
    assert.deepEqual(tab.faults, []);
  }

  it("sign-in and consent work without JavaScript, by keyboard alone", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(authorizationUrl(deployment));
      await page.waitForSelector("#username:focus"); // by itself
      await page.keyboard.type(PERSON.username);
      await page.keyboard.press("Tab");
      await page.keyboard.type(PERSON.password);
      await page.keyboard.press("Enter");
      await page.waitForSelector("#approve");
      await page.focus("#approve");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${deployment.origin}/demo/?*`);
      const answer = new URL(page.url()).searchParams;
      assert.equal(answer.get("state"), "of this test");
      assert.equal(answer.get("iss"), deployment.issuer);
      assert.ok(answer.get("code"));
    }));

  it("denying works without JavaScript", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await page.click("#deny");
      await page.waitForURL(`${deployment.origin}/demo/?*`);
      assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
      assert.equal(new URL(page.url()).searchParams.get("code"), null);
    }));

  it(
    "signing out asks first, without JavaScript and by " +
      "keyboard: cancel keeps the session, the other button ends it",
    () =>
      withPage({ javaScriptEnabled: false }, async (page) => {
        const gone = () =>
          page
            .goto(authorizationUrl(deployment, { prompt: "none" }))
            .then(() => new URL(page.url()).searchParams.get("error") === "login_required");
        await page.goto(authorizationUrl(deployment));
        await signIn(page);
        await page.click("#approve");
        await page.waitForURL(`${deployment.origin}/demo/?*`);

        await page.goto(`${deployment.issuer}/logout`);
        assert.match(await page.textContent("main"), new RegExp(PERSON.username));
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.id), "cancel");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "You are still signed in" }).waitFor();
        assert.equal(await gone(), false);

        await page.goto(`${deployment.issuer}/logout`);
        await page.focus("#logout");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "You are signed out" }).waitFor();
        assert.equal(await gone(), true);
      }),
  );

  it("a client's logout request ends the session and leads back, sent as a form by another site, too", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      for (const send of ["link", "form"]) {
        await page.goto(authorizationUrl(deployment));
        await signIn(page);
        await page.click("#approve");
        await page.waitForURL(`${deployment.origin}/demo/?*code=*`);
        const answer = await redeem(deployment, new URL(page.url()).searchParams.get("code"));
        const request = new URLSearchParams({
          id_token_hint: (await answer.json()).id_token,
          post_logout_redirect_uri: `${deployment.origin}/demo/`,
          state: `&%"#<'`,
        });
        if (send === "link") {
          await page.goto(`${deployment.issuer}/logout?${request}`);
        } else {
          await page.goto("data:text/html,<title>Another site</title>");
          await page.evaluate(
            ([action, fields]) => {
              const form = Object.assign(document.createElement("form"), { method: "post", action });
              for (const [name, value] of fields)
                form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
              document.body.append(form);
              form.submit();
            },
            [`${deployment.issuer}/logout`, [...request]],
          );
        }
        await page.waitForURL((url) => url.pathname === "/demo/");
        const visited = await page.goto(authorizationUrl(deployment));
        assert.equal(visited.status(), 200);
        assert.equal(await page.locator("#password").count(), 1, `signed out by a ${send}`);
      }
    }));

  it("no page scrolls sideways at 320 pixels, long names included", () =>
    withPage(PHONE, async (page) => {
      const fits = async (what) => {
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= PHONE.viewport.width, `${what} is ${width} pixels wide`);
      };
      const url = authorizationUrl(deployment, {
        client_id: "long",
        scope: "openid profile email address phone measurements:of-every-station:read",
      });
      await page.goto(url);
      await fits("the login page");
      await signIn(page, "wrong");
      await page.waitForSelector("#problem");
      await fits("the login page with a problem");
      await signIn(page);
      await page.waitForSelector("#approve");
      await fits("the consent page");
      await page.goto(authorizationUrl(deployment, { redirect_uri: "https://elsewhere.example/" }));
      await page.waitForSelector("#request-id");
      await fits("the error page");
      await page.goto(`${deployment.issuer}/logout?client_id=long`);
      await page.waitForSelector("#logout");
      await fits("the sign-out page");
      await page.click("#cancel");
      await page.getByRole("heading", { name: "You are still signed in" }).waitFor();
      await fits("the page after it");
      await page.goto(`${deployment.origin}/demo/`);
      await page.waitForSelector('html[data-state="ready"]');
      await fits("the demo");
      await page.click("#sign-in");
      await page.click("#approve");
      await page.waitForSelector('html[data-state="done"]');
      await fits("the demo with all its steps");
    }));

  it("the policy of the login page stops a script that got into it", async () => {
    const { page, faults, close } = await openPage(browser, deployment);
    await page.goto(authorizationUrl(deployment));
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      return window.ran === true;
    });
    await close();
    assert.equal(ran, false);
    assert.equal(faults.length, 1, "the watch of the other tests sees a violation");
  });

  it("the login page cannot be framed [RFC 9700 §4.16, OIDC Core §3.1.2.3d]", async () => {
    const { page, close } = await openPage(browser, deployment);
    await page.goto(`${deployment.origin}/demo/`);
    const answer = await page.request.get(authorizationUrl(deployment));
    await close();
    assert.equal(answer.headers()["x-frame-options"], "DENY");
    assert.match(answer.headers()["content-security-policy"], /frame-ancestors 'none'/);
  });
});
