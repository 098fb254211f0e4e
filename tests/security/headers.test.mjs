// The headers of every kind of answer: what may be kept, framed, run, told to the next site and read by another one.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { basicOf, openProvider } from "./provider.mjs";

const POLICY_PART =
  /^((default-src|base-uri|frame-ancestors) 'none'|(style|script)-src 'sha256-[A-Za-z0-9+/=]+'|img-src data:)$/;
const PAGE_POLICY = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
const ENDPOINTS = [
  "/authorize",
  "/login",
  "/scopes",
  "/logout",
  "/token",
  "/token/introspect",
  "/token/revoke",
  "/userinfo",
  "/jwks",
  "/.well-known/openid-configuration",
];
const PUBLIC = ["/jwks", "/.well-known/openid-configuration"];
const APP = "https://app.example";

describe("headers of answers", () => {
  let p;
  let answers; // [what, answer] of each endpoint, good and bad
  let pages; // those that a person sees
  before(async () => {
    p = await openProvider();
    answers = await everyKind();
    pages = answers.filter(([, { headers }]) => headers["content-type"]?.startsWith("text/html"));
  });
  after(async () => {
    await p?.stop();
  });

  async function everyKind() {
    const { web, spa } = p.clients;
    const tokens = await p.tokens(web);
    const rows = [];
    const browser = p.person();
    browser.send = ((send) => async (url, options) => {
      const answer = await send(url, options);
      rows.push([`${options.method} ${new URL(url).pathname} ${answer.status}`, answer]);
      return answer;
    })(browser.send);
    let page = await browser.visit(p.authorizationUrl(web, { prompt: "consent" }));
    page = await browser.signIn(page, p.user.username, "wrong");
    page = await browser.signIn(page, p.user.username, p.user.password);
    await browser.deny(page);
    await p.walk(browser, p.authorizationUrl(web, { response_mode: "form_post" }));
    await browser.visit(`${p.issuer}/logout`);
    await browser.visit(`${p.issuer}/login?resume=x`);
    const add = async (what, answer) => rows.push([what, await answer]);
    const authorization = basicOf(web.id, web.secret);
    for (const query of [
      "",
      "?client_id=nobody",
      "?client_id=web&redirect_uri=https%3A%2F%2Fevil.example",
      "?resume=x",
    ])
      await add(`authorize ${query}`, p.ask(`/authorize${query}`));
    await add("authorize, an error for the client", p.ask(p.authorizationUrl(web, { response_type: "x" })));
    await add("tokens", p.exchange(web, await p.code(web)));
    await add("tokens by refreshing", p.refresh(web, (await p.tokens(web)).refresh_token));
    await add("tokens of nobody", p.post("/token", { grant_type: "client_credentials" }));
    await add("a bad grant", p.post("/token", { grant_type: "authorization_code", code: "x" }, { client: web }));
    for (const path of ["/token/introspect", "/token/revoke"]) {
      await add(
        `${path}, good`,
        p.post(path, { token: tokens.access_token }, { client: path.endsWith("revoke") ? spa : web }),
      );
      await add(`${path}, nobody`, p.post(path, { token: tokens.access_token }));
      await add(`${path}, malformed`, p.post(path, "", { client: web }));
    }
    await add("userinfo", p.userinfo((await p.tokens(web)).access_token));
    await add("userinfo, bad token", p.userinfo("x"));
    for (const path of ENDPOINTS) {
      await add(`${path} by PUT`, p.ask(path, { method: "PUT", headers: { authorization, "content-length": 0 } }));
      await add(`${path} by GET`, p.ask(path));
      await add(`${path} with too long a query`, p.ask(`${path}?${"a=1&".repeat(200)}`));
    }
    return rows;
  }

  it("nothing is kept but the public documents [H01]", () => {
    assert.ok(answers.length > 40);
    for (const [what, { status, headers }] of answers) {
      const isPublic = PUBLIC.some((path) => what.startsWith(path)) && (status === 200 || status === 304);
      assert.deepEqual(
        [headers["cache-control"], headers.pragma],
        isPublic ? ["public, max-age=3600", undefined] : ["no-store", "no-cache"],
        what,
      );
    }
    for (const path of ["/token", "/token/introspect", "/token/revoke", "/userinfo"])
      assert.ok(answers.some(([what]) => what.startsWith(path)));
  });

  it("pages are in no frame [H02]", () => {
    assert.ok(pages.length > 10);
    for (const [what, { headers }] of pages) {
      assert.equal(headers["x-frame-options"], "DENY", what);
      assert.match(headers["content-security-policy"], /frame-ancestors 'none'/, what);
    }
  });

  it("pages run and load nothing but what stands in them under its hash [H03]", () => {
    for (const [what, { headers, body }] of pages) {
      const policy = headers["content-security-policy"].split("; ");
      for (const part of PAGE_POLICY) assert.ok(policy.includes(part), `${what}: ${policy}`);
      for (const part of policy) assert.match(part, POLICY_PART, what);
      const script = /<script/.test(body);
      assert.equal(
        policy.some((part) => part.startsWith("script-src")),
        script,
        `${what}: ${policy}`,
      );
      assert.doesNotMatch(body, /\son\w+=|javascript:|<(?:img|iframe|object|embed|script)[^>]+src=/i, what);
    }
    assert.ok(
      pages.some(([, { body }]) => body.includes("<script")),
      "the form that sends itself is among them",
    );
  });

  it("no policy names where a form may lead: browsers apply it to every redirect behind it [H04]", () => {
    for (const [what, { headers }] of answers)
      assert.doesNotMatch(headers["content-security-policy"] ?? "", /form-action/, what);
  });

  it("no address is disclosed to the next site, and none of another site is in a page [H05]", () => {
    for (const [what, { headers, body }] of answers) {
      assert.equal(headers["referrer-policy"], "no-referrer", what);
      for (const [, url] of headers["content-type"]?.startsWith("text/html")
        ? body.matchAll(/\s(?:src|href|srcset|poster|background)="([^"]*)"/g)
        : [])
        assert.match(url, /^(#|data:)/, what);
    }
  });

  it("an https issuer is https for a year [H06]", () => {
    for (const [what, { headers }] of answers)
      assert.match(headers["strict-transport-security"], /^max-age=31536000$/, what);
  });

  it("what a person visits is readable by no other site, asked before or not [H07]", async () => {
    for (const path of ["/authorize", "/login", "/scopes", "/logout"]) {
      for (const origin of [APP, "https://x.example", "null", p.issuer]) {
        for (const [method, more] of [
          ["GET", {}],
          ["POST", { "content-length": 0 }],
          ["OPTIONS", { "access-control-request-method": "GET" }],
        ]) {
          const { headers } = await p.ask(path, { method, headers: { origin, ...more } });
          assert.deepEqual(
            Object.keys(headers).filter((name) => name.startsWith("access-control-")),
            [],
            `${method} ${path} ${origin}`,
          );
        }
      }
    }
  });

  it("public documents are readable by every page, without credentials [H08]", async () => {
    for (const path of PUBLIC) {
      for (const origin of [APP, "https://x.example", "null"]) {
        const got = await p.ask(path, { headers: { origin } });
        const asked = await p.ask(path, {
          method: "OPTIONS",
          headers: { origin, "access-control-request-method": "GET" },
        });
        assert.deepEqual([got.status, asked.status], [200, 204]);
        for (const { headers } of [got, asked]) {
          assert.equal(headers["access-control-allow-origin"], "*");
          assert.equal(headers["access-control-allow-credentials"], undefined);
        }
      }
    }
  });

  it("answers to clients are readable by pages of registered addresses alone, not by Origin null [H09]", async () => {
    const { web, spa } = p.clients;
    const strangers = [
      "null",
      "https://app.example.evil",
      "https://app.example.evil.example",
      "http://app.example",
      "https://app.example:8443",
      "https://evil.example",
      "https://APP.example",
      "file://",
      "*",
    ];
    const { access_token } = await p.tokens(web);
    const calls = {
      "/token": (headers) => p.post("/token", { grant_type: "client_credentials" }, { client: web, headers }),
      "/token/revoke": (headers) => p.post("/token/revoke", { token: "x" }, { client: web, headers }),
      "/userinfo": (headers) =>
        p.ask("/userinfo", { headers: { authorization: `Bearer ${access_token}`, ...headers } }),
    };
    const reader = ({ headers }, what) => {
      assert.equal(headers["access-control-allow-credentials"], undefined, what);
      assert.match(headers.vary ?? "", /\bOrigin\b/, what);
      return headers["access-control-allow-origin"];
    };
    for (const [path, call] of Object.entries(calls)) {
      const preflight = (origin) =>
        p.ask(path, {
          method: "OPTIONS",
          headers: {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization",
          },
        });
      assert.equal(reader(await call({ origin: APP }), path), APP);
      assert.equal(reader(await preflight(APP), path), APP);
      assert.equal(
        reader(await call({ origin: "https://spa.example" }), path),
        undefined,
        "another client's page, though registered",
      );
      for (const origin of strangers) {
        assert.equal(reader(await call({ origin }), `${path} ${origin}`), undefined, `${path} ${origin}`);
        assert.equal(reader(await preflight(origin), `${path} ${origin}`), undefined, `${path} ${origin}`);
      }
    }
    assert.equal(
      reader(await p.post("/token", { grant_type: "x" }, { client: spa, headers: { origin: "https://spa.example" } })),
      "https://spa.example",
    );
    const asked = await p.post("/token/introspect", { token: access_token }, { client: web, headers: { origin: APP } });
    assert.deepEqual([asked.status, asked.headers["access-control-allow-origin"]], [200, undefined]);
  });

  it("redirects continue with GET after every method [H10]", () => {
    const redirects = answers.filter(([, { headers }]) => headers.location);
    assert.ok(redirects.length >= 6);
    assert.ok(
      redirects.some(([what]) => what.startsWith("POST /login")),
      "the one with the password among them",
    );
    assert.ok(redirects.some(([what]) => what.startsWith("POST /scopes")));
    for (const [what, { status }] of redirects) assert.equal(status, 303, what);
  });

  it("no answer names a program or a version [H11]", () => {
    for (const [what, { headers }] of answers) {
      for (const name of ["server", "x-powered-by", "via", "x-generator", "x-version"])
        assert.equal(headers[name], undefined, `${what}: ${name}`);
      assert.doesNotMatch(JSON.stringify(headers), /postern\/|openssl|sqlite|lighttpd|fcgi/i, what);
    }
  });
});
