// A client that sends people on: from its redirect URI to another host of its own. Chromium applies the policy of the
// page with the form to every address that answering the form leads to.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { openBrowser, openDemo, signIn } from "./browser.mjs";

/// A site that answers every request by `answer`, on a port of its own of another name for this machine.
const site = (answer) => listening(createServer(answer), { host: "localhost" });

describe("a client that has two hosts", () => {
  let deployment;
  let browser;
  let second;
  let first;
  prepared(async (owned) => {
    second = owned(
      await site((request, response) => response.setHeader("content-type", "text/html").end("<title>Arrived</title>")),
    );
    first = owned(
      await site((request, response) =>
        response.writeHead(302, { location: `${second.origin}/home${new URL(request.url, "http://x").search}` }).end(),
      ),
    );
    deployment = owned(await openDemo());
    await deployment.addClient("hop", `${first.origin}/cb`, "--public");
    browser = owned(await openBrowser());
  });

  it("the forms of login and consent lead all the way there, and nothing is blocked [H04]", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => {
      if (/Content.Security.Policy|form-action|Refused to/i.test(message.text())) complaints.push(message.text());
    });
    const query = new URLSearchParams({
      client_id: "hop",
      redirect_uri: `${first.origin}/cb`,
      response_type: "code",
      scope: "openid",
      state: "s-2",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    for (const visit of ["a login and a consent", "a consent alone"]) {
      await page.goto(`${deployment.issuer}/authorize?${query}`);
      if (visit === "a login and a consent") await signIn(page);
      await page.click("#approve");
      await page.waitForURL(`${second.origin}/home?*`);
      assert.equal(await page.title(), "Arrived", visit);
      const arrived = new URL(page.url()).searchParams;
      assert.ok(arrived.get("code"));
      assert.equal(arrived.get("state"), "s-2");
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
