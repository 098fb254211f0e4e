// What a real browser lets a page of another site read (the Fetch standard): preflights, errors, hidden headers.
// tests/clients/oidc_client_ts.test.mjs has a whole application on an origin of its own.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { Deployment } from "../support/deployment.mjs";
import { listening } from "../support/listening.mjs";
import { prepared } from "../support/prepared.mjs";
import { openBrowser } from "./browser.mjs";

/// An empty page on an origin of its own.
const openSite = () =>
  listening(createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<title>site</title>")));

/// Runs in the page: what a script there gets to know of an answer, or "unreadable".
async function read({ url, method = "GET", headers = {}, body, credentials }) {
  try {
    const answer = await fetch(url, { method, headers, body, credentials });
    const challenge = answer.headers.get("WWW-Authenticate");
    const text = await answer.text();
    return {
      status: answer.status,
      challenge,
      id: answer.headers.get("X-Request-Id"),
      error: text ? (JSON.parse(text).error ?? null) : null,
    };
  } catch {
    return "unreadable";
  }
}

/// What tracing, older libraries and a reload without the cache add to each request of a page.
const MORE_HEADERS = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "x=y",
  baggage: "x=y",
  "sentry-trace": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
  "X-Requested-With": "XMLHttpRequest",
  "Cache-Control": "no-cache",
  Pragma: "no-cache",
};

describe("pages of other sites", () => {
  let deployment;
  let browser;
  let application;
  let stranger;
  const form = (fields) => ({
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });

  prepared(async (owned) => {
    [application, stranger] = [owned(await openSite()), owned(await openSite())];
    deployment = owned(await Deployment.start({ tls: false }));
    await deployment.addClient("app", `${application.origin}/callback`, "--public");
    browser = owned(await openBrowser());
  });

  async function ask(site, request) {
    const page = await browser.newPage();
    try {
      await page.goto(site.origin);
      return await page.evaluate(read, { ...request, url: deployment.issuer + request.path });
    } finally {
      await page.close();
    }
  }

  const rows = [
    {
      what: "a refused code",
      status: 400,
      error: "invalid_grant",
      request: {
        path: "/token",
        ...form({
          grant_type: "authorization_code",
          client_id: "app",
          code: "x",
          code_verifier: "x".repeat(43),
          redirect_uri: "http://x",
        }),
      },
    },
    {
      what: "an unknown client",
      status: 401,
      error: "invalid_client",
      request: { path: "/token", ...form({ grant_type: "authorization_code", client_id: "nobody", code: "x" }) },
    },
    {
      what: "a revocation",
      status: 200,
      error: null,
      request: { path: "/token/revoke", ...form({ token: "x", client_id: "app" }) },
    },
    {
      what: "UserInfo with a bad token, after a preflight",
      status: 401,
      error: "invalid_token",
      challenge: /^Bearer error="invalid_token"/,
      request: { path: "/userinfo", headers: { Authorization: "Bearer x" } },
    },
    {
      what: "a wrong method, after a preflight",
      status: 405,
      error: "invalid_request",
      request: { path: "/token", headers: { Authorization: "Basic eDp5" } },
    },
  ];
  for (const { what, request, status, error, challenge } of rows) {
    it(`${what}: a registered page reads it, another page does not`, async () => {
      const seen = await ask(application, request);
      assert.equal(seen.status, status);
      assert.equal(seen.error, error);
      assert.match(seen.id, /^[0-9a-z]{12}$/);
      if (challenge) assert.match(seen.challenge, challenge);
      assert.equal(await ask(stranger, request), "unreadable");
      // keycloak-js and others send cookies along.
      const more = { ...request, headers: { ...request.headers, ...MORE_HEADERS }, credentials: "include" };
      assert.deepEqual({ ...(await ask(application, more)), id: seen.id }, seen);
      assert.equal(await ask(stranger, more), "unreadable");
    });
  }

  for (const path of ["/.well-known/openid-configuration", "/jwks"]) {
    it(`${path}: any page reads it, after a preflight too`, async () => {
      assert.equal((await ask(stranger, { path })).status, 200);
      const headers = { ...MORE_HEADERS, Authorization: "Bearer x" };
      assert.equal((await ask(stranger, { path, headers })).status, 200);
      assert.equal((await ask(stranger, { path, headers, credentials: "include" })).status, 200);
    });
  }

  it("introspection: no page reads it", async () => {
    for (const credentials of ["omit", "include"]) {
      const request = { path: "/token/introspect", ...form({ token: "x" }), credentials };
      assert.equal(await ask(application, request), "unreadable");
    }
  });
});
