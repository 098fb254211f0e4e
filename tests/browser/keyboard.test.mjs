// What people do with the keyboard on the pages, and what names and motion do to a page.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PERSON, authorizationUrl, openBrowser, openDemo, openPage, signIn, watched } from "./browser.mjs";
import { AXE, NARROW, cutOff, findings, nameOf, visit, writePages } from "./inspect.mjs";

const RIGHT_TO_LEFT_NAME =
  "\u05de\u05e2\u05e8\u05db\u05ea \u05d4\u05d4\u05d6\u05d3\u05d4\u05d5\u05ea <b>&amp; {{csrf}}";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

describe("the keyboard, names and motion", () => {
  let deployment;
  let pages;
  before(async () => {
    pages = await writePages("keyboard", { language: "en" });
    deployment = await openDemo();
    await deployment.addClient("hebrew", `${deployment.origin}/demo/`, "--public", "--name", RIGHT_TO_LEFT_NAME);
  });
  after(() => deployment?.stop());

  async function withLogin(use) {
    await watched(browser, deployment, {}, async (page) => {
      await page.goto(authorizationUrl(deployment, { client_id: "hebrew", scope: "openid" }));
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

  it("a name is shown as it is: markup is text, and its direction ends with it [L13]", () =>
    withLogin(async (page) => {
      await signIn(page);
      await page.waitForSelector("#approve");
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
    for (const reducedMotion of ["reduce", "no-preference"])
      await withWritten("login", { reducedMotion }, async (page) => {
        const found = await page.evaluate(moving);
        assert.equal(found.includes("login"), reducedMotion !== "reduce", "the check sees motion");
        if (reducedMotion === "reduce") assert.deepEqual(found, []);
      });
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
