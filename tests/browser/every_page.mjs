// Every kind of page that the server can show, and how a browser gets there.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql, text } from "../security/database.mjs";
import { lighttpd } from "../support/fronts/lighttpd.mjs";
import { App, recoveryCodes } from "./app.mjs";
import { PERSON, authorizationUrl, openDemo, redeem, signIn } from "./browser.mjs";
import { standInForSendmail } from "./sendmail.mjs";

export const LONG_NAME = `Weatherstationdataloggingapplication${"x".repeat(60)} of the Institute`;
export const RIGHT_TO_LEFT_NAME =
  "\u05de\u05e2\u05e8\u05db\u05ea \u05d4\u05d4\u05d6\u05d3\u05d4\u05d5\u05ea <b>&amp; {{csrf}}";
const LONG_USER = `${"wilhelmina.featherstonehaugh-cholmondeley-".repeat(3)}x`;
const LONG_SCOPE = "measurements:of-every-station-of-the-network:read-and-write-and-administrate";
const ALL_SCOPES = "openid profile email address phone offline_access";
const OTHER_PASSWORD = "another quiet gate";

/// In the place of the program that fetches: it answers with the document that was published last, whatever the URL.
function standIn() {
  const directory = mkdtempSync(join(tmpdir(), "pt-fetch-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o755);
  const reply = join(directory, "reply");
  const program = join(directory, "fetch");
  writeFileSync(program, `#!/bin/sh\nexec cat ${reply}\n`, { mode: 0o755 });
  const publish = (id, members) => {
    const document = JSON.stringify({ client_id: id, ...members });
    const fields = ["", "200", "application/json", "max-age=300", "", "", "", document];
    const parts = fields.map((field) => Buffer.from(field));
    const lengths = parts.map(({ length }) => Buffer.from([0, 0, length >> 8, length & 255]));
    writeFileSync(reply, Buffer.concat(parts.flatMap((part, at) => [lengths[at], part])), { mode: 0o644 });
    return id;
  };
  return { program, publish };
}

const SITE = { redirect_uris: ["https://app.example/callback"] };
const PROGRAM = { client_name: LONG_NAME, redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"] };

/// Of an application that nothing but its document describes.
const askFor = (deployment, id, parameters) =>
  authorizationUrl(deployment, { client_id: id, redirect_uri: SITE.redirect_uris[0], scope: "openid", ...parameters });

/// Approves it without going there, because there is no such site.
async function approveDocument(page, deployment, id) {
  await page.goto(askFor(deployment, deployment.publish(id, SITE), { prompt: "consent" }));
  await signIn(page);
  await page.waitForSelector("#approve");
  const [action, fields] = await page.evaluate(() => {
    const form = document.forms[0];
    return [form.action, Object.fromEntries(["csrf", "resume"].map((name) => [name, form.elements[name].value]))];
  });
  const form = { ...fields, decision: "approve" };
  const decided = await page.request.post(action, { form, maxRedirects: 0 });
  await page.request.get(decided.headers().location, { maxRedirects: 0 });
}

/// The deployment whose pages these are, with a clock that is moved.
export async function openWorld() {
  const { program, publish } = standIn();
  const { mail, linkOf } = standInForSendmail();
  const deployment = await openDemo({
    clock: true,
    host: "localhost", // a passkey is for a host with a name
    config: {
      scopeDescriptions: {
        "wiki:read": "Read the pages that you can read",
        [LONG_SCOPE]: "Read what every station measured",
      },
      login: { maxFailures: 2, rememberDevice: 2592000 },
      limits: { body: 16384 },
      account: { editableClaims: ["name", "email", "nickname", "website", "birthdate", "phone_number"] },
      mail,
      outbound: { enabled: true, program },
      clientDocuments: { enabled: true, max: 1 },
    },
  });
  deployment.publish = publish;
  deployment.linkOfLastMail = () => linkOf(deployment);
  try {
    const client = (id, name, ...options) =>
      deployment.addClient(id, `${deployment.origin}/demo/`, "--public", "--name", name, ...options);
    await client(
      "wiki",
      "Our wiki",
      "--scope",
      `${ALL_SCOPES} wiki:read`,
      "--post-logout-redirect-uri",
      `${deployment.origin}/demo/`,
    );
    await client("long", LONG_NAME, "--scope", `${ALL_SCOPES} ${LONG_SCOPE}`);
    await client("hebrew", RIGHT_TO_LEFT_NAME);
    await client("off", "Old wiki");
    await client("ledger", "Our ledger");
    await client("closed", LONG_NAME);
    await client("two", "Two addresses", "--redirect-uri", `${deployment.origin}/demo/two`);
    await deployment.postern(["client", "disable", "off"]);
    await client("vault", LONG_NAME, "--acr", "mfa");
    await client("safe", LONG_NAME, "--acr", "phr");
    for (const user of [LONG_USER, "newcomer", "forgetful"]) await deployment.addUser(user, OTHER_PASSWORD);
    for (const group of [`researchers-${"x".repeat(52)}`, "staff"]) {
      await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", group, LONG_USER]);
    }
    for (const id of ["ledger", "closed"]) await deployment.postern(["client", "set", id, "--allow-user", LONG_USER]);
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/// The pages of method remote_user: the web server names whom the header X-Test-User names.
export async function openRemoteWorld() {
  const deployment = await openDemo({
    config: { login: { method: "remote_user" }, account: { editableClaims: ["nickname"] } },
    front: lighttpd("fastcgi", [
      `server.modules += ( "mod_setenv" )`,
      ...["stranger", "gone", "a\\tb", PERSON.username].map(
        (name, index) =>
          `$REQUEST_HEADER["X-Test-User"] == "${index}" { setenv.set-environment ` +
          `= ( "REMOTE_USER" => "${name.replace("\\t", "\t")}", "AUTH_TYPE" => "Basic" ) }`,
      ),
    ]),
  });
  try {
    await deployment.addUser("gone", OTHER_PASSWORD);
    await deployment.postern(["user", "disable", "gone"]);
    return deployment;
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

const ask = (deployment, parameters) => authorizationUrl(deployment, { client_id: "wiki", ...parameters });
/// A link of the operator, a new one each time.
const link = async (deployment, ...command) => (await deployment.postern(["user", ...command])).link;
const mainHeading = (page) => page.locator("h1").textContent();

async function toConsent(page, deployment, parameters) {
  await page.goto(ask(deployment, parameters));
  await signIn(page);
  await page.waitForSelector("#approve");
}

async function toClient(page, deployment, parameters) {
  await toConsent(page, deployment, parameters);
  // The request, since the demo's script takes the answer out of the address bar.
  const answer = page.waitForRequest((request) => request.url().startsWith(`${deployment.origin}/demo/?`));
  await page.click("#approve");
  return new URL((await answer).url()).searchParams.get("code");
}

/// To a page of the account, and on to what is on it alone.
async function toAccount(page, deployment, path, selector, username = PERSON.username, password = PERSON.password) {
  await page.goto(`${deployment.issuer}/account${path}`);
  await signIn(page, password, username);
  await page.waitForSelector(selector);
}

async function toProfileForm(page, deployment) {
  await toAccount(page, deployment, "/profile", "#edit");
  await page.click("#edit");
  await page.waitForSelector("#save");
}

let movers = 0;

/// To the page on which a user confirms the new address, with the link that was sent there.
async function toAddressLink(page, deployment) {
  const username = `mover-${++movers}`;
  await deployment.addUser(username, OTHER_PASSWORD);
  await toAccount(page, deployment, "/profile", "#edit", username, OTHER_PASSWORD);
  await page.click("#edit");
  await page.fill("#email", `${username}@a-long-name-of-a-host-of-the-institute.example.org`);
  await page.click("#save");
  await page.waitForURL(/done=email-asked/);
  await page.goto(await deployment.linkOfLastMail());
}

let phones = 0;

/// To the page that shows the recovery codes of a user who has just set up an app.
async function toNewCodes(page, deployment) {
  const username = `phone-${++phones}`;
  await deployment.addUser(username, OTHER_PASSWORD);
  await toAccount(page, deployment, "/app", "#key", username, OTHER_PASSWORD);
  const app = await App.scan(page, deployment);
  await app.type(page, "#turn-on");
  await page.waitForSelector("#kept");
  return { username, codes: await recoveryCodes(page) };
}

/// To the second page of a login by such a user.
async function toSecondStep(page, deployment) {
  const { username, codes } = await toNewCodes(page, deployment);
  await logInAs(page, deployment, username);
  return { username, codes };
}
async function logInAs(page, deployment, username) {
  await page.context().clearCookies();
  await page.goto(ask(deployment));
  await signIn(page, OTHER_PASSWORD, username);
  await page.waitForSelector("#verify");
}

/// To the page on which a user who must have an app sets one up at the login.
async function toEnrolment(page, deployment) {
  await page.goto(ask(deployment, { client_id: "vault", scope: "openid" }));
  await signIn(page, OTHER_PASSWORD, LONG_USER);
  await page.waitForSelector("#turn-on");
}

let given = 0;

/// To the page of a login by a password that the operator has set.
async function toDemandedPassword(page, deployment) {
  const username = `given-${++given}`;
  await deployment.addUser(username, OTHER_PASSWORD);
  const passwd = ["user", "passwd", username, "--password-stdin", "--must-change"];
  await deployment.postern(passwd, `${OTHER_PASSWORD}\n`);
  await page.goto(ask(deployment));
  await signIn(page, OTHER_PASSWORD, username);
  await page.waitForSelector("#save");
}

/// To the page of the password, behind a change that the tests make to the user.
async function toPasswordOfNewUser(page, deployment, change) {
  const username = `given-${++given}`;
  await deployment.addUser(username, OTHER_PASSWORD);
  await toAccount(page, deployment, "/password", "#present", username, OTHER_PASSWORD);
  await sql(deployment, change(`subject = (SELECT subject FROM users WHERE username = ${text(username)})`));
  await page.reload();
}

let keys = 0;

/// Chromium's own authenticator, in software.
export async function withAuthenticator(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return { devtools, authenticatorId };
}

/// To the page that shows the recovery codes of a user who has just added a first passkey. The authenticator gives it
/// to no other page.
async function toFirstPasskey(page, deployment) {
  const username = `key-${++keys}`;
  await deployment.addUser(username, OTHER_PASSWORD);
  const { devtools, authenticatorId } = await withAuthenticator(page);
  await toAccount(page, deployment, "/passkeys", "#passkeys", username, OTHER_PASSWORD);
  await page.goto(`${deployment.issuer}/account/passkeys?add=yes`);
  await page.fill("#name", LONG_NAME.slice(0, 64));
  await page.click("#add-passkey");
  await page.waitForSelector("#kept");
  await devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
  return username;
}

/// To the page that adds a passkey, and on to what is on it alone.
async function toNewPasskey(page, deployment, selector) {
  await toAccount(page, deployment, "/passkeys", "#another");
  await page.click("#another");
  await page.waitForSelector(selector);
}

/// To the list of such a user, with another value in each column of `set`.
async function toPasskeys(page, deployment, set = {}) {
  const username = await toFirstPasskey(page, deployment);
  const values = Object.entries(set).map(([column, value]) => `${column} = ${text(value)}`);
  const whose = `subject = (SELECT subject FROM users WHERE username = ${text(username)})`;
  if (values.length > 0) await sql(deployment, `UPDATE passkeys SET ${values} WHERE ${whose}`);
  await page.goto(`${deployment.issuer}/account/passkeys`);
  await page.click("summary"); // which opens
  return { username, whose };
}

/// To the second page of a login at the client by such a user.
async function toPasskeyStep(page, deployment, client_id) {
  const username = await toFirstPasskey(page, deployment);
  await page.context().clearCookies();
  await page.goto(ask(deployment, { client_id, scope: "openid" }));
  await signIn(page, OTHER_PASSWORD, username);
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  await page.waitForSelector("#use-passkey");
}

/// The browser gives no passkey, and has a reason of its own.
async function refuseInBrowser(page, button) {
  await page.evaluate(() => {
    const refuse = () => Promise.reject(new DOMException("said in English", "NotAllowedError"));
    Object.assign(navigator.credentials, { create: refuse, get: refuse });
  });
  await page.click(button);
  await page.waitForSelector("#passkey-problem");
}

/// What comes is no passkey.
async function sendNoPasskey(page, problem = "#problem") {
  await page.evaluate(() => {
    const form = document.querySelector("form[data-options]");
    for (const { name } of form.elements)
      if (["id", "client_data", "authenticator_data", "attestation_object", "signature"].includes(name))
        form.elements[name].value = "AAAA";
    form.submit();
  });
  await page.waitForSelector(problem);
}

/// An ID token of PERSON for the client "wiki".
async function idToken(page, deployment) {
  const code = await toClient(page, deployment, {});
  const answer = await redeem(deployment, code, { client_id: "wiki" });
  return (await answer.json()).id_token;
}

/// A form of another site.
async function post(page, url, fields) {
  await page.goto("data:text/html,<title>Another site</title>");
  await page.evaluate(
    ([action, values]) => {
      const form = Object.assign(document.createElement("form"), { method: "post", action });
      for (const [name, value] of Object.entries(values))
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
      document.body.append(form);
      form.submit();
    },
    [url, fields],
  );
}

const setField = (page, name, value) =>
  page.evaluate(
    ([n, v]) => {
      document.forms[0].elements[n].value = v;
    },
    [name, value],
  );

/// Each: what it is, its heading, and the way there for a browser that was never here before. `options` are the
/// browser's.
export const PAGES = [
  { name: "login", heading: /^Sign in$/, open: (page, d) => page.goto(ask(d)) },
  {
    name: "login, long name",
    heading: /^Sign in$/,
    open: (page, d) => page.goto(ask(d, { client_id: "long", scope: "openid", login_hint: LONG_USER })),
  },
  {
    name: "login, right-to-left name",
    heading: /^Sign in$/,
    open: (page, d) => page.goto(ask(d, { client_id: "hebrew", scope: "openid" })),
  },
  {
    name: "login, wrong password",
    heading: /^Sign in$/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await signIn(page, "wrong", "nobody");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "login, throttled",
    heading: /^Sign in$/,
    open: async (page, d) => {
      await page.goto(ask(d));
      for (let attempt = 0; attempt < 3; ++attempt) {
        await signIn(page, "wrong", "mallory");
        await page.waitForSelector("#problem");
      }
      await page.getByText("too many failed attempts").waitFor();
    },
  },
  {
    name: "login, no passkey in the browser",
    heading: /^Sign in$/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await page.waitForSelector("#use-passkey");
      await refuseInBrowser(page, "#use-passkey");
    },
  },
  {
    name: "login, passkey refused",
    heading: /^Sign in$/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await sendNoPasskey(page);
    },
  },
  { name: "second step", heading: /^One more step$/, open: toSecondStep },
  {
    name: "second step, passkey or code",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toPasskeyStep(page, d, "wiki");
      await page.waitForSelector("#code");
    },
  },
  {
    name: "second step, passkey alone",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toPasskeyStep(page, d, "safe");
      await page.waitForSelector("#code", { state: "detached" });
    },
  },
  {
    name: "second step, no passkey in the browser",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toPasskeyStep(page, d, "safe");
      await refuseInBrowser(page, "#use-passkey");
    },
  },
  {
    name: "second step, passkey refused",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toPasskeyStep(page, d, "wiki");
      await sendNoPasskey(page);
    },
  },
  {
    name: "second step, wrong code",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toSecondStep(page, d);
      await page.fill("#code", "no code");
      await page.click("#verify");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "second step, the box ticked and a wrong code",
    heading: /^One more step$/,
    open: async (page, d) => {
      await toSecondStep(page, d);
      await page.check("#remember");
      await page.fill("#code", "no code");
      await page.click("#verify");
      await page.waitForSelector("#problem");
      await page.waitForSelector("#remember:checked");
    },
  },
  {
    name: "few recovery codes",
    heading: /^Few recovery codes left$/,
    open: async (page, d) => {
      const { username, codes } = await toSecondStep(page, d);
      for (const code of codes.slice(0, 7)) {
        await page.fill("#code", code);
        await page.click("#verify");
        await page.waitForSelector("#approve");
        await logInAs(page, d, username);
      }
      await page.fill("#code", codes[7]);
      await page.click("#verify");
      await page.waitForSelector("#new-codes");
    },
  },
  { name: "app that a login needs", heading: /^Protect your account$/, open: toEnrolment },
  {
    name: "app that a login needs, wrong code",
    heading: /^Protect your account$/,
    open: async (page, d) => {
      await toEnrolment(page, d);
      await page.fill("#code", "no code");
      await page.click("#turn-on");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "consent, all scopes",
    heading: /asks for access/,
    open: (page, d) => toConsent(page, d, { scope: `${ALL_SCOPES} wiki:read` }),
  },
  {
    name: "consent, single claims",
    heading: /asks for access/,
    open: (page, d) =>
      toConsent(page, d, {
        scope: "openid",
        claims: JSON.stringify({
          userinfo: { email: null, birthdate: null },
          id_token: { phone_number_verified: null },
        }),
      }),
  },
  {
    name: "consent, nothing asked for",
    heading: /asks for access/,
    open: (page, d) => toConsent(page, d, { client_id: "demo-spa", scope: "" }),
  },
  {
    name: "consent, everything long",
    heading: /asks for access/,
    open: async (page, d) => {
      await page.goto(ask(d, { client_id: "long", scope: `${ALL_SCOPES} ${LONG_SCOPE}` }));
      await signIn(page, OTHER_PASSWORD, LONG_USER);
      await page.waitForSelector("#approve");
    },
  },
  {
    name: "consent, right-to-left name",
    heading: /asks for access/,
    open: (page, d) => toConsent(page, d, { client_id: "hebrew", scope: "openid email" }),
  },
  {
    name: "consent, of a document",
    heading: /asks for access/,
    open: async (page, d) => {
      const id = d.publish(`https://${"long-".repeat(10)}name.app.example/client.json`, PROGRAM);
      await page.goto(askFor(d, id, { redirect_uri: "http://localhost:33418/callback" }));
      await signIn(page);
      await page.waitForSelector("#any-program");
    },
  },
  {
    name: "client_document_refused",
    heading: /could not be identified/,
    open: (page, d) => page.goto(askFor(d, "https://refused.example/client.json")),
  },
  {
    name: "client_document_error",
    heading: /something that is not possible/,
    open: (page, d) => page.goto(askFor(d, d.publish("https://error.example/c", SITE), { prompt: "none" })),
  },
  {
    name: "client_document_busy",
    heading: /Too many applications/,
    open: async (page, d) => {
      for (let n = 0; n < 7; ++n) await page.goto(askFor(d, `https://busy.example/${n}`));
    },
  },
  {
    name: "client_document_changed",
    heading: /application has changed/,
    open: async (page, d) => {
      const id = d.publish("https://changed.example/c", SITE);
      await page.goto(askFor(d, id));
      await signIn(page);
      await page.waitForSelector("#approve");
      d.publish(id, { ...SITE, client_name: "Another name" });
      await d.advance(301); // the document is no longer fresh, and the request is not too old
      await page.click("#approve");
      await page.waitForSelector("#request-id");
    },
  },
  {
    name: "client_document_no_room",
    heading: /No more applications/,
    open: async (page, d) => {
      await approveDocument(page, d, "https://first.example/c");
      await page.goto(askFor(d, d.publish("https://second.example/c", SITE)));
      await page.click("#approve");
      await page.waitForSelector("#request-id");
    },
  },
  {
    name: "form_post",
    heading: /^Back to/,
    open: async (page, d) => {
      // which leaves the page where it is
      await page.route(`${d.origin}/demo/`, (route) => route.fulfill({ status: 204 }));
      await toConsent(page, d, { response_mode: "form_post" });
      await page.click("#approve");
      await page.waitForSelector("#continue");
    },
  },
  {
    name: "logout",
    heading: /^Sign out\?$/,
    open: async (page, d) => {
      await toConsent(page, d);
      await page.goto(`${d.issuer}/logout`);
    },
  },
  {
    name: "logout, sent by an application",
    heading: /^Sign out\?$/,
    open: async (page, d) => {
      const hint = await idToken(page, d);
      await page.goto(ask(d, { prompt: "login" }));
      await signIn(page, OTHER_PASSWORD, LONG_USER);
      await page.waitForSelector("#approve");
      await page.goto(`${d.issuer}/logout?id_token_hint=${hint}`);
    },
  },
  { name: "logged out", heading: /^You are signed out$/, open: (page, d) => page.goto(`${d.issuer}/logout`) },
  {
    name: "still signed in",
    heading: /^You are still signed in$/,
    open: async (page, d) => {
      await page.goto(ask(d, { client_id: "long", scope: "openid" }));
      await signIn(page, OTHER_PASSWORD, LONG_USER);
      await page.waitForSelector("#approve");
      await page.goto(`${d.issuer}/logout`);
      await page.click("#cancel");
      await page.waitForSelector("#logout", { state: "detached" });
    },
  },

  {
    name: "account",
    heading: /^Your account$/,
    open: (page, d) => toAccount(page, d, "", "#rows"),
  },
  {
    name: "account, everything long",
    heading: /^Your account$/,
    open: (page, d) => toAccount(page, d, "", "#groups", LONG_USER, OTHER_PASSWORD),
  },
  {
    name: "account, password",
    heading: /^Change your password$/,
    open: (page, d) => toAccount(page, d, "/password", "#present"),
  },
  {
    name: "account, password behind a login by passkey",
    heading: /^Change your password$/,
    open: async (page, d) => {
      const byPasskey = "level = 3, amr = 'pop user mfa'";
      await toPasswordOfNewUser(page, d, (whose) => `UPDATE sessions SET ${byPasskey} WHERE ${whose}`);
      await page.waitForSelector("#save");
      await page.waitForSelector("#present", { state: "detached" });
    },
  },
  {
    name: "account, no password",
    heading: /^Change your password$/,
    open: async (page, d) => {
      await toPasswordOfNewUser(page, d, (whose) => `UPDATE users SET password_hash = '' WHERE ${whose}`);
      await page.waitForSelector("#no-password");
    },
  },
  {
    name: "account, password too short",
    heading: /^Change your password$/,
    open: async (page, d) => {
      await toAccount(page, d, "/password", "#present");
      for (const [id, text] of Object.entries({ present: "x", new: "short", again: "short" })) {
        await page.evaluate((field) => document.getElementById(field).removeAttribute("minlength"), id);
        await page.fill(`#${id}`, text);
      }
      await page.click("#save");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "account, app to set up",
    heading: /^Authenticator app$/,
    open: (page, d) => toAccount(page, d, "/app", "#key"),
  },
  {
    name: "account, app with a wrong code",
    heading: /^Authenticator app$/,
    open: async (page, d) => {
      await toAccount(page, d, "/app", "#key");
      await page.fill("#code", "no code");
      await page.click("#turn-on");
      await page.waitForSelector("#problem");
    },
  },
  { name: "account, new recovery codes", heading: /^Keep these codes$/, open: toNewCodes },
  {
    name: "account, app that is on",
    heading: /^Authenticator app$/,
    open: async (page, d) => {
      await toNewCodes(page, d);
      await page.goto(`${d.issuer}/account/app`);
      await page.waitForSelector("#remove");
    },
  },
  {
    name: "account, recovery codes",
    heading: /^Recovery codes$/,
    open: async (page, d) => {
      await toNewCodes(page, d);
      await page.goto(`${d.issuer}/account/codes`);
      await page.waitForSelector("#new-codes");
    },
  },
  {
    name: "account, question before new codes",
    heading: /^Make new recovery codes\?$/,
    open: async (page, d) => {
      await toNewCodes(page, d);
      await page.goto(`${d.issuer}/account/codes?new=yes`);
      await page.waitForSelector("#make");
    },
  },
  {
    name: "account, no recovery codes",
    heading: /^Recovery codes$/,
    open: (page, d) => toAccount(page, d, "/codes", "h1"),
  },
  {
    name: "account, no passkeys",
    heading: /^Passkeys$/,
    open: (page, d) => toAccount(page, d, "/passkeys", "#another"),
  },
  {
    name: "account, passkey to add",
    heading: /^Add a passkey$/,
    open: (page, d) => toNewPasskey(page, d, "#add-passkey"),
  },
  {
    name: "account, passkey to add in a browser without passkeys",
    heading: /^Add a passkey$/,
    open: async (page, d) => {
      await page.addInitScript(() => delete window.PublicKeyCredential);
      await toNewPasskey(page, d, "#needs-script");
    },
  },
  {
    name: "account, no passkey in the browser",
    heading: /^Add a passkey$/,
    open: async (page, d) => {
      await toNewPasskey(page, d, "#add-passkey");
      await refuseInBrowser(page, "#add-passkey");
    },
  },
  {
    name: "account, passkey refused",
    heading: /^Add a passkey$/,
    open: async (page, d) => {
      await toNewPasskey(page, d, "#add-passkey");
      await sendNoPasskey(page);
    },
  },
  { name: "account, codes behind the first passkey", heading: /^Keep these codes$/, open: toFirstPasskey },
  {
    name: "account, one passkey",
    heading: /^Passkeys$/,
    open: async (page, d) => {
      await toPasskeys(page, d);
      await page.waitForSelector("#second");
    },
  },
  {
    name: "account, passkey of a former address",
    heading: /^Passkeys$/,
    open: async (page, d) => {
      await toPasskeys(page, d, { rp_id: "former.example" });
      await page.getByText("for an earlier address").waitFor();
    },
  },
  {
    name: "account, suspended passkey",
    heading: /^Passkeys$/,
    open: async (page, d) => {
      await toPasskeys(page, d, { suspended_at: d.now() });
      await page.getByText("suspended").waitFor();
    },
  },
  {
    name: "account, passkey that is needed",
    heading: /^Passkeys$/,
    open: async (page, d) => {
      const { username } = await toPasskeys(page, d);
      await d.postern(["user", "set", username, "--second-factor", "required"]);
      await page.getByRole("button", { name: /^Remove/ }).click();
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "account, as many passkeys as there can be",
    heading: /^Passkeys$/,
    open: async (page, d) => {
      const { whose } = await toPasskeys(page, d);
      const others = "subject, rp_id, cose_key, alg, sign_count, backup_eligible, backed_up, transports, aaguid, name";
      for (let number = 10; number < 29; ++number)
        await sql(
          d,
          `INSERT INTO passkeys (credential_id, ${others}, created_at)
           SELECT 'AA${number}', ${others}, ${number} FROM passkeys WHERE ${whose} LIMIT 1`,
        );
      await page.reload();
      await page.getByText("You have as many passkeys as there can be.").waitFor();
    },
  },
  {
    name: "new password, demanded",
    heading: /^Choose a new password$/,
    open: toDemandedPassword,
  },
  {
    name: "new password, demanded and not typed twice alike",
    heading: /^Choose a new password$/,
    open: async (page, d) => {
      await toDemandedPassword(page, d);
      await page.fill("#new", "another one that is long");
      await page.fill("#again", "and not the same one");
      await page.click("#save");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "account, remembered devices",
    heading: /^Your devices$/,
    open: async (page, d) => {
      const { codes } = await toSecondStep(page, d);
      await page.check("#remember");
      await page.fill("#code", codes[0]);
      await page.click("#verify");
      await page.waitForSelector("#approve");
      await page.goto(`${d.issuer}/account/devices`);
      await page.waitForSelector("#remembered");
    },
  },
  {
    name: "account, devices",
    heading: /^Your devices$/,
    open: async (page, d) => {
      await toAccount(page, d, "", "#rows");
      await page.context().clearCookies();
      await toAccount(page, d, "/devices", "#everywhere");
    },
  },
  {
    name: "account, signed out everywhere else",
    heading: /^Your devices$/,
    open: async (page, d) => {
      await toAccount(page, d, "", "#rows", LONG_USER, OTHER_PASSWORD);
      await page.context().clearCookies();
      await toAccount(page, d, "/devices", "#everywhere", LONG_USER, OTHER_PASSWORD);
      await page.click("#everywhere");
      await page.waitForSelector("#done");
    },
  },
  {
    name: "account, applications",
    heading: /^Your applications$/,
    open: async (page, d) => {
      for (const client_id of ["long", "hebrew"]) {
        await page.goto(ask(d, { client_id, scope: "openid email", prompt: "consent" }));
        if (client_id === "long") await signIn(page);
        const answer = page.waitForRequest((request) => request.url().startsWith(`${d.origin}/demo/?`));
        await page.click("#approve");
        await answer;
      }
      await page.goto(`${d.issuer}/account/applications`);
      await page.waitForSelector("#applications");
    },
  },
  {
    name: "account, no applications",
    heading: /^Your applications$/,
    open: (page, d) => toAccount(page, d, "/applications", "h1", "newcomer", OTHER_PASSWORD),
  },
  {
    name: "account, activity",
    heading: /^Your activity$/,
    open: async (page, d) => {
      const { username } = await toNewCodes(page, d);
      await d.postern(["user", "set", username, "--claim", `nickname=${"x".repeat(60)}`]);
      await page.goto(`${d.issuer}/account/activity`);
      await page.waitForSelector("#activity li");
    },
  },
  {
    name: "account, profile",
    heading: /^Your profile$/,
    open: (page, d) => toAccount(page, d, "/profile", "#claims"),
  },
  {
    name: "account, profile with much in it",
    heading: /^Your profile$/,
    open: async (page, d) => {
      const claims = [
        `name=${LONG_NAME}`,
        `nickname=${RIGHT_TO_LEFT_NAME}`,
        `website=https://${"x".repeat(60)}.example/`,
      ];
      await d.postern(["user", "set", LONG_USER, ...claims.flatMap((claim) => ["--claim", claim])]);
      await toAccount(page, d, "/profile", "#edit", LONG_USER, OTHER_PASSWORD);
    },
  },
  {
    name: "account, change of the profile",
    heading: /^Change your profile$/,
    open: (page, d) => toProfileForm(page, d),
  },
  {
    name: "account, profile that cannot be so",
    heading: /^Change your profile$/,
    open: async (page, d) => {
      await toProfileForm(page, d);
      await page.fill("#birthdate", "yesterday");
      await page.click("#save");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "account_form_foreign",
    heading: /form is out of date/,
    open: async (page, d) => {
      await toAccount(page, d, "/password", "#present");
      await setField(page, "csrf", "x");
      for (const id of ["present", "new", "again"]) await page.fill(`#${id}`, "some words in a row");
      await page.click("#save");
      await page.waitForSelector("#try-again");
    },
  },
  {
    name: "account_form_malformed",
    heading: /form could not be read/,
    open: async (page, d) => {
      await toAccount(page, d, "/password", "#present");
      const csrf = await page.evaluate(() => document.forms[0].elements.csrf.value);
      await page.evaluate((value) => {
        const form = document.forms[0];
        form.noValidate = true;
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "new", value }));
      }, csrf);
      await page.click("#save");
      await page.waitForSelector("#try-again");
    },
  },

  {
    name: "invitation",
    heading: /^Welcome, invited$/,
    open: async (page, d) => page.goto(await link(d, "invite", "invited")),
  },
  {
    name: "invitation, everything long",
    heading: /^Welcome, wilhelmina/,
    open: async (page, d) => page.goto(await link(d, "invite", `${LONG_USER}y`)),
  },
  {
    name: "link for another password",
    heading: /^Choose a new password$/,
    open: async (page, d) => page.goto(await link(d, "reset-link", "forgetful")),
  },
  {
    name: "link that removes second factors, password too short",
    heading: /^Choose a new password$/,
    open: async (page, d) => {
      await page.goto(await link(d, "reset-link", "forgetful", "--factors"));
      await page.evaluate(() => document.getElementById("new").removeAttribute("minlength"));
      for (const id of ["new", "again"]) await page.fill(`#${id}`, "short");
      await page.click("#save");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "link, used",
    heading: /^Your password is saved$/,
    open: async (page, d) => {
      await page.goto(await link(d, "reset-link", "forgetful", "--factors"));
      for (const id of ["new", "again"]) await page.fill(`#${id}`, OTHER_PASSWORD);
      await page.click("#save");
      await page.waitForSelector("#sign-in");
    },
  },
  {
    name: "forgotten password",
    heading: /^Choose a new password$/,
    open: (page, d) => page.goto(`${d.issuer}/recover`),
  },
  {
    name: "forgotten password, nothing typed",
    heading: /^Choose a new password$/,
    open: async (page, d) => {
      await page.goto(`${d.issuer}/recover`);
      await page.fill("#name", " ");
      await page.click("#send");
      await page.waitForSelector("#problem");
    },
  },
  {
    name: "forgotten password, asked",
    heading: /^Choose a new password$/,
    open: async (page, d) => {
      await page.goto(`${d.issuer}/recover`);
      await page.fill("#name", "nobody");
      await page.click("#send");
      await page.waitForSelector("#asked");
    },
  },
  { name: "link that confirms an address", heading: /^Confirm your e-mail address$/, open: toAddressLink },
  {
    name: "link that confirms an address, used",
    heading: /^Your e-mail address is confirmed$/,
    open: async (page, d) => {
      await toAddressLink(page, d);
      await page.click("#confirm");
      await page.waitForSelector("#confirmed");
    },
  },
  {
    name: "invitation, passkey refused",
    heading: /^Welcome, invited$/,
    open: async (page, d) => {
      await page.goto(await link(d, "invite", "invited"));
      await page.waitForSelector("#add-passkey");
      await sendNoPasskey(page, "#passkey-problem");
    },
  },
  {
    name: "invitation, used for a passkey",
    heading: /^Your passkey is added$/,
    open: async (page, d) => {
      await withAuthenticator(page);
      await page.goto(await link(d, "invite", `keyholder-${++keys}`));
      await page.click("#add-passkey");
      await page.waitForSelector("#sign-in");
    },
  },
  { name: "link_not_good", heading: /no longer good/, open: (page, d) => page.goto(`${d.issuer}/recover/link`) },
  {
    name: "link_form_foreign",
    heading: /form is out of date/,
    open: async (page, d) => {
      await page.goto(await link(d, "reset-link", "forgetful"));
      await setField(page, "csrf", "x");
      for (const id of ["new", "again"]) await page.fill(`#${id}`, OTHER_PASSWORD);
      await page.click("#save");
      await page.waitForSelector("#save", { state: "detached" });
    },
  },
  {
    name: "link_form_malformed",
    heading: /form could not be read/,
    open: async (page, d) => {
      await page.goto(await link(d, "reset-link", "forgetful"));
      await page.evaluate(() => {
        const form = document.forms[0];
        form.noValidate = true;
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "new", value: "x" }));
        form.elements.again.value = form.elements.namedItem("new")[0].value = "some words in a row";
      });
      await page.click("#save");
      await page.waitForSelector("#save", { state: "detached" });
    },
  },

  { name: "request_malformed", heading: /link is damaged/, open: (page, d) => page.goto(`${ask(d)}&client_id=wiki`) },
  { name: "client_missing", heading: /did not say who it is/, open: (page, d) => page.goto(`${d.issuer}/authorize`) },
  { name: "client_unknown", heading: /not known here/, open: (page, d) => page.goto(ask(d, { client_id: "nobody" })) },
  {
    name: "client_disabled",
    heading: /application has been switched off/,
    open: (page, d) => page.goto(ask(d, { client_id: "off" })),
  },
  {
    name: "redirect_missing",
    heading: /did not say where to return/,
    open: (page, d) => page.goto(`${d.issuer}/authorize?client_id=two&response_type=code`),
  },
  {
    name: "redirect_unregistered",
    heading: /return address is not registered/,
    open: (page, d) => page.goto(ask(d, { redirect_uri: "https://elsewhere.example/" })),
  },
  { name: "resume_missing", heading: /nothing to sign in to/, open: (page, d) => page.goto(`${d.issuer}/login`) },
  {
    name: "resume_invalid",
    heading: /cannot be continued/,
    open: (page, d) => page.goto(`${d.issuer}/scopes?resume=x`),
  },
  {
    name: "resume_expired",
    heading: /took too long/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await d.advance(700);
      await signIn(page);
      await page.waitForSelector("#try-again");
    },
  },
  {
    name: "cookie_missing",
    heading: /does not know this sign-in/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await page.context().clearCookies();
      await page.reload();
    },
  },
  {
    name: "other_browser",
    heading: /started elsewhere/,
    open: async (page, d) => {
      await page.goto(ask(d));
      const cookies = await page.context().cookies();
      await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, value: "A".repeat(43) })));
      await page.reload();
    },
  },
  {
    name: "already_used",
    heading: /finished already/,
    open: async (page, d) => {
      await page.goto(ask(d));
      const login = page.url();
      await signIn(page);
      await page.click("#approve");
      await page.waitForURL(/\/demo\//); // the demo takes the answer out of the address bar
      await page.goto(login);
    },
  },
  {
    name: "form_foreign",
    heading: /form is out of date/,
    open: async (page, d) => {
      await page.goto(ask(d));
      await setField(page, "csrf", "x");
      await signIn(page);
      await page.waitForSelector("#try-again");
    },
  },
  {
    name: "access_refused",
    heading: /^dana may not use Our ledger$/,
    open: async (page, d) => {
      await page.goto(ask(d, { client_id: "ledger", scope: "openid" }));
      await signIn(page);
      await page.waitForSelector("#other-account");
    },
  },
  {
    name: "access_refused, long name",
    heading: /may not use Weatherstation/,
    open: async (page, d) => {
      await page.goto(ask(d, { client_id: "closed", scope: "openid" }));
      await signIn(page);
      await page.waitForSelector("#back");
    },
  },
  {
    name: "form_malformed",
    heading: /could not be read/,
    open: async (page, d) => {
      await toConsent(page, d);
      await page.evaluate(() => {
        document.getElementById("approve").value = "perhaps";
      });
      await page.click("#approve");
      await page.waitForSelector("#try-again");
    },
  },
  {
    name: "logout_malformed",
    heading: /sign-out link is damaged/,
    open: (page, d) => page.goto(`${d.issuer}/logout?state=a&state=b`),
  },
  {
    name: "logout_hint_invalid",
    heading: /cannot be trusted/,
    open: (page, d) => page.goto(`${d.issuer}/logout?id_token_hint=x`),
  },
  {
    name: "logout_client_mismatch",
    heading: /contradicts itself/,
    open: async (page, d) => {
      const hint = await idToken(page, d);
      await page.goto(`${d.issuer}/logout?client_id=long&id_token_hint=${hint}`);
    },
  },
  {
    name: "logout_redirect_unregistered",
    heading: /return address is not registered/,
    open: async (page, d) => {
      const hint = await idToken(page, d);
      await page.goto(`${d.issuer}/logout?id_token_hint=${hint}&post_logout_redirect_uri=https://elsewhere.example/`);
    },
  },
  {
    name: "logout_resume_invalid",
    heading: /sign-out cannot be continued/,
    open: (page, d) => page.goto(`${d.issuer}/logout?resume=x`),
  },
  {
    name: "logout_resume_expired",
    heading: /sign-out took too long/,
    open: async (page, d) => {
      await toConsent(page, d);
      await page.goto(`${d.issuer}/logout`);
      await d.advance(700);
      await page.click("#logout");
      await page.waitForSelector("#request-id");
    },
  },
  {
    name: "logout_form_foreign",
    heading: /form is out of date/,
    open: async (page, d) => {
      await toConsent(page, d);
      await page.goto(`${d.issuer}/logout`);
      await setField(page, "csrf", "x");
      await page.click("#logout");
      await page.waitForSelector("#request-id");
    },
  },
  {
    name: "wrong method",
    heading: /cannot be used that way/,
    open: async (page, d) => {
      await post(page, `${d.issuer}/authorize`, { client_id: "wiki" });
      await page.waitForSelector("#request-id");
    },
  },
  {
    name: "body too large",
    heading: /request is too large/,
    open: async (page, d) => {
      await post(page, `${d.issuer}/login`, { username: "x".repeat(20000) });
      await page.waitForSelector("#request-id");
    },
  },
];

