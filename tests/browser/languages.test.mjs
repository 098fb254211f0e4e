// Every page in every language, in a window of 320 pixels: nothing scrolls sideways or is cut off, and
// no text is left untranslated. The pages are those that `postern pages` writes.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { authorizationUrl, openBrowser, openDemo, signIn, watched } from "./browser.mjs";
import {
  AXE,
  cutOff,
  directory,
  findings as axe,
  isError,
  isFormPost,
  showEverything,
  visit,
  writePages,
} from "./inspect.mjs";
import { besideMargin, brokenWords, disorder, farErrors, placesOf, smallTargets, strayLabels } from "./layout.mjs";

const translated = (name, language) => writePages(name, { language, templates: join(BUILD, "templates") });

/// Templates whose one other language has words made of the English ones by `change`.
async function pseudo(name, tag, change) {
  const templates = join(directory, `${name}-templates`);
  mkdirSync(templates);
  cpSync(join(ROOT, "templates"), templates, { recursive: true });
  const source = readFileSync(join(ROOT, "po/postern.pot"), "utf8");
  const translated = source.replace(
    /\nmsgid "(.+)"\nmsgstr ""/g,
    (all, id) => `\nmsgid "${id}"\nmsgstr "${change(id)}"`,
  );
  const catalogue = join(directory, `${tag}.po`);
  writeFileSync(catalogue, translated);
  await run(join(ROOT, "scripts/join-catalogues"), [join(templates, "languages.mo"), catalogue]);
  return templates;
}

/// Runs in the page: every text that a person reads, those of attributes included.
function texts() {
  const body = document.body.cloneNode(true);
  for (const element of body.querySelectorAll("script, style, code")) element.remove();
  const found = [document.title, body.textContent];
  for (const element of document.body.querySelectorAll("*"))
    for (const { name, value } of element.attributes)
      if (["aria-label", "title", "alt", "placeholder"].includes(name) || name.startsWith("data-")) found.push(value);
  return found;
}

const dataUrl = (png) => `data:image/png;base64,${png.toString("base64")}`;

/// Runs in the page: how many pixels of two pictures differ by more than the rounding of a curve.
async function otherPixels(urls) {
  const [one, other] = await Promise.all(
    urls.map(async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
    }),
  );
  if (one.length !== other.length) return Infinity;
  let count = 0;
  for (let at = 0; at < one.length; ++at) if (Math.abs(one[at] - other[at]) > 8) ++count;
  return count;
}

/// Runs in the page: its texts one by one, without names.
function phrases() {
  const found = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest("script, style, code, bdi")) found.push(walker.currentNode.data);
  return found;
}

/// What is no word of the pages: sample values, and what is the same in every language.
const VALUES = new RegExp(
  [
    "Our wiki|Our mail|Ada Lovelace|\\bada\\b|\\bstaff\\b|My phone|Security key|wiki:read|profile|email",
    "Firefox|Linux|Safari|iPhone|localhost|English|UTC|\\byes\\b|sample\\d*",
    "[\\w.-]+@?[\\w-]+\\.example\\.org|https://[^\\s⟦⟧]*|\\{.*\\}|[0-9a-f-]{20,}",
  ].join("|"),
  "g",
);

