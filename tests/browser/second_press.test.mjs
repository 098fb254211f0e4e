// A second press on "Sign in" or "Allow" while the first is on its way, with an application that redeems its code at
// once and answers a second later.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { PERSON, authorizationUrl, openBrowser, openDemo, redeem, signIn } from "./browser.mjs";

const SLOW = 1000; // milliseconds
const BETWEEN = 300; // of the presses

/// What the browser is sent to: `calls` has { code, status } of each call, the status that of the token endpoint.
async function startApplication(statusOf) {
  const calls = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (url.pathname !== "/callback") return response.writeHead(404).end();
    const call = { code: url.searchParams.get("code") };
    calls.push(call);
    call.status = await statusOf(call.code);
    await sleep(SLOW);
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><title>Application</title><h1>${call.status === 200 ? "Welcome" : "Refused"}</h1>`);
  });
  const { origin, close } = await listening(server);
  return { calls, redirectUri: `${origin}/callback`, close };
}

describe("a second press", () => {
  let deployment;
  let browser;
  let application;
  prepared(async (owned) => {
    deployment = owned(await openDemo());
    browser = owned(await openBrowser());
    application = owned(await startApplication(statusOf));
    await deployment.addClient("slow", application.redirectUri, "--public");
  });
  beforeEach(() => application.calls.splice(0));

  async function statusOf(code) {
    const parameters = { client_id: "slow", redirect_uri: application.redirectUri };
    return (await redeem(deployment, code, parameters)).status;
  }

  async function withPage(options, use) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(60_000);
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  const url = (parameters = {}) =>
    authorizationUrl(deployment, { client_id: "slow", redirect_uri: application.redirectUri, ...parameters });
  const heading = (page, text) => page.getByRole("heading", { level: 1, name: text }).waitFor();

  /// With the mouse, which waits for no answer.
  async function press(page, selector, times) {
    const { x, y, width, height } = await page.locator(selector).boundingBox();
    for (let left = times; left > 0; --left) {
      await page.mouse.click(x + width / 2, y + height / 2);
      await sleep(BETWEEN);
    }
  }

  it("has no effect with scripts: the application is called once and welcomes the person", () =>
    withPage({}, async (page) => {
      await page.goto(url());
      await page.fill("#username", PERSON.username);
      await page.fill("#password", PERSON.password);
      await page.dblclick("#login");
      await page.waitForSelector("#approve");
      await press(page, "#approve", 3);
      await heading(page, "Welcome");
      assert.deepEqual(
        application.calls.map(({ status }) => status),
        [200],
      );
    }));

  it("is a first one with scripts after the way back, and for a form that was refused", () =>
    withPage({}, async (page) => {
      await page.goto(url());
      await signIn(page);
      await page.waitForSelector("#approve");
      await page.goBack();
      await signIn(page, "wrong");
      await page.waitForSelector("#problem");
      await signIn(page);
      await page.waitForSelector("#approve");
      await page.click("#approve");
      await heading(page, "Welcome");
    }));

  it("too late without scripts: nothing is redeemed twice, and one more press ends at the application", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(url());
      await signIn(page);
      await page.waitForSelector("#approve");
      await press(page, "#approve", 2);
      await heading(page, "This sign-in is finished already");
      await page.click("#try-again");
      await page.click("#approve");
      await heading(page, "Welcome");
      const [first, second, ...more] = application.calls;
      assert.deepEqual([first.status, second.status, more], [200, 200, []]);
      assert.notEqual(first.code, second.code);
    }));
});
