// How a page is looked at for everybody: axe-core in both colour schemes, narrow and wide, with larger text, with the
// system's own colours; nothing scrolls sideways, nothing is cut off.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { openBrowser, openPage } from "./browser.mjs";
import { show } from "./every_page.mjs";

export const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 320, height: 568 };

/// Runs in the page: what axe-core finds, and where it cannot tell whether the contrast is enough, as lines of text.
/// Nothing is fetched and nothing is added to the page.
export async function findings() {
  const { violations, incomplete } = await globalThis.axe.run(document, {
    preload: false,
    resultTypes: ["violations", "incomplete"],
    rules: { "target-size": { enabled: true } }, // WCAG 2.5.8, off by default
  });
  const unsure = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unsure].flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}

/// Runs in the page: elements that reach out of it, or hide a part of what they hold. A text field may hold more than
/// it shows.
export function cutOff() {
  const width = document.documentElement.clientWidth;
  const found =
    document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
  for (const element of document.body.querySelectorAll("*:not(input, script, style, svg *)")) {
    const { left, right } = element.getBoundingClientRect();
    if (left < -0.5 || right > width + 0.5)
      found.push(`${element.localName} reaches from ${left} to ${right} of ${width}`);
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      found.push(`${element.localName} holds more than it is wide`);
  }
  return found;
}

/// Runs in the page: elements to which the system's own colours left no visible edge.
export function invisible() {
  const same = (element, style) =>
    style.borderTopStyle === "none" || style.borderTopColor === getComputedStyle(element.parentElement).backgroundColor;
  return [...document.querySelectorAll("button, .button, input:not([type=hidden])")]
    .filter((element) => same(element, getComputedStyle(element)))
    .map(({ id }) => id);
}

async function inspect(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const size of [WIDE, NARROW]) {
      const where = `${name}, ${colorScheme}, ${size.width} pixels wide`;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize(size);
      assert.deepEqual(await page.evaluate(findings), [], where);
      assert.deepEqual(await page.evaluate(cutOff), [], where);
    }
  }
  // WCAG 1.4.4 and 1.4.10: text twice as large; 200 % in a window of 1280 is a width of 640.
  for (const [width, fontSize] of [
    [1280, "200%"],
    [640, "100%"],
    [640, "200%"],
  ]) {
    await page.setViewportSize({ width, height: 720 });
    await page.evaluate((size) => {
      document.documentElement.style.setProperty("font-size", size);
    }, fontSize);
    assert.deepEqual(await page.evaluate(cutOff), [], `${name}, text at ${fontSize}, ${width} pixels wide`);
  }
  await page.emulateMedia({ forcedColors: "active" });
  assert.equal(await page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
  assert.deepEqual(await page.evaluate(invisible), [], `${name} in the system's own colours`);
}

/// A test for each of `pages` at the deployment that `open` makes.
export function inspectAll(what, open, pages) {
  describe(what, () => {
    let browser;
    let deployment;
    before(async () => {
      browser = await openBrowser();
      deployment = await open();
    });
    after(async () => {
      await browser?.close();
      await deployment?.stop();
    });

    for (const entry of pages) {
      it(`${entry.name} [A11Y-1, A11Y-6, A11Y-7]`, async () => {
        const { page, faults, close } = await openPage(browser, deployment, {
          ...entry.options,
          reducedMotion: "reduce",
        });
        try {
          await show(entry, page, deployment);
          await page.evaluate(AXE); // through the DevTools protocol, to which the page's policy does not apply
          await inspect(page, entry.name);
        } finally {
          await close();
        }
        assert.deepEqual(faults, []);
      });
    }
  });
}
