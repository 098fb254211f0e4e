// A user sets up an authenticator app, is asked for it, loses it and comes back with a recovery code; another one has
// to have an app. Without JavaScript.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { App, recoveryCodes } from "./app.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, signIn, watched } from "./browser.mjs";

const STAFF = { username: "stella", password: "another quiet gate" };

describe("second factors in a browser", () => {
  let deployment;
  let browser;
  let app;
  let codes;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ clock: true, config: { login: { rememberDevice: 2592000 } } }));
    await deployment.addUser(STAFF.username, STAFF.password);
    await deployment.postern(["group", "add", "staff"]);
    await deployment.postern(["group", "member", "add", "staff", STAFF.username]);
    browser = owned(await openBrowser());
  });

  const at = (path) => `${deployment.issuer}/account${path}`;
  const heading = (page, text) => page.getByRole("heading", { level: 1, name: text }).waitFor();

  /// A browser that was never here, whose pages run no script and break no policy.
  const withPage = (use, options = { javaScriptEnabled: false }) => watched(browser, deployment, options, use);

  it("an app is set up from its page, and codes are shown once [TOTP-1, CODE-2, ACCOUNT-5]", async () => {
    await withPage(async (page) => {
      await page.goto(at("/app"));
      await signIn(page);
      app = await App.scan(page, deployment);
      assert.match(await page.locator("#open").getAttribute("href"), /^otpauth:\/\/totp\//);
      assert.equal(await page.locator("svg.qr path").count(), 1);
      await page.fill("#code", "no code");
      await page.click("#turn-on");
      await page.waitForSelector("#problem");
      await app.type(page, "#turn-on");
      codes = await recoveryCodes(page);
      assert.equal(codes.length, 10);
      await page.click("#kept");
      await page.waitForURL(at(""));
      await page.goto(at("/codes"));
      assert.match(await page.locator("main").textContent(), /Codes left: 10/);
    });
  });

  it("a camera reads the picture, and another app has the right code from it [TOTP-1, TOTP-2]", async () => {
    await deployment.addUser("others", PERSON.password);
    const directory = await mkdtemp(join(tmpdir(), "pt-qr-"));
    try {
      await withPage(async (page) => {
        await page.goto(at("/app"));
        await signIn(page, PERSON.password, "others");
        const uri = await page.locator("#open").getAttribute("href");
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          const path = join(directory, `${colorScheme}.png`);
          await page.screenshot({ path, fullPage: true });
          assert.equal((await run("zbarimg", ["--quiet", "--raw", path])).stdout.trim(), uri, colorScheme);
        }
        const now = `${new Date(deployment.now() * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
        const secret = new URL(uri).searchParams.get("secret");
        const { stdout: code } = await run("oathtool", ["--totp", "--base32", `--now=${now}`, secret]);
        await page.fill("#code", code.trim());
        await page.click("#turn-on");
        await page.waitForSelector("#kept");
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("it is asked for behind the password, by keyboard alone [STEP-5, STEP-7, A11Y-1]", async () => {
    await withPage(async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await heading(page, "One more step");
      await page.waitForSelector("#code:focus"); // by itself
      await page.keyboard.type("000 000");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#problem");
      await page.waitForSelector("#code:focus");
      assert.equal(await page.locator("#code").inputValue(), "");
      await page.keyboard.type(await app.code());
      await page.keyboard.press("Enter");
      await page.waitForSelector("#approve");
    });
  });

  it("a browser with the box ticked is asked again when the account forgets it [DEVICE-1, DEVICE-4]", async () => {
    await withPage(async (page) => {
      const signInAgain = async () => {
        const kept = (await page.context().cookies()).filter(({ name }) => name.includes("-device-"));
        await page.context().clearCookies();
        await page.context().addCookies(kept);
        await page.goto(authorizationUrl(deployment));
        await signIn(page);
      };
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await heading(page, "One more step");
      assert.equal(await page.isChecked("#remember"), false);
      await page.waitForSelector("#code:focus");
      await page.keyboard.type(await app.code());
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space"); // the box is behind the field
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#approve");
      await signInAgain();
      await page.waitForSelector("#approve");
      await page.goto(at("/devices"));
      await page.getByRole("button", { name: /^Forget / }).click();
      await page.getByText("On that device you are asked for the second step again.").waitFor();
      await signInAgain();
      await heading(page, "One more step");
    });
  });

  it("the way back and a reload lead to pages that work [STEP-11]", async () => {
    await withPage(async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await heading(page, "One more step");
      await page.reload();
      await heading(page, "One more step");
      await page.goBack();
      await heading(page, "Sign in");
      await signIn(page);
      await app.type(page, "#verify");
      await page.waitForSelector("#approve");
      await page.goBack();
      await page.goForward();
      await page.waitForSelector("#approve");
    });
  });

  it("without the phone a recovery code does; the app is removed [CODE-3, CODE-5]", async () => {
    await withPage(async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await page.fill("#code", codes[0]);
      await page.click("#verify");
      await page.waitForSelector("#approve");
      await page.goto(at("/codes"));
      assert.match(await page.locator("main").textContent(), /Codes left: 9/);
    });
    await withPage(async (page) => {
      await page.goto(at("/app"));
      await signIn(page);
      await page.fill("#code", codes[0]);
      await page.click("#verify");
      await page.waitForSelector("#problem");
      await page.fill("#code", codes[1]);
      await page.click("#verify");
      await page.click("#remove");
      await page.getByText("Your app is removed.").waitFor();
    });
    await withPage(async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page);
      await page.waitForSelector("#approve");
    });
  });

  /// By Tab alone, from wherever the focus is.
  async function tabTo(page, id) {
    for (let presses = 0; presses < 20; ++presses) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement.id)) === id) return;
    }
    assert.fail(`Tab does not reach ${id}`);
  }

  it("a user who must have one sets it up by keyboard alone at the login [POLICY-4, A11Y-1, A11Y-7]", async () => {
    let hers;
    await deployment.postern(["group", "set", "staff", "--second-factor", "required"]);
    await withPage(async (page) => {
      await page.goto(authorizationUrl(deployment));
      await page.waitForSelector("#username:focus"); // by itself
      await page.keyboard.type(STAFF.username);
      await page.keyboard.press("Tab");
      await page.keyboard.type(STAFF.password);
      await page.keyboard.press("Enter");
      await heading(page, "Protect your account");
      hers = await App.scan(page, deployment);
      if ((await page.evaluate(() => document.activeElement.id)) !== "code") await tabTo(page, "code");
      await page.keyboard.type("no code");
      await tabTo(page, "turn-on");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#problem");
      await page.waitForSelector("#code:focus"); // where the mistake was
      await page.keyboard.type(await hers.code());
      await page.keyboard.press("Enter");
      await page.waitForSelector("#kept");
      assert.equal((await recoveryCodes(page)).length, 10);
      await tabTo(page, "kept");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#approve");
      await tabTo(page, "approve");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${deployment.origin}/demo/?*`);
    });
    await withPage(async (page) => {
      await page.goto(at(""));
      await signIn(page, STAFF.password, STAFF.username);
      await heading(page, "One more step");
      await page.click("#other-account");
      await signIn(page, PERSON.password);
      await page.waitForURL(at(""));
    });
  });
});
