// The server's own pages in a browser: without JavaScript, by keyboard, and under their own policy.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, openPage, redeem, signIn, watched } from "./browser.mjs";

describe("the server's pages", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo());
    browser = owned(await openBrowser());
  });

  const withPage = (options, use) => watched(browser, deployment, options, use);

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

  it("signing out asks, without JavaScript and by keyboard: one button cancels, the other signs out", () =>
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
    }));

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
});
