// The operator's name, colours, logo and links in a browser: real pages under their own policy, and every page as
// `postern pages` writes it, by axe-core in both colour schemes.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { prepared } from "../support/prepared.mjs";
import { authorizationUrl, openBrowser, openDemo, openPage } from "./browser.mjs";
import {
  AXE,
  OF_COLOURS,
  cutOff,
  directory,
  findings,
  isError,
  isFormPost,
  nameOf,
  visit,
  writePages,
} from "./inspect.mjs";

chmodSync(directory, 0o755);

function file(name, content) {
  writeFileSync(join(directory, name), content, { mode: 0o644 });
  return join(directory, name);
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" fill="none">
<defs><linearGradient id="username"><stop offset="0" stop-color="#7a1fa2"/></linearGradient></defs>
<rect width="120" height="40" rx="8" fill="url(#username)"/></svg>`;
/// Everything in an SVG that runs or loads when it is opened by itself.
const HOSTILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" onload="ran('onload')">
<style>@import url(https://elsewhere.example/a.css); rect { fill: #7a1fa2; }</style>
<script>function ran(how) {
  document.documentElement.classList.add(how); console.error(how); parent.document.title = how;
}
ran("script");</script>
<image href="https://elsewhere.example/a.png" width="9" height="9"/><use href="https://elsewhere.example/a.svg#a"/>
<foreignObject width="9" height="9">
<img xmlns="http://www.w3.org/1999/xhtml" src="x:" onerror="ran('onerror')"/></foreignObject>
<rect width="120" height="40"/></svg>`;
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

const colorOf = (page, selector, property) =>
  page.locator(selector).evaluate((element, name) => getComputedStyle(element)[name], property);

describe("branding in a browser", () => {
  let browser;
  prepared(async (owned) => {
    browser = owned(await openBrowser());
  });

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

  it("a logo with scripts and addresses is shown, runs nothing and asks for nothing [BRAND-3, L39]", async () => {
    const logo = file("hostile.svg", HOSTILE);
    await withSignIn({ logo }, async (page) => {
      const picture = page.getByRole("img", { name: "Example Org" });
      assert.ok(await picture.evaluate((element) => element.complete && element.naturalWidth));
      const { width, height } = await picture.boundingBox();
      assert.deepEqual([width, height], [168, 56]);
      await page.waitForTimeout(500);
      assert.equal(await page.title(), "Sign in to Demo page – Example Org");
    });
    const opened = await browser.newPage();
    await opened.goto(pathToFileURL(logo).href, { waitUntil: "commit" });
    await opened.waitForFunction(() => document.documentElement.classList.contains("onload"));
    assert.ok((await opened.locator("svg").getAttribute("class")).includes("script"));
    await opened.close();
  });

  it("a PNG is shown, and is the icon [BRAND-3, BRAND-4]", () =>
    withSignIn({ logo: file("logo.png", PNG) }, async (page) => {
      const picture = page.getByRole("img", { name: "Example Org" });
      assert.equal(await picture.evaluate((element) => element.complete && element.naturalWidth), 1);
      assert.match(await page.locator("link[rel=icon]").getAttribute("href"), /^data:image\/png;base64,/);
    }));

  for (const [what, more, rules] of [
    ["strong colours", {}],
    ["colours that are enough for buttons alone", { color: "#0d8070", colorDark: undefined }, OF_COLOURS],
  ])
    it(`every page that is written, in both schemes: ${what} [BRAND-2, BRAND-5, A11Y-4, A11Y-7]`, async () => {
      const files = await writePages(what.replaceAll(" ", "-"), { branding: branding(more) });
      assert.ok(files.length > 60, `${files.length} pages`);
      const page = await browser.newPage({ reducedMotion: "reduce" });
      for (const path of files.filter((each) => !isFormPost(each) && !isError(each))) {
        const name = nameOf(path);
        await visit(page, path);
        // WCAG 3.2.6: help is at the same place on each page.
        assert.equal(await page.locator("main + footer > a:first-child").getAttribute("id"), "get-help", name);
        await page.evaluate(AXE);
        await page.emulateMedia({ colorScheme: "light" });
        assert.deepEqual(await page.evaluate(findings, rules), [], `${name}, light`);
        await page.emulateMedia({ colorScheme: "dark" });
        assert.deepEqual(await page.evaluate(findings, OF_COLOURS), [], `${name}, dark`);
        await page.setViewportSize({ width: 320, height: 568 });
        assert.deepEqual(await page.evaluate(cutOff), [], `${name}, 320 pixels wide`);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      await page.close();
    });
});
