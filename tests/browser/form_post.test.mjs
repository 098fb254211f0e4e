// The page of response_mode=form_post in a browser: it sends itself, and by its button where scripts are off.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { authorizationUrl, openBrowser, openDemo, signIn, watched } from "./browser.mjs";

const STATE = `"'<>&\\ %25 {{x}} \u202e\u00e9\u{1f6aa}${"s".repeat(1000)}`;

describe("response_mode=form_post", () => {
  let deployment;
  let browser;
  prepared(async (owned) => {
    deployment = owned(await openDemo());
    browser = owned(await openBrowser());
  });

  const url = (parameters = {}) =>
    authorizationUrl(deployment, { response_mode: "form_post", state: STATE, ...parameters });

  /// What the client's redirect_uri is sent; it answers itself, so that nothing depends on what serves it.
  async function posted(page) {
    const request = page.waitForRequest((r) => r.method() === "POST" && r.url() === `${deployment.origin}/demo/`);
    await page.route(`${deployment.origin}/demo/`, (route) =>
      route.fulfill({ status: 200, contentType: "text/html", body: "<p>client</p>" }),
    );
    return request;
  }

  const withPage = (options, use) => watched(browser, deployment, options, use);

  function check(request, names) {
    assert.equal(request.headers()["content-type"], "application/x-www-form-urlencoded");
    const fields = new URLSearchParams(request.postData());
    assert.deepEqual([...fields.keys()], names);
    assert.equal(fields.get("state"), STATE);
    assert.equal(fields.get("iss"), deployment.issuer);
  }

  it("with scripts the form submits itself, and the policy allows the script [Form Post §2bc]", () =>
    withPage({}, async (page) => {
      const request = posted(page);
      await page.goto(url());
      await signIn(page);
      await page.click("#approve");
      check(await request, ["code", "state", "iss"]);
    }));

  it("without scripts the button sends the same [Form Post §2c]", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      const request = posted(page);
      await page.goto(url());
      await signIn(page);
      await page.waitForSelector("#approve, #continue");
      if (await page.$("#approve")) await page.click("#approve");
      await page.click("#continue");
      check(await request, ["code", "state", "iss"]);
    }));

  it("errors take the same way [Form Post §2d]", () =>
    withPage({}, async (page) => {
      const request = posted(page);
      await page.goto(url({ prompt: "none" }));
      check(await request, ["error", "error_description", "state", "iss"]);
    }));
});
