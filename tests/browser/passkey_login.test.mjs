// A user signs in with a passkey: by the button, by the browser's own list, and behind the password. The authenticators
// are Chromium's own, in software; a passkey is for a host with a name, so the issuer is localhost.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { PLATFORM, withAuthenticator } from "./app.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, openPage, signIn, watched } from "./browser.mjs";

const KEY = { protocol: "ctap2", transport: "usb" }; // neither PIN nor resident keys
const SECOND = { username: "stella", password: "another quiet gate" };

describe("logging in with a passkey in a browser", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ host: "localhost" }));
    await deployment.addUser(SECOND.username, SECOND.password);
    browser = owned(await openBrowser());
  });

  /// A page with an authenticator, which `credentials` are put into. Their counters go on from page to page.
  async function withPage(authenticator, credentials, use, options = {}) {
    await watched(browser, deployment, options, async (page) => {
      const { devtools, authenticatorId } = await withAuthenticator(page, authenticator);
      for (const credential of credentials)
        await devtools.send("WebAuthn.addCredential", { authenticatorId, credential });
      const stored = async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
      const set = (name, values) => devtools.send(`WebAuthn.set${name}`, { authenticatorId, ...values });
      await use(page, { stored, set });
      if (credentials.length) credentials.splice(0, credentials.length, ...(await stored()));
    });
  }

  /// The passkey that the user has added on the account page.
  async function added(authenticator, user = PERSON) {
    let credentials;
    await withPage(authenticator, [], async (page, { stored }) => {
      await page.goto(`${deployment.issuer}/account/passkeys`);
      await signIn(page, user.password, user.username);
      await page.getByText("You have no passkey yet.").waitFor();
      await page.goto(`${deployment.issuer}/account/passkeys?add=yes`);
      await page.click("#add-passkey");
      await page.waitForSelector("#done");
      credentials = await stored();
    });
    assert.equal(credentials.length, 1);
    return credentials;
  }

  let passkey;
  it("by the button, without name and password [STEP-1, WEBAUTHN-11, WEBAUTHN-20]", async () => {
    passkey = await added(PLATFORM);
    // With conditional UI the browser would choose the only passkey by itself.
    await withPage({ ...PLATFORM, automaticPresenceSimulation: false }, passkey, async (page, { set }) => {
      await page.goto(authorizationUrl(deployment));
      await page.waitForSelector("#use-passkey");
      await set("AutomaticPresenceSimulation", { enabled: true });
      await page.click("#use-passkey");
      await page.waitForSelector("#approve");
    });
  });

  it("from the browser's own list, as soon as the page is there [WEBAUTHN-21]", async () => {
    await withPage(PLATFORM, passkey, async (page) => {
      await page.goto(authorizationUrl(deployment));
      await page.waitForSelector("#approve");
    });
  });

  it("behind the password, and for a client that requires one alone [STEP-5, CODE-6, POLICY-6]", async () => {
    for (const acr of ["any", "phr"]) {
      await deployment.postern(["client", "set", "demo-spa", "--acr", acr]);
      await withPage({ ...PLATFORM, automaticPresenceSimulation: false }, passkey, async (page, { set }) => {
        await page.goto(authorizationUrl(deployment));
        await signIn(page);
        await page.getByRole("heading", { level: 1, name: "One more step" }).waitFor();
        assert.equal(await page.locator("#code").count(), acr === "any" ? 1 : 0); // recovery codes
        await set("AutomaticPresenceSimulation", { enabled: true });
        await page.click("#use-passkey");
        await page.waitForSelector("#approve");
      });
    }
    await deployment.postern(["client", "set", "demo-spa", "--acr", "any"]);
  });

  it("a security key that is only touched is a second factor [WEBAUTHN-12]", async () => {
    const key = await added(KEY, SECOND);
    await withPage(KEY, key, async (page) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page, SECOND.password, SECOND.username);
      await page.click("#use-passkey");
      await page.waitForSelector("#approve");
    });
  });

  describe("two users with a passkey each on one authenticator", () => {
    const QUIET = { ...PLATFORM, automaticPresenceSimulation: false };
    const users = ["gwen", "iris"].map((username) => ({ username, password: `the quiet gate of ${username}` }));
    const idOf = ({ credentialId }) => Buffer.from(credentialId, "base64").toString("base64url");
    let keys; // on the authenticator
    before(async () => {
      keys = [];
      for (const user of users) {
        await deployment.addUser(user.username, user.password);
        keys.push(...(await added(PLATFORM, user)));
      }
    });
    const options = (page) => page.evaluate(() => JSON.parse(document.forms[0].dataset.options));

    /// Presses the button; answers the id of the passkey that the browser sends, and who is signed in then.
    async function use(page, set) {
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await set("AutomaticPresenceSimulation", { enabled: true });
      await page.click("#use-passkey");
      const id = new URLSearchParams((await sent).postData()).get("id");
      await page.getByText("You are signed in as").waitFor();
      return { id, text: await page.locator("main").textContent() };
    }

    it("alone, the passkey that is chosen says whose the account is [WEBAUTHN-11]", async () => {
      const owners = [];
      while (owners.length < users.length) {
        // Of two, Chromium without a person always chooses the same one; then it has the other alone.
        const there = keys.filter(({ userName }) => !owners.includes(userName));
        await withPage(QUIET, there, async (page, { set }) => {
          await page.goto(`${deployment.issuer}/account`);
          assert.deepEqual((await options(page)).allowCredentials, []);
          const { id, text } = await use(page, set);
          const { userName } = there.find((key) => idOf(key) === id);
          assert.match(text, new RegExp(`You are signed in as ${userName}\\b`));
          owners.push(userName);
        });
        keys = keys.map((key) => there.find(({ userName }) => userName === key.userName) ?? key);
      }
    });

    it("behind a password, the other's passkey is not asked for and does not count [WEBAUTHN-12]", async () => {
      for (const { username, password } of users) {
        const own = keys.find(({ userName }) => userName === username);
        const other = keys.find(({ userName }) => userName !== username);
        await withPage(QUIET, keys, async (page, { set }) => {
          await page.goto(`${deployment.issuer}/account`);
          await signIn(page, password, username);
          await page.getByRole("heading", { level: 1, name: "One more step" }).waitFor();
          const { allowCredentials } = await options(page);
          assert.deepEqual(
            allowCredentials.map(({ id }) => id),
            [idOf(own)],
          );
          // A page that was changed asks for the other's; the server refuses it.
          await page.evaluate((theirs) => {
            const get = navigator.credentials.get.bind(navigator.credentials);
            const id = Uint8Array.from(atob(theirs), (byte) => byte.charCodeAt(0));
            navigator.credentials.get = ({ publicKey, ...rest }) =>
              get({ publicKey: { ...publicKey, allowCredentials: [{ type: "public-key", id }] }, ...rest });
          }, other.credentialId);
          await set("AutomaticPresenceSimulation", { enabled: true });
          const sent = page.waitForRequest((request) => request.method() === "POST");
          await page.click("#use-passkey");
          assert.equal(new URLSearchParams((await sent).postData()).get("id"), idOf(other));
          await page.locator("#problem", { hasText: "That passkey was not accepted." }).waitFor();
          const { id, text } = await use(page, set);
          assert.equal(id, idOf(own));
          assert.match(text, new RegExp(`You are signed in as ${username}\\b`));
        });
      }
    });
  });

  it("a passkey that is not accepted is told so, and the page works again [WEBAUTHN-18, WEBAUTHN-22]", async () => {
    await withPage({ ...PLATFORM, automaticPresenceSimulation: false }, passkey, async (page, { set }) => {
      await page.goto(authorizationUrl(deployment));
      await page.waitForSelector("#use-passkey");
      await set("UserVerified", { isUserVerified: false });
      await set("AutomaticPresenceSimulation", { enabled: true });
      await page.click("#use-passkey");
      await page.locator("#passkey-problem", { hasText: "No passkey was used." }).waitFor();
      await set("UserVerified", { isUserVerified: true });
      await page.click("#use-passkey");
      await page.waitForSelector("#approve");
    });
  });

  it("without scripts, and in a browser without passkeys, the form for a password is whole [WEBAUTHN-20]", async () => {
    const check = async (page) => {
      await page.goto(authorizationUrl(deployment));
      assert.equal(await page.locator("#use-passkey").isVisible(), false);
      assert.equal(await page.locator("#passkey-problem").isVisible(), false);
      assert.equal(await page.locator("#username").isVisible(), true);
      await signIn(page);
      await page.waitForSelector("#code"); // recovery codes
    };
    const noScript = await openPage(browser, deployment, { javaScriptEnabled: false });
    await check(noScript.page);
    await noScript.close();
    const without = await openPage(browser, deployment);
    await without.page.addInitScript(() => delete window.PublicKeyCredential);
    await check(without.page);
    await without.close();
    assert.deepEqual([...noScript.faults, ...without.faults], []);
  });

  it("a user who must have a second factor adds one at the login, and goes on [POLICY-4]", async () => {
    const user = { username: "enid", password: "a third quiet gate" };
    await deployment.addUser(user.username, user.password);
    await deployment.postern(["user", "set", user.username, "--second-factor", "required"]);
    await withPage(PLATFORM, [], async (page, { stored }) => {
      await page.goto(authorizationUrl(deployment));
      await signIn(page, user.password, user.username);
      await page.getByRole("heading", { level: 1, name: "Protect your account" }).waitFor();
      assert.equal(await page.locator("#turn-on").count(), 1);
      await page.click("#add-passkey");
      await page.waitForSelector("#codes");
      assert.equal((await stored()).length, 1);
      await page.click("#kept");
      await page.waitForSelector("#approve");
    });
  });

  it("a copy is refused once: the page that says so asks no more by itself [WEBAUTHN-15, WEBAUTHN-21]", async () => {
    const [copied] = passkey;
    await withPage(PLATFORM, [{ ...copied, signCount: 0 }], async (page) => {
      const posts = [];
      page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
      await page.goto(authorizationUrl(deployment));
      await page.locator("#problem", { hasText: "That passkey was not accepted." }).waitFor();
      await page.waitForTimeout(500);
      assert.equal(posts.length, 1);
    });
  });
});
