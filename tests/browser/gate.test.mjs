// A browser in front of a site that the gate protects: tabs, forms, accounts, languages and small screens.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { behindNginx } from "../servers/gate_fronts.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { PERSON, openBrowser, signIn } from "./browser.mjs";
import { AXE, NARROW, cutOff, findings } from "./inspect.mjs";

const OTHER = { username: "erin", password: "another quiet gate" };
const TABS = 10;
const SESSION_TTL = 3600;

describe("a site in a browser", () => {
  let front;
  let browser;
  prepared(async (owned) => {
    const config = { templates: join(BUILD, "templates"), sessionTTL: SESSION_TTL, sessionIdleTTL: SESSION_TTL };
    front = owned(await behindNginx({ clock: true, config }));
    const { deployment } = front;
    await deployment.addUser(PERSON.username, PERSON.password, PERSON.claims);
    await deployment.addUser(OTHER.username, OTHER.password);
    await deployment.postern(["site", "add", "wiki", "--name", "Our wiki", "--url", `${front.url}/`]);
    browser = owned(await openBrowser());
  });

  /// A browser that was never here.
  async function fresh(use, options = {}) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en", ...options });
    context.setDefaultTimeout(60_000);
    try {
      return await use(context, await context.newPage());
    } finally {
      await context.close();
    }
  }
  const at = (path) => front.url + path;
  const arrived = (page, path) => page.getByRole("heading", { level: 1, name: path, exact: true }).waitFor();
  const isAtSignIn = (page) => page.waitForSelector("#password");
  async function enter(page, path, person = PERSON) {
    await page.goto(at(path));
    await signIn(page, person.password, person.username);
    await arrived(page, path);
  }
  const endSessions = ({ username }) => front.deployment.postern(["session", "end", "--user", username]);

  /// The first of the tabs signs in, the others load their page again, and each is where it wanted to be.
  async function signInOnce(tabs) {
    for (const tab of tabs) await isAtSignIn(tab);
    for (const [number, tab] of tabs.entries()) {
      await tab.bringToFront(); // one in the background is slow
      if (number === 0) await signIn(tab);
      else await tab.reload();
      if (await tab.locator("#password").count()) await signIn(tab); // or sends the form that it has
      await arrived(tab, `/tab-${number}`);
    }
  }

  it(`${TABS} tabs at once on a first visit: each ends where it wanted to be [GATE-23]`, () =>
    fresh(async (context, page) => {
      const tabs = [page, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => context.newPage())))];
      await Promise.all(tabs.map((tab, number) => tab.goto(at(`/tab-${number}`))));
      await signInOnce(tabs);
    }));

  it(`${TABS} tabs at once, the session gone overnight: each ends where it wanted to be [GATE-23]`, () =>
    fresh(async (context, page) => {
      await enter(page, "/tab-0");
      const tabs = [page, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => context.newPage())))];
      await Promise.all(tabs.map((tab, number) => tab.goto(at(`/tab-${number}`))));
      for (const [number, tab] of tabs.entries()) await arrived(tab, `/tab-${number}`);
      await front.deployment.advance(SESSION_TTL + 60);
      await Promise.all(tabs.map((tab) => tab.reload()));
      await signInOnce(tabs);
    }));

  it(`${TABS} tabs at once, with a session and without the site's cookies: nobody is asked [GATE-22, GATE-23]`, () =>
    fresh(async (context, page) => {
      await enter(page, "/tab-0");
      await context.clearCookies({ name: /-gate-/ });
      const tabs = [page, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => context.newPage())))];
      await Promise.all(tabs.map((tab, number) => tab.goto(at(`/tab-${number}`))));
      for (const [number, tab] of tabs.entries()) await arrived(tab, `/tab-${number}`);
    }));

  it("a form that meets an ended session says so, and leads back to its page [GATE-24]", () =>
    fresh(async (context, page) => {
      await enter(page, "/edit?page=7");
      await page.fill("#text", "a long text");
      await endSessions(PERSON);
      const [answer] = await Promise.all([
        page.waitForResponse((one) => one.url() === at("/sent")),
        page.click("#send"),
      ]);
      assert.equal(answer.status(), 401);
      await page.waitForSelector("#try-again");
      assert.equal(await page.locator("#back").getAttribute("href"), at("/edit?page=7"));
      await page.click("#try-again");
      await signIn(page);
      await arrived(page, "/edit?page=7");
    }));

  it("a user for whom the site is not can be somebody else [GATE-16, GATE-25]", () =>
    fresh(async (context, page) => {
      await front.deployment.postern(["site", "set", "wiki", "--allow-user", OTHER.username]);
      try {
        await page.goto(at("/only"));
        await signIn(page);
        await page.waitForSelector("#other-account");
        assert.match(await page.textContent("main"), /dana/i);
        await page.click("#other-account");
        await isAtSignIn(page);
        await signIn(page, OTHER.password, OTHER.username);
        await arrived(page, "/only");
      } finally {
        await front.deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
      }
      // And who was there before the rule: the refusal has no address of its own.
      await fresh(async (_, other) => {
        await enter(other, "/before");
        await front.deployment.postern(["site", "set", "wiki", "--allow-user", OTHER.username]);
        try {
          const answer = await other.reload();
          assert.deepEqual([answer.status(), other.url()], [403, at("/before")]);
          await other.click("#other-account");
          await signIn(other, OTHER.password, OTHER.username);
          await arrived(other, "/before");
        } finally {
          await front.deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
        }
      });
    }));

  it("the way back in the history is no dead end [GATE-23]", () =>
    fresh(async (context, page) => {
      await enter(page, "/first");
      await page.goto(at("/second"));
      await arrived(page, "/second");
      await page.goBack();
      await arrived(page, "/first");
      // To the sign-in, which is over: it leads to where the user already is, or says that it is.
      await page.goBack().catch(() => {});
      await page.goForward().catch(() => {});
      await page.goto(at("/third"));
      await arrived(page, "/third");
    }));

  it("signing out ends on a page that says so, and the next visit is a sign-in [GATE-25]", () =>
    fresh(async (context, page) => {
      await enter(page, "/page");
      await page.goto(at("/.postern/logout"));
      await page.click("#cancel");
      await page.waitForURL(at("/"));
      await page.goto(at("/.postern/logout"));
      await page.click("#logout");
      await page.waitForURL(at("/.postern/logout?done"));
      assert.match(await page.textContent("main"), /You are signed out/);
      await page.goto(at("/page"));
      await isAtSignIn(page);
    }));

  for (const [locale, dir] of [
    ["de", "ltr"],
    ["ar", "rtl"],
  ])
    it(`pages in the browser's language: ${locale}, on a telephone, for everybody [GATE-16, GATE-24, GATE-25]`, () =>
      fresh(
        async (context, page) => {
          const nothing = async (what) => {
            const page_ = await page.evaluate(() => [
              document.documentElement.lang,
              document.dir || document.documentElement.dir,
            ]);
            assert.deepEqual(page_, [locale, dir === "rtl" ? "rtl" : page_[1]], what);
            assert.deepEqual(await page.evaluate(cutOff), [], what);
            await page.evaluate(AXE);
            assert.deepEqual(await page.evaluate(findings), [], what);
          };
          await enter(page, "/page");
          await page.goto(at("/.postern/logout"));
          await nothing("the question");
          await page.goto(at("/page"));
          await front.deployment.postern(["site", "set", "wiki", "--allow-user", OTHER.username]);
          try {
            await page.reload();
            await page.waitForSelector("#other-account");
            await nothing("the refusal");
          } finally {
            await front.deployment.postern(["site", "set", "wiki", "--allow-everyone"]);
          }
          await page.goto(at("/page"));
          await arrived(page, "/page");
          await endSessions(PERSON);
          await page.click("#send");
          await page.waitForSelector("#try-again");
          await nothing("the form");
          await enter(page, "/page");
          await page.goto(at("/.postern/logout"));
          await page.click("#logout");
          await page.waitForURL(at("/.postern/logout?done"));
          await nothing("the end");
          await page.goto(at("/.postern/callback?state=x"));
          await nothing("an error");
        },
        { locale, viewport: NARROW, isMobile: true },
      ));

  it("without JavaScript all of it works", () =>
    fresh(
      async (context, page) => {
        await enter(page, "/page");
        await page.fill("#text", "typed");
        await page.click("#send");
        await arrived(page, "/sent");
        await page.goto(at("/.postern/logout"));
        await page.click("#logout");
        await page.waitForURL(at("/.postern/logout?done"));
      },
      { javaScriptEnabled: false },
    ));
});
