// Every page for everybody: axe-core in both colour schemes, narrow and wide, with larger text, with the system's own
// colours; nothing scrolls sideways, nothing is cut off, however long the names are.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { openBrowser } from "./browser.mjs";
import * as look from "./inspect.mjs";

const { AXE, NARROW, OF_COLOURS } = look;
const WIDE = { width: 1280, height: 800 };

describe("every page that is written", async () => {
  let browser;
  let page;
  prepared(async (owned) => {
    browser = owned(await openBrowser());
    page = await browser.newPage({ reducedMotion: "reduce" });
    await page.addInitScript(() => {
      HTMLFormElement.prototype.submit = () => {}; // of the page that sends itself
    });
  });

  const nothing = async (what, where, argument) =>
    assert.deepEqual(await page.evaluate(look[what], argument), [], `${what}, ${where}`);

  /// WCAG 1.4.4 and 1.4.10: text twice as large; 200 % in a window of 1280 is a width of 640.
  async function fits() {
    for (const [width, fontSize] of [
      [NARROW.width, "100%"],
      [WIDE.width, "200%"],
      [640, "200%"],
    ]) {
      await page.setViewportSize({ width, height: 720 });
      await page.evaluate((size) => document.documentElement.style.setProperty("font-size", size), fontSize);
      await nothing("cutOff", `text at ${fontSize}, ${width} pixels wide`);
    }
    await page.evaluate(() => document.documentElement.style.removeProperty("font-size"));
  }

  const files = await look.writePages("everybody", { language: "en" });
  it("are all there", () => assert.ok(files.length > 80, `${files.length} pages`));
  for (const file of files) {
    it(`${look.nameOf(file)} [A11Y-1, A11Y-6, A11Y-7]`, async () => {
      await look.visit(page, file);
      await page.evaluate(AXE);
      await page.evaluate(look.showEverything);
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
      for (const size of [WIDE, NARROW]) {
        await page.setViewportSize(size);
        await nothing("findings", `light, ${size.width} pixels wide`);
        await nothing("cutOff", `${size.width} pixels wide`);
      }
      await page.emulateMedia({ colorScheme: "dark" });
      await nothing("findings", "dark", OF_COLOURS);
      await fits();
      await page.emulateMedia({ forcedColors: "active" });
      assert.equal(await page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
      await nothing("invisible", "in the system's own colours");
      await page.evaluate(look.rename, look.LONG_NAME);
      await fits();
    });
  }
});
