// Makes the pictures of docs/screenshots/, for README: `make screenshots`. A page as a person would meet it, at twice
// the density, in one font wherever it is made, with as few colours as it needs.
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { App } from "./app.mjs";
import { authorizationUrl, openBrowser, openDemo, openPage, signIn } from "./browser.mjs";

export const SCALE = 2;
export const MOST_BYTES = 60_000;
const CARD = { width: 560, height: 760 };
const TALL = { width: 560, height: 1100 };
const PHONE = { width: 360, height: 760 };
const DEMO = { width: 1000, height: 700 };

const ALICE = {
  username: "alice",
  password: "down the rabbit hole",
  claims: {
    name: "Alice Liddell",
    given_name: "Alice",
    family_name: "Liddell",
    email: "alice@example.org",
    email_verified: true,
  },
};
/// Has an authenticator app, once the picture of its page is taken.
const GRACE = { username: "grace", password: "nanoseconds of wire" };
const CALLBACK = "https://wiki.example.org/oidc/callback";

const ask = (d, parameters) =>
  authorizationUrl(d, {
    client_id: "wiki",
    redirect_uri: CALLBACK,
    scope: "openid profile email wiki:read",
    ...parameters,
  });

async function login(page, d) {
  await page.goto(ask(d));
}

async function consent(page, d) {
  await login(page, d);
  await signIn(page, ALICE.password, ALICE.username);
  await page.waitForSelector("#approve");
}

async function logout(page, d) {
  await consent(page, d);
  await page.goto(`${d.issuer}/logout`);
}

/// A page of the account, which asks for the password first.
async function account(page, d, path, { username, password }) {
  await page.goto(`${d.issuer}/account${path}`);
  await signIn(page, password, username);
}

async function appSetUp(page, d) {
  await account(page, d, "/app", GRACE);
  await page.waitForSelector("#key");
}

async function secondStep(page, d) {
  await appSetUp(page, d);
  await (await App.scan(page, d)).type(page, "#turn-on");
  await page.waitForSelector("#kept");
  await page.context().clearCookies();
  await login(page, d);
  await signIn(page, GRACE.password, GRACE.username);
  await page.waitForSelector("#code");
}

async function demo(page, d) {
  await page.goto(`${d.issuer}/demo/`);
  await page.click("#sign-in");
  await signIn(page, ALICE.password, ALICE.username);
  await page.click("#approve");
  await page.waitForSelector('html[data-state="done"]');
  await page.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, 0);
  });
}

const dark = { colorScheme: "dark" };

/// Each: the file's name without its end, its size in CSS pixels, the way there, what the browser prefers.
export const PICTURES = [
  { name: "login", size: CARD, open: login },
  { name: "login-dark", size: CARD, open: login, options: dark },
  { name: "login-arabic", size: CARD, open: login, options: { locale: "ar" } },
  {
    name: "login-error",
    size: CARD,
    open: async (page, d) => {
      await login(page, d);
      await signIn(page, "up the rabbit hole", ALICE.username);
      await page.waitForSelector("#problem");
    },
  },
  { name: "account-app", size: TALL, open: appSetUp },
  { name: "second-step", size: CARD, open: secondStep },
  { name: "account", size: CARD, open: (page, d) => account(page, d, "", ALICE) },
  { name: "consent", size: CARD, open: consent },
  { name: "consent-dark", size: CARD, open: consent, options: dark },
  { name: "consent-narrow", size: PHONE, open: consent, options: { hasTouch: true, isMobile: true } },
  { name: "error", size: CARD, open: (page, d) => page.goto(ask(d, { redirect_uri: `${CALLBACK}/` })) },
  { name: "logout", size: CARD, open: logout },
  {
    name: "logged-out",
    size: CARD,
    open: async (page, d) => {
      await logout(page, d);
      await page.click("#logout");
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    },
  },
  { name: "demo", size: DEMO, open: demo },
];

/// Inter for words and DejaVu for code, whatever else is installed, and Droid for names in Japanese and Chinese.
async function chooseFonts(directory) {
  const prefer = (family, font) =>
    `<match target="pattern"><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="assign" binding="strong"><string>${font}</string></edit></match>`;
  const file = join(directory, "fonts.conf");
  await writeFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM ` +
      `"fonts.dtd"><fontconfig><dir>/usr/share/fonts</dir><cachedir>${directory}</cachedir>` +
      `${prefer("system-ui", "Inter")}${prefer("sans-serif", "Inter")}${prefer("sans", "Inter")}` +
      `${prefer("ui-monospace", "DejaVu Sans Mono")}${prefer("monospace", "DejaVu Sans Mono")}</fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
}

async function take(browser, deployment, { name, size, open, options }, target) {
  const { page, faults, close } = await openPage(browser, deployment, {
    viewport: size,
    deviceScaleFactor: SCALE,
    reducedMotion: "reduce",
    ...options,
  });
  try {
    await open(page, deployment);
    await page.evaluate(() => document.fonts.ready);
    const file = join(target, `${name}.png`);
    await page.screenshot({ path: file, caret: "hide", animations: "disabled" });
    await run("pngquant", ["--force", "--strip", "--speed", "1", "--nofs", "--output", file, "32", file]);
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return (await stat(file)).size;
  } finally {
    await close();
  }
}

async function main(target) {
  const scratch = await mkdtemp(join(tmpdir(), "pt-"));
  let deployment;
  let browser;
  try {
    await mkdir(target, { recursive: true });
    await chooseFonts(scratch);
    deployment = await openDemo({
      clock: true,
      host: "localhost", // a name, for which browsers have passkeys
      config: {
        templates: join(BUILD, "templates"), // with the languages
        scopeDescriptions: { "wiki:read": "Read the pages that you can read" },
      },
    });
    await deployment.postern(["client", "set", "demo-spa", "--redirect-uri", `${deployment.issuer}/demo/`]);
    await deployment.addUser(ALICE.username, ALICE.password, ALICE.claims);
    await deployment.addUser(GRACE.username, GRACE.password);
    await deployment.addClient("wiki", CALLBACK, "--name", "Our wiki", "--scope", "openid profile email wiki:read");
    browser = await openBrowser({ args: ["--hide-scrollbars"] });
    for (const picture of PICTURES) {
      const bytes = await take(browser, deployment, picture, target);
      console.log(`${picture.name}.png  ${picture.size.width}x${picture.size.height}, ${bytes} bytes`);
      if (bytes > MOST_BYTES) throw new Error(`${picture.name}.png has more than ${MOST_BYTES} bytes`);
    }
  } finally {
    await browser?.close();
    await deployment?.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(resolve(process.argv[2]));
