// Several tabs that open at the same moment in a browser without a cookie of ours, as when a browser restores its tabs
// in the morning. A proxy that speaks HTTP/2, so that the browser asks for all of them at once, holds the first answers
// back and lets them go in an order of its own.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import http2 from "node:http2";
import { describe, it } from "node:test";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { freePort, makeCertificate } from "../support/web_server.mjs";
import { authorizationUrl, openBrowser, openDemo, signIn } from "./browser.mjs";

/// Stands in front of `upstream()` and is the application as well, at /callback. hold(count, order) keeps the next
/// answers of authorize until there are `count`; `order` sorts their numbers, and each goes when the one before was
/// sent.
async function startProxy(certificate, port, upstream) {
  let wanted = 0;
  let order;
  let held = [];
  const letGo = async () => {
    const all = order(held.map((_, place) => place));
    const answers = held;
    [wanted, held] = [0, []];
    for (const place of all) await answers[place]();
  };
  const server = http2.createSecureServer(
    { key: await readFile(certificate.key), cert: await readFile(certificate.certificate) },
    (request, response) => {
      const url = new URL(request.url, "https://127.0.0.1");
      if (url.pathname === "/callback")
        return response.end(`<!doctype html><title>Arrived</title><h1>${url.searchParams.get("state")}</h1>`);
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !name.startsWith(":")));
      const outgoing = http.request(
        new URL(request.url, upstream()),
        { method: request.method, headers: { ...headers, host: request.headers[":authority"] } },
        (answer) => {
          const send = () =>
            new Promise((sent) => {
              const { connection, "transfer-encoding": chunked, "keep-alive": alive, ...kept } = answer.headers;
              response.on("close", sent).writeHead(answer.statusCode, kept);
              answer.pipe(response);
            });
          if (wanted === 0 || url.pathname !== "/authorize" || url.searchParams.has("resume")) return send();
          held.push(send);
          return held.length === wanted ? letGo() : undefined;
        },
      );
      outgoing.on("error", () => response.destroy());
      request.pipe(outgoing);
    },
  );
  await new Promise((resolve, failed) => server.on("error", failed).listen(port, "127.0.0.1", resolve));
  const sessions = new Set();
  server.on("session", (session) => sessions.add(session));
  return {
    hold(count, sorted) {
      [wanted, order] = [count, sorted];
    },
    stop() {
      for (const session of sessions) session.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const ORDERS = {
  "the first tab's answer first": (places) => places,
  "the last tab's answer first": (places) => [...places].reverse(),
};

describe("tabs that open at once", () => {
  let directory;
  let proxy;
  let deployment;
  let browser;
  let issuer;
  prepared(async (owned) => {
    directory = temporaryDirectory();
    const port = await freePort();
    issuer = `https://127.0.0.1:${port}`;
    proxy = owned(await startProxy(await makeCertificate(directory), port, () => deployment.origin));
    deployment = owned(await openDemo({ config: { issuer } }));
    for (const [id, ...options] of [["own", "--first-party"], ["asks"]])
      await deployment.addClient(id, `${issuer}/callback`, "--public", ...options);
    browser = owned(await openBrowser());
  });

  const url = (client, state) =>
    authorizationUrl(
      { issuer, origin: issuer },
      {
        client_id: client,
        redirect_uri: `${issuer}/callback`,
        state,
        ...(client === "asks" ? { prompt: "consent" } : {}),
      },
    );
  const arrived = (tab, state) => tab.getByRole("heading", { level: 1, name: state, exact: true }).waitFor();

  async function withContext(use) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    context.setDefaultTimeout(60_000);
    try {
      await use(context);
    } finally {
      await context.close();
    }
  }

  /// `count` tabs whose requests are all sent before an answer comes.
  async function openAtOnce(context, client, count, order) {
    const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()));
    proxy.hold(count, order);
    await Promise.all(tabs.map((tab, number) => tab.goto(url(client, `tab ${number}`))));
    return tabs;
  }

  const ofBrowser = async (context) => (await context.cookies()).filter(({ name }) => name.includes("-browser-"));

  for (const [when, order] of Object.entries(ORDERS))
    it(`six without a session, ${when}: each ends at its application`, () =>
      withContext(async (context) => {
        const tabs = await openAtOnce(context, "own", 6, order);
        assert.equal((await ofBrowser(context)).length, 6);
        for (const [number, tab] of tabs.entries()) {
          // The first has signed in: the others send the form that they have, or load their page again.
          await tab.bringToFront(); // one in the background is slow
          if (number % 3 === 2) await tab.reload();
          await signIn(tab);
          await arrived(tab, `tab ${number}`);
        }
        // From now on there is a session, and all of them are at their application at once.
        const further = await openAtOnce(context, "own", 6, order);
        for (const [number, tab] of further.entries()) await arrived(tab, `tab ${number}`);
        assert.equal((await ofBrowser(context)).length, 6, "nothing was planted beside them");
      }));

  for (const [when, order] of Object.entries(ORDERS))
    it(`six with a session, whose browser's cookie is gone, ${when}: each takes its answer`, () =>
      withContext(async (context) => {
        const first = await context.newPage();
        await first.goto(url("own", "first"));
        await signIn(first);
        await arrived(first, "first");
        await context.clearCookies({ name: /-browser-/ });
        const tabs = await openAtOnce(context, "asks", 6, order);
        assert.equal((await ofBrowser(context)).length, 6);
        for (const [number, tab] of tabs.entries()) {
          await tab.click("#approve");
          await arrived(tab, `tab ${number}`);
        }
      }));

  it("a link of one of them is refused in another browser, which can begin a sign-in of its own", () =>
    withContext(async (context) => {
      const [tab] = await openAtOnce(context, "own", 2, ORDERS["the last tab's answer first"]);
      await withContext(async (other) => {
        const page = await other.newPage();
        await page.goto(tab.url());
        await page.getByRole("heading", { level: 1, name: "This browser does not know this sign-in" }).waitFor();
        await page.getByText("do not continue").waitFor();
        await page.click("#try-again");
        await signIn(page);
        await arrived(page, "tab 0");
      });
      await signIn(tab); // what the other browser did is not of this request
      await arrived(tab, "tab 0");
    }));
});
