// Every page that the server can show, for everybody: axe-core in both colour schemes, narrow and wide, with larger
// text, with the system's own colours; nothing scrolls sideways, nothing is cut off.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { PERSON, authorizationUrl, openBrowser, openPage } from "./browser.mjs";
import { PAGES, REMOTE_PAGES, RIGHT_TO_LEFT_NAME, openRemoteWorld, openWorld, show } from "./every_page.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 568 };

/// Runs in the page: what axe-core finds, and where it cannot tell whether the contrast is enough, as lines of text.
/// Nothing is fetched and nothing is added to the page.
async function findings() {
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
function cutOff() {
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
function invisible() {
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

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

for (const [what, open, pages] of [
  ["every page", openWorld, PAGES],
  ["every page where the web server signs people in", openRemoteWorld, REMOTE_PAGES],
]) {
  describe(what, () => {
    let deployment;
    before(async () => {
      deployment = await open();
    });
    after(() => deployment?.stop());

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

describe("the keyboard, names and motion", () => {
  let deployment;
  before(async () => {
    deployment = await openWorld();
  });
  after(() => deployment?.stop());

  async function withPage(name, use, options = {}) {
    const { page, faults, close } = await openPage(browser, deployment, options);
    try {
      await show(
        PAGES.find((entry) => entry.name === name),
        page,
        deployment,
      );
      await use(page);
    } finally {
      await close();
    }
    assert.deepEqual(faults, []);
  }

  /// Runs in the page: what has the focus, and whether that can be seen.
  const focused = () => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { id: document.activeElement.id, visible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
  };

  const rows = [
    { name: "login", start: "username", order: ["password", "login"] },
    { name: "login, wrong password", start: "password", order: ["login"] },
    { name: "consent, all scopes", start: "", order: ["approve", "deny"] },
    { name: "logout", start: "", order: ["logout", "cancel"] },
    { name: "already_used", start: "", order: ["try-again"] },
    { name: "link_not_good", start: "", order: ["recover"] },
    { name: "access_refused", start: "", order: ["other-account", "back"] },
    { name: "form_post", start: "", order: ["continue"] },
  ];
  for (const { name, start, order } of rows) {
    it(`${name}: Tab goes through all there is, in the order of reading, and shows where it is [A11Y-1, A11Y-7]`, () =>
      withPage(name, async (page) => {
        if (start) assert.deepEqual(await page.evaluate(focused), { id: start, visible: true });
        else
          assert.equal(
            await page.evaluate(() => document.activeElement.localName),
            "body",
            "a stray Enter presses nothing",
          );
        for (const id of order) {
          await page.keyboard.press("Tab");
          assert.deepEqual(await page.evaluate(focused), { id, visible: true });
        }
      }));
  }

  it("Enter in either field of the login form sends it [A11Y-1]", async () => {
    for (const field of ["#username", "#password"]) {
      await withPage("login", async (page) => {
        await page.fill("#username", PERSON.username);
        await page.fill("#password", PERSON.password);
        await page.press(field, "Enter");
        await page.waitForSelector("#approve");
      });
    }
  });

  it("a name is shown as it is: markup is text, and its direction ends with it [L13]", () =>
    withPage("consent, right-to-left name", async (page) => {
      assert.equal(await page.textContent("h1 bdi"), RIGHT_TO_LEFT_NAME);
      assert.equal(await page.locator("b").count(), 0);
      // The English words begin at the left, whatever the name in front of them is written in.
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("h1")).direction), "ltr");
      assert.equal(
        await page.evaluate(() => getComputedStyle(document.querySelector("h1 bdi")).unicodeBidi),
        "isolate",
      );
    }));

  it("a user who wants no motion sees none [A11Y-6]", async () => {
    const moving = () =>
      [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return transitionDuration.split(",").some((time) => parseFloat(time) > 0) || animationName !== "none";
        })
        .map(({ id, localName }) => id || localName);
    await withPage("login", async (page) => assert.deepEqual(await page.evaluate(moving), []), {
      reducedMotion: "reduce",
    });
    await withPage(
      "login",
      async (page) => assert.ok((await page.evaluate(moving)).includes("login"), "the check sees motion"),
      { reducedMotion: "no-preference" },
    );
  });

  it("the watch and the measures see a page that is wrong", async () => {
    const { page, faults, close } = await openPage(browser, deployment);
    try {
      await page.goto(authorizationUrl(deployment));
      await page.evaluate(AXE);
      await page.setViewportSize(NARROW);
      await page.evaluate(() => {
        const image = new Image();
        image.src = "/picture.png";
        document.body.append(image);
        for (const name of ["one", "other"]) {
          const small = document.createElement("button");
          small.textContent = name;
          small.style.cssText = "all: unset; display: block; width: 8px; height: 8px; overflow: hidden";
          document.body.append(small);
        }
        document.querySelector("h1").style.cssText = "white-space: nowrap; letter-spacing: 4em; color: #ddd";
      });
      const found = (await page.evaluate(findings)).join();
      for (const rule of [/image-alt/, /color-contrast/, /target-size/]) assert.match(found, rule);
      assert.notDeepEqual(await page.evaluate(cutOff), []);
    } finally {
      await close();
    }
    assert.match(faults.join(), /Content Security Policy/);
  });
});
