// The whole way of a user: an invitation, the first sign-in in German, second factors, a lost phone, a recovery code in
// another browser, and what the lost phone could do is over.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { App, recoveryCodes, withAuthenticator } from "./app.mjs";
import { authorizationUrl, openBrowser, openDemo, openPage, signIn } from "./browser.mjs";

const USERNAME = "grace";
const PASSWORD = "vier Worte am Stück";

describe("from an invitation to a lost phone", () => {
  let deployment;
  let browser;
  let phone; // with the authenticator
  let other;
  let codes;
  let accessToken;
  prepared(async (owned) => {
    deployment = owned(
      await openDemo({
        clock: true,
        host: "localhost", // a passkey is for a host with a name
        config: { templates: join(BUILD, "templates") },
      }),
    );
    // The demo takes its own origin for the issuer.
    const redirectUris = [deployment.origin, deployment.issuer].flatMap((at) => ["--redirect-uri", `${at}/demo/`]);
    await deployment.postern(["client", "set", "demo-spa", ...redirectUris]);
    browser = owned(await openBrowser());
    phone = await openPage(browser, deployment, { locale: "de-AT" });
    await withAuthenticator(phone.page);
    other = await openPage(browser, deployment, { locale: "en" });
  });

  const at = (path) => `${deployment.issuer}/account${path}`;
  const heading = (page, name) => page.getByRole("heading", { level: 1, name }).waitFor();
  const state = (page, value) => page.waitForSelector(`html[data-state="${value}"]`);
  const language = (page) => page.getAttribute("html", "lang");

  /// What the access token of the demo opens.
  const userinfo = async () => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await fetch(`${deployment.origin}/userinfo`, { headers })).status;
  };
  /// Whether the browser has a session, by the error of prompt=none (OpenID Connect Core §3.1.2.6): a client on http
  /// loopback has no lasting consent.
  async function hasSession(page) {
    const answer = await page.request.get(authorizationUrl(deployment, { prompt: "none" }), {
      maxRedirects: 0,
      headers: { connection: "close" }, // one that is kept may be closed by the web server as the next request comes
    });
    const error = new URL(answer.headers().location).searchParams.get("error");
    assert.ok(["consent_required", "login_required"].includes(error), error);
    return error === "consent_required";
  }

  it("an invited user chooses a password, in German [LINK-7, I18N-5]", async () => {
    const { page } = phone;
    const { link } = await deployment.postern(["user", "invite", USERNAME, "--claim", "name=Grace Hopper"]);
    await page.goto(link);
    await heading(page, `Willkommen, ${USERNAME}`);
    assert.equal(await language(page), "de");
    for (const id of ["new", "again"]) await page.fill(`#${id}`, PASSWORD);
    await page.click("#save");
    await heading(page, "Ihr Passwort ist gespeichert");
  });

  it("signs in to an application for the first time, in German, and sees what it is told [I18N-5]", async () => {
    const { page } = phone;
    await page.goto(`${deployment.issuer}/demo/`);
    await state(page, "ready");
    await page.click("#sign-in");
    await heading(page, "Anmelden");
    assert.equal(await language(page), "de");
    await signIn(page, PASSWORD, USERNAME);
    await page.waitForSelector("#approve");
    assert.equal(await language(page), "de");
    const tokens = page.waitForResponse(`${deployment.issuer}/token`);
    await page.click("#approve");
    accessToken = (await (await tokens).json()).access_token;
    await state(page, "done");
    assert.match(await page.locator("#userinfo").textContent(), /Grace Hopper/);
    assert.equal(await userinfo(), 200);
  });

  it("adds a passkey in the account and keeps the recovery codes [WEBAUTHN-20, CODE-2]", async () => {
    const { page } = phone;
    await page.goto(at(""));
    await heading(page, "Ihr Konto");
    await page.goto(at("/passkeys"));
    await page.click("#another");
    await page.fill("#name", "Handy");
    await page.click("#add-passkey");
    await page.waitForSelector("#kept");
    codes = await recoveryCodes(page);
    assert.equal(codes.length, 10);
    await page.click("#kept");
    await page.waitForURL(at(""));
  });

  it("adds an authenticator app [TOTP-1]", async () => {
    const { page } = phone;
    await page.goto(at("/app"));
    const app = await App.scan(page, deployment);
    await app.type(page, "#turn-on");
    await page.getByRole("status").getByText("Ihre App ist aktiviert.").waitFor();
  });

  it("signs in elsewhere without the phone, by a recovery code [STEP-5, CODE-3]", async () => {
    const { page } = other;
    await page.goto(at("/passkeys"));
    await signIn(page, PASSWORD, USERNAME);
    await heading(page, "One more step");
    await page.fill("#code", codes[0]);
    await page.click("#verify");
    await page.getByRole("heading", { name: "Handy" }).waitFor();
    assert.equal(await language(page), "en");
  });

  it("removes the lost passkey; nine codes are left [WEBAUTHN-26, CODE-3]", async () => {
    const { page } = other;
    await page.getByRole("button", { name: "Remove Handy" }).click();
    await page.getByText("Your passkey is removed.").waitFor();
    await page.getByText("You have no passkey yet.").waitFor();
    await page.goto(at("/codes"));
    await page.getByText("Codes left: 9").waitFor();
  });

  it("removes the application's access, and its token opens nothing any more [ACCOUNT-9]", async () => {
    const { page } = other;
    assert.equal(await userinfo(), 200);
    await page.goto(at("/applications"));
    await page.getByRole("button", { name: "Remove access of Demo page" }).click();
    await page.getByText("No application has access").waitFor();
    assert.equal(await userinfo(), 401);
  });

  it("signs out everywhere else, and the session of the phone has ended [ACCOUNT-8]", async () => {
    const { page } = other;
    assert.equal(await hasSession(phone.page), true);
    await page.goto(at("/devices"));
    await page.click("#everywhere");
    await page.getByText("You are signed out everywhere else.").waitFor();
    assert.equal(await hasSession(phone.page), false);
    assert.equal(await hasSession(page), true);
  });

  it("the phone is asked to sign in, and its passkey does not [WEBAUTHN-21, WEBAUTHN-26]", async () => {
    const { page } = phone;
    await page.goto(at("")); // the authenticator answers as soon as the login asks
    await page.getByRole("alert").getByText("Dieser Passkey wurde nicht akzeptiert.").waitFor();
    await heading(page, "Anmelden");
    assert.equal(await hasSession(page), false);
  });

  it("no page broke a policy or asked for anything of its own", () => {
    assert.deepEqual([phone.faults, other.faults], [[], []]);
  });
});
