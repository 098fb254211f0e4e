// The demo page in a browser, from the first click to the claims: what somebody sees who tries the product out.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { PERSON, openBrowser, openDemo, signIn, watched } from "./browser.mjs";

/// The rows of one of the demo's lists, as an object.
async function claimsOf(page, id) {
  const names = await page.locator(`#${id} dt`).allTextContents();
  const values = await page.locator(`#${id} dd`).allTextContents();
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

const state = (page, value) => page.waitForSelector(`html[data-state="${value}"]`);

/// From the start page to the claims; a client that needs no consent is not asked for it.
async function signInAndApprove(page) {
  await page.click("#sign-in");
  await signIn(page);
  await page.waitForSelector('#approve, html[data-state="done"]');
  if ((await page.locator("#approve").count()) > 0) await page.click("#approve");
  await state(page, "done");
}

for (const tls of [false, true]) {
  describe(`the demo over ${tls ? "https" : "http"}`, () => {
    let deployment;
    let browser;
    prepared(async (owned) => {
      deployment = owned(await openDemo({ tls }));
      browser = owned(await openBrowser());
    });

    /// The demo in a browser that was never here before.
    async function withDemo(use) {
      await watched(browser, deployment, {}, async (page) => {
        await page.goto(`${deployment.origin}/demo/`);
        await state(page, "ready");
        await use(page);
      });
    }

    // What does not depend on the scheme.
    const once = tls ? () => {} : it;

    once("shows a denial as what it is", () =>
      withDemo(async (page) => {
        await page.click("#sign-in");
        await signIn(page);
        await page.click("#deny");
        await state(page, "failed");
        assert.match(await page.textContent("#problem"), /access_denied/);
        assert.equal(await page.locator("#results").isVisible(), false);
      }),
    );

    it("signs in after a wrong password and a question, and shows the claims", () =>
      withDemo(async (page) => {
        await page.click("#sign-in");
        await signIn(page, "wrong");
        assert.notEqual((await page.textContent("#problem")).trim(), "");
        assert.equal(await page.inputValue("#username"), PERSON.username);
        assert.equal(await page.inputValue("#password"), "");
        await signIn(page);
        assert.match(await page.textContent("main"), /Demo page/);
        await page.click("#approve");
        await state(page, "done");

        assert.equal(page.url(), `${deployment.origin}/demo/`, "neither code nor state stays in the address bar");
        const idToken = await claimsOf(page, "id-token");
        const user = await claimsOf(page, "userinfo");
        assert.equal(idToken.iss, deployment.issuer);
        assert.equal(idToken.aud, "demo-spa");
        assert.equal(user.sub, idToken.sub);
        assert.equal(user.name, PERSON.claims.name);
        assert.equal(user.email, PERSON.claims.email);
        assert.equal(await page.locator(".checks .bad").count(), 0);
        assert.ok((await page.locator(".checks .good").count()) > 0);
      }));

    // Any program on the machine can listen on http loopback and call itself this client [RFC 8252 §8.6].
    it(`asks ${tls ? "nothing that was approved before" : "a client on http loopback again"}, and no password`, () =>
      withDemo(async (page) => {
        await signInAndApprove(page);
        await page.click("#start-over");
        await state(page, "ready");
        await page.click("#sign-in");
        if (!tls) {
          await page.waitForSelector("#approve");
          assert.equal(await page.locator("#password").count(), 0);
          await page.click("#approve");
        }
        await state(page, "done");
      }));

    once("signs out at the server without a question, and is back at its start", () =>
      withDemo(async (page) => {
        await signInAndApprove(page);
        await page.click("#sign-out");
        await state(page, "ready");
        assert.equal(page.url(), `${deployment.origin}/demo/`);
        await page.click("#sign-in");
        await page.waitForSelector("#password");
      }),
    );

    once("refuses an answer that belongs to no sign-in of this tab", () =>
      withDemo(async (page) => {
        await page.goto(
          `${deployment.origin}/demo/?code=stolen&state=guessed&iss=${encodeURIComponent(deployment.issuer)}`,
        );
        await state(page, "failed");
        assert.doesNotMatch(page.url(), /stolen/);
      }),
    );
  });
}
