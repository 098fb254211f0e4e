// What people do with the keyboard on the pages, and what motion does to a page.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, watched } from "./browser.mjs";
import { nameOf, visit, writePages } from "./inspect.mjs";

let browser;
prepared(async (owned) => {
  browser = owned(await openBrowser());
});

describe("the keyboard and motion", () => {
  let deployment;
  let pages;
  prepared(async (owned) => {
    pages = await writePages("keyboard", { language: "en" });
    deployment = owned(await openDemo());
  });

  async function withLogin(use) {
    await watched(browser, deployment, {}, async (page) => {
      await page.goto(authorizationUrl(deployment));
      await use(page);
    });
  }

  async function withWritten(name, options, use) {
    const page = await browser.newPage(options);
    try {
      await visit(
        page,
        pages.find((file) => nameOf(file) === name),
      );
      await use(page);
    } finally {
      await page.close();
    }
  }

  /// Runs in the page: what has the focus, and whether that can be seen.
  const focused = () => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { id: document.activeElement.id, visible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
  };

  const rows = [
    { name: "login", start: "username", order: ["password", "login"] },
    { name: "login-problem", start: "password", order: ["login"] },
    { name: "consent", start: "", order: ["approve", "deny", "other-account"] },
    { name: "logout", start: "", order: ["logout", "cancel"] },
    { name: "error-already_used", start: "", order: ["try-again"] },
    { name: "error-link_not_good", start: "", order: ["try-again", "recover"] },
    { name: "error-access_refused", start: "", order: ["try-again", "other-account", "back"] },
    { name: "form_post", start: "", order: ["continue"] },
  ];
  for (const { name, start, order } of rows) {
    it(`${name}: Tab goes through all there is, in the order of reading, and shows where it is [A11Y-1, A11Y-7]`, () =>
      withWritten(name, { javaScriptEnabled: false }, async (page) => {
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
      await withLogin(async (page) => {
        await page.fill("#username", PERSON.username);
        await page.fill("#password", PERSON.password);
        await page.press(field, "Enter");
        await page.waitForSelector("#approve");
      });
    }
  });

  it("a user who wants no motion sees none [A11Y-6]", async () => {
    const moving = () =>
      [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return transitionDuration.split(",").some((time) => parseFloat(time) > 0) || animationName !== "none";
        })
        .map(({ id, localName }) => id || localName);
    for (const reducedMotion of ["reduce", "no-preference"])
      await withWritten("login", { reducedMotion }, async (page) => {
        const found = await page.evaluate(moving);
        assert.equal(found.includes("login"), reducedMotion !== "reduce", "the check sees motion");
        if (reducedMotion === "reduce") assert.deepEqual(found, []);
      });
  });
});
