// What people do that no protocol describes: the back button, a form left open, cookies switched off, two clicks. Two
// tabs, other users and logout are in tests/cgi.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import {
  PERSON,
  authorizationUrl,
  openBrowser,
  openBrowserWithoutCookies,
  openDemo,
  openPage,
  redeem,
  signIn,
  watched,
} from "./browser.mjs";

const SESSION_IDLE = 120; // seconds; a sign-in may take 600

describe("a sign-in that does not go straight on", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ clock: true, config: { sessionIdleTTL: SESSION_IDLE } }));
    browser = owned(await openBrowser({ backForwardCache: true }));
  });

  // Without scripts, the demo leaves answers in the address bar.
  const withPage = (use) => watched(browser, deployment, { javaScriptEnabled: false }, use);

  const url = (state) => authorizationUrl(deployment, { state });
  const heading = (page, text) => page.getByRole("heading", { level: 1, name: text }).waitFor();

  /// What the client was sent.
  async function answer(page, state) {
    await page.waitForURL(`${deployment.origin}/demo/?*`);
    const seen = new URL(page.url()).searchParams;
    assert.equal(seen.get("state"), state);
    return seen;
  }

  /// The way back; the browser may have kept the page there as it was, and then nothing is loaded.
  async function back(page) {
    await page.goBack({ waitUntil: "commit" });
    await page.locator("h1").waitFor();
  }

  /// Back at a request that was answered: a page that the browser has kept may still ask, but whatever is said to it
  /// comes too late.
  async function backToAnsweredRequest(page) {
    await back(page);
    if ((await page.locator("#approve").count()) > 0) await page.click("#approve");
    await heading(page, "This sign-in is finished already");
    assert.equal(await page.locator("form").count(), 0);
  }

  /// What the code is worth: 200, or an error's status.
  const statusOf = async (code) => (await redeem(deployment, code)).status;

  it("back from the consent page: the login form, which still works", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page);
      await page.waitForSelector("#approve");
      await back(page);
      assert.equal(await page.inputValue("#password"), "");
      await signIn(page);
      await page.click("#approve");
      assert.ok((await answer(page, "of this test")).get("code"));
    }));

  it("back from the application: no answer counts any more, and starting over gives a code of its own", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page);
      await page.click("#approve");
      const { code } = Object.fromEntries(await answer(page, "of this test"));
      assert.equal(await statusOf(code), 200);
      await backToAnsweredRequest(page);
      await page.click("#try-again");
      await page.click("#approve");
      const again = (await answer(page, "of this test")).get("code");
      assert.notEqual(again, code);
      assert.equal(await statusOf(again), 200);
    }));

  it("back after signing out: neither a page of the signed-out user nor the user's name", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page);
      await page.waitForSelector("#approve");
      await page.goto(`${deployment.issuer}/logout`);
      await page.click("#logout");
      await heading(page, "You are signed out");
      for (let step = 0; step < 3; ++step) {
        // the question, the consent page, the login page
        await back(page);
        assert.doesNotMatch(await page.locator("body").innerText(), new RegExp(PERSON.username));
        assert.equal(await page.locator("#approve, #logout").count(), 0);
      }
    }));

  it("a page that answered a form, reloaded: the form is sent again, and nothing else happens", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page, "wrong");
      await page.waitForSelector("#problem");
      await page.reload();
      assert.equal(await page.inputValue("#username"), PERSON.username);
      assert.equal(await page.locator("#problem").count(), 1);
      await signIn(page);
      await page.click("#approve");
      assert.ok((await answer(page, "of this test")).get("code"));
    }));

  it("two clicks without scripts: the person comes to the application with one code", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page);
      await page.dblclick("#approve");
      assert.equal(await statusOf((await answer(page, "of this test")).get("code")), 200);
    }));

  it("the session ends while the consent form is open: one login, one more question, nothing lost", () =>
    withPage(async (page) => {
      await page.goto(url("of this test"));
      await signIn(page);
      await page.waitForSelector("#approve");
      await deployment.advance(SESSION_IDLE + 1);
      await page.click("#approve");
      await page.waitForSelector("#password");
      await signIn(page);
      await page.click("#approve");
      assert.equal(await statusOf((await answer(page, "of this test")).get("code")), 200);
    }));

  for (const [form, leave] of [
    ["login", async (page) => signIn(page)],
    ["consent", async (page) => page.click("#approve")],
  ]) {
    it(`the ${form} form stays open for too long: the page says so and leads on`, () =>
      withPage(async (page) => {
        await page.goto(url("of this test"));
        if (form === "consent") {
          await signIn(page);
          await page.waitForSelector("#approve");
        }
        await deployment.advance(601);
        await leave(page);
        await heading(page, "This sign-in took too long");
        await page.click("#try-again");
        await signIn(page);
        await page.click("#approve");
        assert.equal(await statusOf((await answer(page, "of this test")).get("code")), 200);
      }));
  }
});

describe("cookies that do not come back", () => {
  it("a browser that refuses them: the page says so, and which address is the right one", async () => {
    const deployment = await openDemo();
    let browser;
    const profile = await mkdtemp(join(tmpdir(), "pt-"));
    try {
      await mkdir(join(profile, "Default"));
      await writeFile(
        join(profile, "Default/Preferences"),
        JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }),
      );
      browser = await openBrowserWithoutCookies(profile);
      const page = await browser.newPage();
      const answer = await page.goto(authorizationUrl(deployment));
      assert.equal(answer.status(), 400);
      await page.getByRole("heading", { name: "This browser does not know this sign-in" }).waitFor();
      const text = await page.locator("main").innerText();
      assert.match(text, /If this page comes again, allow cookies for this site/);
      assert.ok(text.includes(deployment.issuer));
    } finally {
      await browser?.close();
      await rm(profile, { recursive: true, force: true });
      await deployment.stop();
    }
  });

  it("the application says 127.0.0.1, the issuer localhost: the page names the issuer and leads there", async () => {
    const deployment = await openDemo({ host: "localhost" });
    const browser = await openBrowser();
    const { page, faults, close } = await openPage(browser, deployment);
    try {
      const right = authorizationUrl(deployment);
      await page.goto(right.replace("localhost", "127.0.0.1"));
      await page.getByRole("heading", { name: "This browser does not know this sign-in" }).waitFor();
      assert.ok((await page.locator("main").innerText()).includes(deployment.issuer));
      await page.click("#try-again");
      await signIn(page);
      await page.waitForSelector("#approve");
      assert.deepEqual(faults, []);
    } finally {
      await close();
      await browser.close();
      await deployment.stop();
    }
  });
});