const asRemoteUser = (number) => ({ extraHTTPHeaders: { "X-Test-User": String(number) } });

export const REMOTE_PAGES = [
  {
    name: "remote_user_missing",
    heading: /did not say who you are/,
    open: (page, d) => page.goto(authorizationUrl(d)),
  },
  {
    name: "account_unknown",
    heading: /account is not known here/,
    options: asRemoteUser(0),
    open: (page, d) => page.goto(authorizationUrl(d)),
  },
  {
    name: "account_disabled",
    heading: /account has been switched off/,
    options: asRemoteUser(1),
    open: (page, d) => page.goto(authorizationUrl(d)),
  },
  {
    name: "remote_user_unusable",
    heading: /account name cannot be used/,
    options: asRemoteUser(2),
    open: (page, d) => page.goto(authorizationUrl(d)),
  },
  {
    name: "account, a login that is too old for a change",
    heading: /^Your account$/,
    options: asRemoteUser(3),
    open: async (page, d) => {
      await page.goto(`${d.issuer}/account/profile`);
      await page.goto(`${d.issuer}/account/profile?edit=yes`);
      await page.getByText("too long ago for this change").waitFor();
    },
  },
];

/// Goes there, and throws when another page came than the one meant.
export async function show(entry, page, deployment) {
  await entry.open(page, deployment);
  const heading = await mainHeading(page);
  if (!entry.heading.test(heading)) throw new Error(`"${heading}" instead of ${entry.heading}`);
}
