// A logout that tells applications in frames: what reaches them, what they may not do, and where the page goes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { describe, it } from "node:test";
import { listening } from "../support/listening.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { makeCertificate } from "../support/web_server.mjs";
import { authorizationUrl, openBrowser, openDemo, signIn } from "./browser.mjs";

const PAGES = {
  "/frontchannel": "<script>document.cookie = 'a=b'; fetch('/heard' + location.search)</script>",
  "/greedy":
    "<script>top.location = '/taken'</script><a href='/taken' target=_top id=go></a><script>go.click()</script>",
};

/// An application that notes what it is asked for. `/away` leads to the same server by another name.
async function application(tls) {
  const asked = [];
  const server = createServer(tls, (incoming, response) => {
    asked.push(incoming.url);
    const { pathname } = new URL(incoming.url, "https://x");
    if (pathname === "/away") return response.writeHead(302, { location: `https://127.0.0.1:${port}/elsewhere` }).end();
    response.writeHead(200, { "content-type": "text/html" }).end(PAGES[pathname] ?? `<title>${pathname}</title>`);
  });
  const { port, origin, close } = await listening(server, { scheme: "https", host: "localhost" });
  return { asked, origin, close, askedFor: (path) => asked.filter((url) => url.startsWith(path)) };
}

describe("a logout that tells applications", () => {
  let deployment;
  let browser;
  const applications = {};
  prepared(async (owned) => {
    const { certificate, key } = await makeCertificate(temporaryDirectory());
    const tls = { cert: readFileSync(certificate), key: readFileSync(key) };
    deployment = owned(await openDemo({ tls: true, config: { frontchannelLogout: true } }));
    for (const [id, path] of Object.entries({ one: "/frontchannel?a=1", greedy: "/greedy", away: "/away" })) {
      const { origin } = (applications[id] = owned(await application(tls)));
      await deployment.addClient(
        id,
        `${origin}/cb`,
        ...["--public", "--first-party", "--frontchannel-logout-uri", origin + path],
        ...["--post-logout-redirect-uri", `${origin}/bye;it's?x='1';url=y`],
      );
    }
    browser = owned(await openBrowser());
  });

  /// Signs the browser in at the application, and returns the ID token.
  async function enter(page, id) {
    const redirectUri = `${applications[id].origin}/cb`;
    await page.goto(authorizationUrl(deployment, { client_id: id, redirect_uri: redirectUri, scope: "openid" }));
    if (await page.locator("#password").count()) await signIn(page);
    await page.waitForURL(`${redirectUri}?*`);
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code: new URL(page.url()).searchParams.get("code"),
      client_id: id,
      redirect_uri: redirectUri,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", // RFC 7636 Appendix B
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
    const answer = await request(`${deployment.issuer}/token`, { method: "POST", headers, body, ca: deployment.ca });
    return JSON.parse(answer.body).id_token;
  }

  it("each has a frame with iss and sid, none takes the page away, and it goes on [FCL-1, FCL-3]", async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const blocked = [];
    page.on("console", (message) => {
      if (/Content.Security.Policy/i.test(message.text())) blocked.push(message.text());
    });
    const idToken = await enter(page, "one");
    for (const id of ["greedy", "away"]) await enter(page, id);
    const { one, greedy, away } = applications;
    const query = new URLSearchParams({
      id_token_hint: idToken,
      post_logout_redirect_uri: `${one.origin}/bye;it's?x='1';url=y`,
      state: `a;url='"<&>`,
    });
    await page.goto(`${deployment.issuer}/logout?${query}`);
    assert.equal(await page.title(), "You are signed out");
    assert.equal(await page.locator("iframe").count(), 3);
    assert.equal(await page.locator("iframe:visible").count(), 0);
    await page.waitForURL(`${one.origin}/bye**`);

    const arrived = new URL(page.url());
    assert.equal(arrived.pathname, "/bye;it's");
    assert.equal(arrived.searchParams.get("x"), "'1';url=y");
    assert.equal(arrived.searchParams.get("state"), `a;url='"<&>`);
    const { sid } = JSON.parse(Buffer.from(idToken.split(".")[1], "base64url"));
    const parameters = new URLSearchParams({ iss: deployment.issuer, sid });
    assert.deepEqual(one.askedFor("/frontchannel"), [`/frontchannel?a=1&${parameters}`]);
    assert.deepEqual(one.askedFor("/heard"), [`/heard?a=1&${parameters}`], "the application's script ran");
    for (const told of [greedy, away]) {
      const [path] = told.asked.filter((url) => url.includes("sid="));
      assert.ok(path.endsWith(`?${parameters}`), path);
      assert.deepEqual(told.askedFor("/taken"), []);
      assert.deepEqual(told.askedFor("/elsewhere"), [], "the policy stops a frame that leaves its origin");
    }
    assert.equal(blocked.length, 1, blocked.join("\n"));
    assert.match(blocked[0], /127\.0\.0\.1/);
    await context.close();
  });
});
