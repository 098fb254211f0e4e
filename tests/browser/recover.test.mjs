// An invited user chooses a password and signs in, or adds a passkey; a user who has lost everything starts again. But
// for the passkey without JavaScript.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { withAuthenticator } from "./app.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, signIn, watched } from "./browser.mjs";
import { standInForSendmail } from "./sendmail.mjs";

const CHOSEN = "four words in a row";

describe("links in a browser", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ host: "localhost" })); // a passkey is for a host with a name
    browser = owned(await openBrowser());
  });

  const made = async (...command) => (await deployment.postern(["user", ...command])).link;
  const heading = (page, text) => page.getByRole("heading", { level: 1, name: text }).waitFor();
  async function choose(page, password, again = password) {
    await page.fill("#new", password);
    await page.fill("#again", again);
    await page.click("#save");
  }

  /// A browser that was never here, whose pages run no script and break no policy.
  const withPage = (use, options = { javaScriptEnabled: false }) => watched(browser, deployment, options, use);

  it("an invited user chooses a password without JavaScript, and signs in with it [LINK-7, LINK-8]", async () => {
    const link = await made("invite", "grace", "--claim", "name=Grace Hopper");
    await withPage(async (page) => {
      await page.goto(link);
      await heading(page, "Welcome, grace");
      const username = page.locator("#username");
      assert.equal(await username.inputValue(), "grace");
      assert.equal(await username.getAttribute("autocomplete"), "username");
      assert.equal(await username.isEditable(), false);
      await choose(page, CHOSEN, `${CHOSEN}s`);
      await page.waitForSelector("#problem");
      assert.match(await page.title(), /^The two new passwords are not the same/);
      await choose(page, CHOSEN);
      await heading(page, "Your password is saved");
      await page.click("#sign-in");
      await page.waitForSelector("#login");
      await signIn(page, CHOSEN, "grace");
      await page.waitForURL(`${deployment.issuer}/account`);
      assert.match(await page.locator("main").textContent(), /Grace Hopper/);
    });
    await withPage(async (page) => {
      await page.goto(link);
      await heading(page, "This link is no longer good");
    });
  });

  it("by keyboard alone, and the link stays out of referrers [LINK-10, A11Y-1]", async () => {
    const link = await made("reset-link", PERSON.username);
    await withPage(async (page) => {
      const referrers = [];
      page.on("request", (request) => referrers.push(request.headers().referer ?? ""));
      await page.goto(link);
      await page.waitForSelector("#new:focus"); // by itself
      await page.keyboard.type(CHOSEN);
      await page.keyboard.press("Tab");
      await page.keyboard.type(CHOSEN);
      await page.keyboard.press("Enter");
      await heading(page, "Your password is saved");
      await page.click("#sign-in");
      await page.waitForSelector("#login");
      assert.deepEqual(new Set(referrers), new Set([""]));
      await page.goto(authorizationUrl(deployment));
      await signIn(page, CHOSEN);
      await page.waitForSelector("#approve");
    });
  });

  it("a second press with JavaScript is not sent [LINK-3]", async () => {
    const link = await made("invite", "twice");
    await withPage(
      async (page) => {
        await page.goto(link);
        await page.fill("#new", CHOSEN);
        await page.fill("#again", CHOSEN);
        await page.evaluate(() => {
          const button = document.getElementById("save");
          button.click();
          button.click();
        });
        await heading(page, "Your password is saved");
      },
      { javaScriptEnabled: true },
    );
  });

  it("an invited user adds a passkey, signs in with it and makes recovery codes [LINK-7, WEBAUTHN-11]", async () => {
    const link = await made("invite", "hedy");
    await withPage(
      async (page) => {
        await withAuthenticator(page);
        await page.goto(link);
        await page.click("#add-passkey");
        await heading(page, "Your passkey is added");
        assert.deepEqual(
          await page
            .context()
            .cookies()
            .then((all) => all.filter(({ name }) => /session/.test(name))),
          [],
        );
        await page.click("#sign-in"); // the login asks for the passkey by itself
        await page.waitForURL(`${deployment.issuer}/account/codes`);
        await page.click("#new-codes");
        await page.click("#make");
        await page.waitForSelector("#codes");
      },
      { javaScriptEnabled: true },
    );
    await withPage(async (page) => {
      await page.goto(link);
      await heading(page, "This link is no longer good");
    });
  });

  it("a security key without a PIN is not taken by the browser, and the password is [LINK-7]", async () => {
    const link = await made("invite", "key-only");
    await withPage(
      async (page) => {
        await withAuthenticator(page, { protocol: "ctap2", transport: "usb" });
        await page.goto(link);
        await page.click("#add-passkey");
        await page.locator("#passkey-problem").waitFor();
        await choose(page, CHOSEN);
        await heading(page, "Your password is saved");
      },
      { javaScriptEnabled: true },
    );
  });
});

describe("a forgotten password in a browser", () => {
  const { mail, linkOf } = standInForSendmail();
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ config: { mail } }));
    browser = owned(await openBrowser());
  });

  it("from the sign-in page to the message, the link and a new password [MAIL-1, MAIL-4]", async () => {
    for (const javaScriptEnabled of [false, true]) {
      const password = `${CHOSEN}, ${javaScriptEnabled}`;
      await watched(browser, deployment, { javaScriptEnabled }, async (page) => {
        await page.goto(authorizationUrl(deployment));
        await page.click("#forgot");
        await page.waitForURL(`${deployment.issuer}/recover`);
        await page.waitForSelector("#name:focus"); // by itself
        await page.keyboard.type(PERSON.username);
        await page.keyboard.press("Enter");
        await page.waitForSelector("#asked");
        await page.goto(await linkOf(deployment));
        for (const id of ["new", "again"]) await page.fill(`#${id}`, password);
        await page.click("#save");
        await page.waitForSelector("#sign-in");
        await page.goto(authorizationUrl(deployment));
        await signIn(page, password);
        await page.waitForSelector("#approve");
      });
    }
  });
});
