// A user adds passkeys of each kind in the account, names and removes them. The authenticators are Chromium's own, in
// software; a passkey is for a host with a name, so the issuer is localhost.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql, text } from "../security/database.mjs";
import { prepared } from "../support/prepared.mjs";
import { PLATFORM, recoveryCodes, withAuthenticator } from "./app.mjs";
import { openBrowser, openDemo, signIn, watched } from "./browser.mjs";

const PASSWORD = "another quiet gate";
const KEY = { protocol: "ctap2", transport: "usb" }; // neither PIN nor resident keys
const U2F = { protocol: "u2f", transport: "usb" };
const SYNCHRONISED = { ...PLATFORM, defaultBackupEligibility: true, defaultBackupState: true };
const subjectOf = (username) => `(SELECT subject FROM users WHERE username = ${text(username)})`;

describe("passkeys in a browser", () => {
  let deployment;
  let browser;
  let users = 0;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ host: "localhost" }));
    browser = owned(await openBrowser());
  });

  const at = (path) => `${deployment.issuer}/account/passkeys${path}`;

  /// A new user in a browser that was never here, on the form that adds a passkey.
  async function withForm(authenticator, use, options = {}) {
    const username = `user-${++users}`;
    await deployment.addUser(username, PASSWORD);
    await watched(browser, deployment, options, async (page) => {
      await withAuthenticator(page, authenticator);
      await page.goto(at(""));
      await signIn(page, PASSWORD, username);
      await page.click("#another");
      await page.waitForSelector("#add", { state: "attached" });
      await use(page, username);
    });
  }

  const listed = (username) => deployment.postern(["user", "passkeys", username]);

  async function addFirst(page) {
    await page.click("#add-passkey");
    await page.waitForSelector("#codes");
    assert.equal((await recoveryCodes(page)).length, 10);
    assert.match(await page.locator("#done").textContent(), /Your passkey is added/);
  }

  for (const [name, authenticator, expected] of [
    ["one on the device", PLATFORM, { discoverable: true, transports: "internal", backed_up: false }],
    ["one that is synchronised", SYNCHRONISED, { discoverable: true, backed_up: true, backup_eligible: true }],
    ["a security key without resident keys", KEY, { discoverable: false, transports: "usb", backed_up: false }],
    ["a key of U2F", U2F, { discoverable: false, transports: "usb", backed_up: false }],
  ])
    it(`${name} is added, with recovery codes [WEBAUTHN-5, WEBAUTHN-17, WEBAUTHN-20, CODE-2]`, async () => {
      await withForm(authenticator, async (page, username) => {
        await page.fill("#name", "My key");
        await addFirst(page);
        const [passkey] = await listed(username);
        assert.equal(passkey.name, "My key");
        assert.equal(passkey.rp_id, "localhost");
        for (const [member, value] of Object.entries(expected)) assert.equal(passkey[member], value, member);
        await page.goto(at(""));
        const state = expected.backed_up ? "synchronised" : "on one device only";
        await page.locator("#passkeys dd", { hasText: state }).waitFor();
        assert.equal(await page.locator("#second").count(), expected.backed_up ? 0 : 1);
      });
    });

  it("the same device is refused in words of the page, and the form can be used again [WEBAUTHN-22]", async () => {
    await withForm(PLATFORM, async (page, username) => {
      await addFirst(page);
      await page.goto(at("?add=yes"));
      for (let attempt = 0; attempt < 2; ++attempt) {
        await page.click("#add-passkey");
        await page.locator("#passkey-problem", { hasText: "has a passkey for your account already" }).waitFor();
        await page.waitForFunction(() => !document.getElementById("add-passkey").disabled);
      }
      assert.equal((await listed(username)).length, 1);
    });
  });

  it("each error of a browser is said in words of the page [WEBAUTHN-22]", async () => {
    await withForm(PLATFORM, async (page) => {
      for (const [error, text] of [
        ["NotAllowedError", "No passkey was added"],
        ["InvalidStateError", "already"],
        ["SecurityError", "at this address"],
        ["NotSupportedError", "cannot make a passkey"],
        ["UnknownError", "could not be made"],
      ]) {
        await page.evaluate((name) => {
          navigator.credentials.create = () => Promise.reject(new DOMException("said in English", name));
        }, error);
        await page.click("#add-passkey");
        await page.locator("#passkey-problem", { hasText: text }).waitFor();
        assert.doesNotMatch(await page.locator("main").textContent(), /Error|said in English/);
      }
    });
  });

  it("an object that a password manager puts in the browser's place will do [WEBAUTHN-20, WEBAUTHN-29]", async () => {
    await withForm(PLATFORM, async (page, username) => {
      await page.evaluate(() => {
        const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = async (options) => {
          const { rawId, response } = await create(options);
          const { clientDataJSON, attestationObject } = response;
          return {
            rawId,
            response: { clientDataJSON, attestationObject },
            getClientExtensionResults() {
              throw new Error("not here");
            },
            toJSON() {
              throw new Error("not here");
            },
          };
        };
      });
      await addFirst(page);
      const [passkey] = await listed(username);
      assert.equal(passkey.transports, "");
      assert.equal("discoverable" in passkey, false);
    });
  });

  it("it is named and removed, and with the last one the codes go [WEBAUTHN-23, WEBAUTHN-26, CODE-5]", async () => {
    await withForm(PLATFORM, async (page, username) => {
      await addFirst(page);
      await page.goto(at(""));
      await page.click("summary");
      await page.getByLabel("New name").fill("Old phone");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Your passkey has its new name.").waitFor();
      await page.getByRole("heading", { name: "Old phone" }).waitFor();
      await page.getByRole("button", { name: "Remove Old phone" }).click();
      await page.getByText("Your passkey is removed.").waitFor();
      await page.getByText("You have no passkey yet.").waitFor();
      assert.deepEqual(await listed(username), []);
    });
  });

  it("the browser is told which ones there are after one has gone, and at no other time [WEBAUTHN-26]", async () => {
    await withForm(PLATFORM, async (page, username) => {
      await page.addInitScript(() => {
        PublicKeyCredential.signalAllAcceptedCredentials = async (told) => {
          (window.told ??= []).push(told);
        };
      });
      const told = () => page.evaluate(() => window.told ?? []);
      await addFirst(page);
      const [known] = await sql(deployment, `SELECT * FROM passkeys WHERE subject = ${subjectOf(username)}`);
      // Two more that this browser has not made: one is suspended, and stays where it is.
      for (const [id, suspended_at] of [
        ["AAAA", deployment.now()],
        ["BBBB", null],
      ]) {
        const row = { ...known, credential_id: id, name: `Key ${id}`, suspended_at };
        const values = Object.values(row).map((value) => (value === null ? "NULL" : text(value)));
        await sql(deployment, `INSERT INTO passkeys (${Object.keys(row)}) VALUES (${values})`);
      }
      await page.goto(at(""));
      assert.deepEqual(await told(), []);
      await page.getByRole("button", { name: "Remove Key BBBB" }).click();
      await page.getByText("Your passkey is removed.").waitFor();
      const [{ rpId, userId, allAcceptedCredentialIds }, ...more] = await told();
      assert.deepEqual(more, []);
      assert.equal(rpId, "localhost");
      const [{ handle }] = await sql(deployment, `SELECT handle FROM users WHERE username = ${text(username)}`);
      assert.equal(userId, handle);
      assert.deepEqual([...allAcceptedCredentialIds].sort(), [known.credential_id, "AAAA"].sort());
    });
  });

  it("without JavaScript the page says what is missing, and shows no form [WEBAUTHN-20]", async () => {
    await withForm(
      undefined,
      async (page) => {
        assert.equal(await page.locator("#needs-script").isVisible(), true);
        assert.equal(await page.locator("#add").isVisible(), false);
      },
      { javaScriptEnabled: false },
    );
  });
});
