// A user looks after the account in a browser, without JavaScript: everything is links and forms.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, openPage, signIn } from "./browser.mjs";

const NEW_PASSWORD = "several words in a row";

describe("the account in a browser", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ config: { account: { editableClaims: ["nickname", "website"] } } }));
    browser = owned(await openBrowser());
  });

  const at = (path) => `${deployment.issuer}/account${path}`;

  /// Two browsers of the same user, whose pages have run no script and broken no policy.
  async function withPages(use) {
    const tabs = [];
    for (let n = 0; n < 2; ++n) tabs.push(await openPage(browser, deployment, { javaScriptEnabled: false }));
    try {
      await use(...tabs.map(({ page }) => page));
    } finally {
      for (const tab of tabs) await tab.close();
    }
    for (const { faults } of tabs) assert.deepEqual(faults, []);
  }

  async function open(page, path, password = PERSON.password) {
    await page.goto(at(path));
    if (page.url().includes("/login")) await signIn(page, password);
    await page.waitForURL(at(path));
  }
  const isAsked = async (page, path) => {
    await page.goto(at(path));
    return page.url().startsWith(`${deployment.issuer}/login?`);
  };

  it("the overview leads to each page and back, and each page out [ACCOUNT-1, ACCOUNT-2, ACCOUNT-15]", async () => {
    await withPages(async (page) => {
      await open(page, "");
      const links = await page.locator("#rows a").evaluateAll((all) => all.map(({ href }) => href));
      assert.deepEqual(links, ["/password", "/app", "/devices", "/applications", "/profile", "/activity"].map(at));
      for (const link of links) {
        await page.goto(link);
        assert.equal(page.url(), link);
        await page.click("#overview");
        assert.equal(page.url(), at(""));
      }
      await page.click("a#logout");
      await page.click("button#logout");
      assert.equal(await isAsked(page, ""), true);
    });
  });

  it("the keyboard reaches the content first, and every link and button [A11Y-1, A11Y-6]", async () => {
    await withPages(async (page) => {
      await open(page, "/devices");
      await page.keyboard.press("Tab");
      const skip = page.locator(":focus");
      assert.equal(await skip.textContent(), "Skip to the content");
      const { width } = await skip.boundingBox();
      assert.ok(width > 100, "it is seen when it has the focus");
      await page.keyboard.press("Enter");
      assert.equal(new URL(page.url()).hash, "#content");
    });
  });

  it("another browser is signed out from here [ACCOUNT-8]", async () => {
    await withPages(async (here, lost) => {
      await open(lost, "");
      await open(here, "/devices");
      await here.getByRole("heading", { level: 2, name: /this device/ }).waitFor();
      await here.click("#everywhere");
      await here.getByRole("status").getByText("You are signed out everywhere else.").waitFor();
      assert.equal(await isAsked(lost, ""), true);
      assert.equal(await isAsked(here, ""), false);
    });
  });

  it("an application's access is removed, and it asks again [ACCOUNT-9]", async () => {
    await withPages(async (page) => {
      const asking = authorizationUrl(deployment, { scope: "openid email" });
      await page.goto(asking);
      await signIn(page);
      await page.click("#approve");
      await page.waitForURL(/\/demo\//);
      await open(page, "/applications");
      await page.getByText("See your e-mail address").waitFor();
      await page.getByRole("button", { name: /^Remove access/ }).click();
      await page.getByRole("status").waitFor();
      await page.getByText("No application has access").waitFor();
      await page.goto(asking);
      await page.waitForSelector("#approve");
    });
  });

  it("the profile: a mistake is said at its field, and what is right is kept [ACCOUNT-11, A11Y-3]", async () => {
    await withPages(async (page) => {
      await open(page, "/profile");
      await page.click("#edit");
      await page.getByLabel("Nickname").fill("Countess");
      await page.getByLabel("Website").evaluate((field) => (field.type = "text")); // the browser's own check
      await page.getByLabel("Website").fill("nowhere");
      await page.click("#save");
      await page.getByRole("alert").getByText("Website: use an address").waitFor();
      assert.match(await page.title(), /^Website: use an address/);
      assert.equal(await page.locator(":focus").getAttribute("id"), "website");
      assert.equal(await page.getByLabel("Nickname").inputValue(), "Countess");
      await page.getByLabel("Website").fill("https://ada.example/");
      await page.click("#save");
      await page.getByRole("status").getByText("Your profile is changed.").waitFor();
      await page.locator("#claims").getByText("Countess").waitFor();
    });
  });

  it("the activity: what has just happened is at the top [ACCOUNT-13]", async () => {
    await withPages(async (page, elsewhere) => {
      await open(elsewhere, "");
      await open(page, "/devices");
      await page.click("#everywhere");
      await page.getByRole("status").waitFor();
      await open(page, "/activity");
      const [first, second] = await page.locator("#activity li").allTextContents();
      assert.match(first, /Signed out everywhere else/);
      assert.match(second, /Signed in with a password/);
      assert.match(second, /on Linux, 127\.0\.0\.1/);
      assert.equal(await page.locator("form").count(), 0);
    });
  });

  it("a new password: mistakes are said at the field, then everything else ends [ACCOUNT-6, A11Y-3]", async () => {
    await withPages(async (page, elsewhere) => {
      await open(elsewhere, "");
      await open(page, "/password");
      const send = async (present, fresh, again) => {
        for (const [id, text] of Object.entries({ present, new: fresh, again })) await page.fill(`#${id}`, text);
        await page.click("#save");
      };
      await send(PERSON.password, NEW_PASSWORD, `${NEW_PASSWORD}x`);
      await page.getByRole("alert").getByText("are not the same").waitFor();
      assert.match(await page.title(), /^The two new passwords are not the same/);
      assert.equal(await page.locator(":focus").getAttribute("id"), "new");
      await send("wrong", NEW_PASSWORD, NEW_PASSWORD);
      await page.getByRole("alert").getByText("is not right").waitFor();
      assert.equal(await page.locator("#present").getAttribute("aria-invalid"), "true");
      await send(PERSON.password, NEW_PASSWORD, NEW_PASSWORD);
      await page.getByRole("status").getByText("Your password is changed.").waitFor();
      assert.equal(await isAsked(elsewhere, ""), true);
      assert.equal(await isAsked(page, ""), false);
      await signIn(elsewhere, NEW_PASSWORD);
      await elsewhere.waitForURL(at(""));
    });
  });
});