describe("every page in every language", () => {
  let browser;
  let page;
  prepared(async (owned) => {
    browser = owned(await openBrowser());
    page = await browser.newPage();
  });

  const isOther = (file) => isError(file) || isFormPost(file);
  const withoutOthers = (files) => files.filter((file) => !isOther(file));

  async function inspect(files, looks, width) {
    const found = await findings(files, [showEverything, ...looks], width);
    for (const [index, file] of files.entries()) assert.deepEqual(found[index].flat().filter(Boolean), [], file);
  }
  const NARROW = [cutOff, smallTargets, besideMargin, strayLabels, farErrors, brokenWords];

  /// What each `look` finds in each of the files, put one after the other into the document of the first: that is
  /// quicker than to go there, and no script of theirs runs.
  async function findings(files, looks, width = 320) {
    await page.setViewportSize({ width, height: 700 });
    await visit(page, files[0]);
    await page.evaluate(`globalThis.looks = [${looks}]`);
    const show = (html) => {
      const { documentElement } = new DOMParser().parseFromString(html, "text/html");
      document.replaceChild(document.adoptNode(documentElement), document.documentElement);
      return globalThis.looks.map((look) => look());
    };
    const pages = files.map((file) => readFileSync(file, "utf8"));
    return page.evaluate(`${JSON.stringify(pages)}.map(${show})`);
  }

  const wordsOf = (list) =>
    list.map((text) => text.replace(VALUES, "").trim()).filter((text) => /\p{L}{3}/u.test(text));
  let english;

  it("marks that a name piles up leave every pixel beside it as it is [I18N-4]", async () => {
    const name = "Our wiki of the wide world, a name that goes on and on";
    const rename = ([text, marks]) => {
      for (const value of document.querySelectorAll("bdi")) value.textContent = text.replace(/\S/g, `$&${marks}`);
    };
    const stacks = ["\u030d", "\u0316", "\u030d\u0316\u0335"].map((mark) => mark.repeat(60));
    const files = withoutOthers(await translated("marks", "en"));
    const named = files.filter((file) => readFileSync(file, "utf8").includes("<bdi"));
    assert.ok(named.length > 20, `${named.length} pages with names`);
    await page.setViewportSize({ width: 320, height: 700 });
    for (const file of named) {
      await visit(page, file);
      await page.evaluate(() => document.activeElement.blur());
      // A scroll bar would leave with the picture, after the places of the names have been taken.
      await page.addStyleTag({ content: "html { scrollbar-width: none; }" });
      const options = { fullPage: true, animations: "disabled", mask: [page.locator("bdi")] };
      await page.evaluate(rename, [name, ""]);
      const clean = await page.screenshot(options);
      for (const marks of stacks) {
        await page.evaluate(rename, [name, marks]);
        const stacked = await page.screenshot(options);
        const ink = clean.equals(stacked) ? 0 : await page.evaluate(otherPixels, [clean, stacked].map(dataUrl));
        assert.equal(ink, 0, `${file} with ${escape(marks.slice(0, 3))}`);
      }
    }
  });

  for (const language of ["ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt-BR", "zh-Hans"]) {
    it(`${language}: nothing cut off, small or askew, no error untranslated [I18N-4, I18N-6, A11Y-1]`, async () => {
      const files = await translated(language, language);
      assert.ok(files.length > 60);
      await inspect(withoutOthers(files), NARROW);
      assert.equal(await page.getAttribute("html", "lang"), language);
      const direction = language === "ar" ? "rtl" : "ltr";
      for (const file of files)
        assert.ok(readFileSync(file, "utf8").includes(`<html lang="${language}" dir="${direction}">`), file);
      english ??= await findings((await translated("en", "en")).filter(isOther), [phrases]);
      const others = files.filter(isOther);
      const found = await findings(others, [cutOff, phrases]);
      assert.ok(found.length > 40);
      for (const [index, file] of others.entries()) {
        const [cut, own] = found[index];
        assert.deepEqual(cut, [], file);
        const untranslated = new Set(wordsOf(english[index][0]));
        assert.ok(untranslated.size >= 3, file);
        assert.deepEqual(
          wordsOf(own).filter((text) => untranslated.has(text)),
          [],
          file,
        );
      }
    });
  }

  it("longer words, from right to left: nothing is cut off, nothing untranslated [I18N-6]", async () => {
    const longer = await pseudo("long", "ar", (text) => `⟦${text.replace(/[aeiou](?![^{<]*[}>])/g, "$&$&")}⟧`);
    const files = (await writePages("long", { language: "ar", templates: longer })).filter((file) => !isFormPost(file));
    for (const width of [320, 1280]) await inspect(files, [cutOff], width);
    for (const file of files) {
      await visit(page, file);
      for (const text of await page.evaluate(texts)) {
        let rest = text.replace(VALUES, "");
        for (let before = ""; before !== rest; ) [before, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/g, "")];
        assert.doesNotMatch(rest, /\p{L}{3}/u, `${file}: ${text}`);
      }
    }
  });

  it("Arabic: what is written from left to right is drawn so, on each page and in each field [I18N-6]", async () => {
    const measured = new Set();
    await page.setViewportSize({ width: 1280, height: 700 });
    for (const file of (await translated("order", "ar")).filter((name) => !isFormPost(name))) {
      await visit(page, file);
      const { found, measured: here } = await page.evaluate(disorder);
      assert.deepEqual(found, [], file);
      for (const text of here) measured.add(text);
      const [[, browserAt] = [], [, systemAt] = []] = await page.evaluate(placesOf, ["Firefox", "Linux"]);
      assert.ok(systemAt === undefined || systemAt < browserAt, `${file}: the browser, then its system`);
    }
    const data = [
      ...["6744 6501 3046 0532", "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP", "00000000-0000-4000-8000-000000000000"],
      ...["+44 20 7946 0000", "https://www.example.org/ada/", "ada@example.org", "192.0.2.7", "wiki.example.org"],
      ...["https://api.example.org", "https://id.example.org", "wiki:read", "ada", "Our wiki", "My phone", "staff"],
    ];
    assert.deepEqual(
      data.filter((text) => !measured.has(text)),
      [],
    );
  });

  it("Arabic: axe-core finds nothing [A11Y-7]", async () => {
    for (const file of withoutOthers(await translated("axe", "ar"))) {
      await visit(page, file);
      await page.evaluate(AXE);
      // The foot with the languages stands on the glow of the page, where axe-core cannot tell the contrast.
      const found = (await page.evaluate(axe)).filter((text) => !text.includes("background gradient"));
      assert.deepEqual(found, [], file);
    }
  });
});

describe("languages in a browser", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo({ config: { templates: join(BUILD, "templates") } }));
    browser = owned(await openBrowser());
  });

  it("a sign-in in the browser's language, and in another by the foot [I18N-5, I18N-12]", async () => {
    await watched(browser, deployment, { javaScriptEnabled: false, locale: "de-AT" }, async (page) => {
      await page.goto(authorizationUrl(deployment));
      assert.equal(await page.getAttribute("html", "lang"), "de");
      await page.fill("#username", "dana");
      await page.getByRole("button", { name: "Français" }).click();
      assert.equal(await page.getAttribute("html", "lang"), "fr");
      assert.equal(await page.inputValue("#username"), "dana");
      await signIn(page);
      await page.waitForSelector("#approve");
      assert.equal(await page.getAttribute("html", "lang"), "fr");
      await page.getByRole("link", { name: "العربية" }).click();
      assert.equal(await page.getAttribute("html", "dir"), "rtl");
      await page.waitForSelector("#approve");
    });
  });
});
