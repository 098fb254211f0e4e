// The operator's name, colours, logo and links in a browser: real pages under their own policy, and every page as
// `postern pages` writes it, by axe-core in both colour schemes.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { authorizationUrl, openBrowser, openDemo, openPage } from "./browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const POSTERN = resolve(process.env.POSTERN_BUILD ?? "build", "bin/postern");

const directory = mkdtempSync(join(tmpdir(), "pt-brand-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
chmodSync(directory, 0o755);

function file(name, content) {
  writeFileSync(join(directory, name), content, { mode: 0o644 });
  return join(directory, name);
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" fill="none">
<defs><linearGradient id="username"><stop offset="0" stop-color="#7a1fa2"/></linearGradient></defs>
<rect width="120" height="40" rx="8" fill="url(#username)"/></svg>`;
/// One pixel.
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/p7FVrAAAAABJRU5ErkJggg==",
  "base64",
);
const branding = (more) => ({
  name: "Example Org",
  color: "#7a1fa2",
  colorDark: "#ce93d8",
  logo: file("logo.svg", SVG),
  help: "https://help.example/",
  links: [{ text: { "": "Impressum", en: "Imprint" }, url: "https://example.org/imprint" }],
  ...more,
});

/// Runs in the page: what axe-core finds.
async function findings() {
  const rules = { "target-size": { enabled: true } }; // WCAG 2.5.8, off by default
  const { violations, incomplete } = await globalThis.axe.run(document, { preload: false, rules });
  const unsure = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unsure].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}

const colorOf = (page, selector, property) =>
  page.locator(selector).evaluate((element, name) => getComputedStyle(element)[name], property);

describe("branding in a browser", () => {
  let browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  async function withSignIn(more, use) {
    const deployment = await openDemo({ config: { branding: branding(more) } });
    try {
      const { page, faults, close } = await openPage(browser, deployment);
      await page.goto(authorizationUrl(deployment));
      await use(page);
      await close();
      assert.deepEqual(faults, []); // the policy has refused nothing
    } finally {
      await deployment.stop();
    }
  }

  it("the sign-in page has name, colours, logo, help and links [BRAND-1, BRAND-2, BRAND-3, MAIL-9]", () =>
    withSignIn({}, async (page) => {
      assert.equal(await page.title(), "Sign in to Demo page – Example Org");
      await page.getByRole("heading", { level: 1, name: "Sign in to Example Org" }).waitFor();
      const { width } = await page.getByRole("img", { name: "Example Org" }).boundingBox();
      assert.ok(width > 100, `the logo is ${width} pixels wide`);
      assert.equal(await page.locator("#username").count(), 1); // an id of the logo is none of the page
      assert.equal(await colorOf(page, "#login", "backgroundColor"), "rgb(122, 31, 162)");
      assert.equal(await colorOf(page, "#login", "color"), "rgb(255, 255, 255)");
      assert.equal(await page.locator("#forgot").getAttribute("href"), "https://help.example/");
      assert.equal(await page.locator("footer #get-help").getAttribute("href"), "https://help.example/");
      assert.equal(await page.locator("footer a").last().textContent(), "Imprint");
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      assert.equal(await colorOf(page, "#login", "backgroundColor"), "rgb(206, 147, 216)");
      assert.equal(await colorOf(page, "#login", "color"), "rgb(0, 0, 0)");
    }));

  it("a PNG is shown, and is the icon [BRAND-3, BRAND-4]", () =>
    withSignIn({ logo: file("logo.png", PNG) }, async (page) => {
      const picture = page.getByRole("img", { name: "Example Org" });
      assert.equal(await picture.evaluate((element) => element.complete && element.naturalWidth), 1);
      assert.match(await page.locator("link[rel=icon]").getAttribute("href"), /^data:image\/png;base64,/);
    }));

  for (const [what, more] of [
    ["strong colours", {}],
    ["colours that are enough for buttons alone", { color: "#0d8070", colorDark: undefined }],
  ])
    it(`every page that is written, in both schemes: ${what} [BRAND-2, BRAND-5, A11Y-4, A11Y-7]`, async () => {
      const config = { issuer: "https://id.example.org", templates: resolve("templates"), branding: branding(more) };
      const out = join(directory, what.replaceAll(" ", "-"));
      const configFile = file("postern.json", JSON.stringify(config));
      await promisify(execFile)(POSTERN, ["pages", out, "--config", configFile]);
      const names = readdirSync(out);
      assert.ok(names.length > 60, `${names.length} pages`);
      const context = await browser.newContext({ javaScriptEnabled: true, reducedMotion: "reduce" });
      const page = await context.newPage();
      // The page that sends itself would be gone.
      for (const name of names.filter((each) => each !== "form_post.html")) {
        if (name.startsWith("error-") && name !== "error-access_refused.html") continue; // one template
        await page.goto(pathToFileURL(join(out, name)).href);
        // WCAG 3.2.6: help is at the same place on each page.
        assert.equal(await page.locator("main + footer > a:first-child").getAttribute("id"), "get-help", name);
        await page.evaluate(AXE);
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          assert.deepEqual(await page.evaluate(findings), [], `${name}, ${colorScheme}`);
        }
        await page.setViewportSize({ width: 320, height: 568 });
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scrollWidth, clientWidth };
        });
        assert.ok(scrollWidth <= clientWidth, `${name} is wider than 320 pixels`);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      await context.close();
    });
});
