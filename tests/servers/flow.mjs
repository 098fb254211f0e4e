// From discovery to revocation as a client and a person go through it, behind one web server.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Authenticator } from "../support/authenticator.mjs";
import { prepared } from "../support/prepared.mjs";
import { totp } from "../support/totp.mjs";
import { request } from "../support/user_agent.mjs";
import { PAGE_ORIGIN, PERSON, REDIRECT_URI, SIGNED_OUT_URI, Site } from "./site.mjs";

const json = (answer, status = 200) => {
  assert.equal(answer.status, status, answer.body);
  assert.match(answer.headers["content-type"], /^application\/json\b/);
  return JSON.parse(answer.body);
};

/// The tests of one issuer. `redirectsPlain`: the shipped configuration sends visitors of http to https.
/// `passkeys`: its host has a name, as a passkey demands.
function flow(open, { redirectsPlain, passkeys }) {
  let site;
  prepared(async (owned) => {
    site = owned(await open());
  });

  it("all well-known places describe this issuer [RFC 8414 §3, META-1]", async () => {
    const metadata = json(await site.ask("/.well-known/openid-configuration"));
    assert.equal(metadata.issuer, site.issuer);
    for (const [name, url] of Object.entries(metadata)) {
      if (/_(endpoint|uri)$/.test(name)) assert.ok(url.startsWith(`${site.issuer}/`), `${name}: ${url}`);
    }
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      const inserted = await site.ask(`${site.deployment.origin}/.well-known/${name}${site.base}`);
      assert.deepEqual(json(inserted), metadata, name);
    }
    assert.ok(json(await site.ask("/jwks")).keys.length >= 1);
    const { status, headers, body } = await site.ask("/jwks", { method: "HEAD" });
    assert.deepEqual([status, body, headers["content-type"]], [200, "", "application/json"]);
  });

  if (redirectsPlain) {
    it("plain http leads to https", async () => {
      const { status, headers } = await request(`http://127.0.0.1:${site.deployment.plainPort}${site.base}/login?a=b`);
      assert.deepEqual([status, headers.location], [301, `${site.issuer}/login?a=b`]);
    });
  }

  it("a wrong password shows the form again, the right one leads to the client with a code [X03]", async () => {
    const { agent } = site;
    const answers = [];
    const { send } = agent;
    agent.send = async (...asked) => {
      const answer = await send(...asked);
      answers.push(answer);
      return answer;
    };
    const { url, state } = site.begin();
    const form = await agent.visit(url);
    const again = await agent.signIn(form, PERSON.username, "incorrect");
    assert.ok(again.form.buttons.login, again.title);
    const consent = await agent.signIn(again, PERSON.username, PERSON.password);
    assert.ok(consent.form.buttons.approve, consent.title);
    const { location } = await agent.approve(consent);
    assert.equal(location.origin + location.pathname, REDIRECT_URI);
    assert.deepEqual([location.searchParams.get("state"), location.searchParams.get("iss")], [state, site.issuer]);
    const redirects = answers.filter(({ headers }) => headers.location);
    assert.ok(redirects.length >= 3);
    for (const { status, headers } of redirects) {
      assert.equal(status, 303);
      assert.match(headers.location, /^https:\/\//);
      assert.equal(headers["cache-control"], "no-store");
      assert.equal(headers["referrer-policy"], "no-referrer");
    }
    for (const cookie of answers.flatMap(({ headers }) => headers["set-cookie"] ?? []))
      assert.match(cookie, /^__Host-(?=.*; Secure)(?=.*; HttpOnly)/);
  });

  it("a code gives tokens by Basic, UserInfo by Bearer, and what was revoked is inactive [X20]", async () => {
    const code = await site.signIn();
    const tokens = json(await site.redeem(code));
    const { sub } = JSON.parse(Buffer.from(tokens.id_token.split(".")[1], "base64url"));
    assert.equal(sub, site.person.sub);

    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const claims = json(await site.ask("/userinfo", { headers }));
    assert.deepEqual([claims.sub, claims.name], [sub, PERSON.claims.name]);
    assert.equal((await site.ask("/userinfo")).status, 401);

    const about = async (token) => json(await site.post("/token/introspect", { token }));
    assert.equal((await about(tokens.access_token)).active, true);
    const refreshed = json(
      await site.post("/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
    );
    assert.equal((await about(refreshed.access_token)).sub, sub);

    assert.equal((await site.post("/token/revoke", { token: refreshed.refresh_token })).status, 200);
    for (const token of [refreshed.refresh_token, refreshed.access_token])
      assert.deepEqual(await about(token), { active: false });
    assert.equal(
      json(await site.post("/token", { grant_type: "refresh_token", refresh_token: refreshed.refresh_token }), 400)
        .error,
      "invalid_grant",
    );
    assert.equal(json(await site.redeem(code), 400).error, "invalid_grant", "a code is used once");
  });

  it("logout ends the session and leads back to the client", async () => {
    const { agent } = site;
    const { id_token } = json(await site.redeem(await site.signIn(agent)));
    const query = new URLSearchParams({
      id_token_hint: id_token,
      post_logout_redirect_uri: SIGNED_OUT_URI,
      state: "bye",
    });
    const { location } = await agent.visit(`${site.issuer}/logout?${query}`);
    assert.equal(location?.href, `${SIGNED_OUT_URI}?state=bye`);
    const silent = await agent.visit(site.begin({ prompt: "none" }).url);
    assert.equal(silent.location.searchParams.get("error"), "login_required");
  });

  it("the page behind a logout may load the frames of applications [FCL-1, FCL-3]", async () => {
    const set = (...options) => site.deployment.postern(["client", "set", "app", ...options]);
    await set("--frontchannel-logout-uri", `${new URL(REDIRECT_URI).origin}/frontchannel`);
    const { agent } = site;
    const { id_token } = json(await site.redeem(await site.signIn(agent)));
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT_URI });
    const page = await agent.visit(`${site.issuer}/logout?${query}`);
    await set("--no-frontchannel-logout-uri");
    assert.equal(page.status, 200, page.title);
    // A second policy, which would hold as well, would be behind a comma.
    const policy = page.headers["content-security-policy"].split("; ");
    assert.deepEqual(
      policy.filter((directive) => !directive.startsWith("style-src ")),
      ["default-src 'none'", "frame-src https://client.example", "base-uri 'none'", "frame-ancestors 'none'"],
    );
    assert.match(page.body, /<iframe [^>]*src="https:\/\/client\.example\/frontchannel\?iss=[^"]*&amp;sid=[^"]+">/);
    assert.match(page.body, /<meta http-equiv="refresh" content="2;url=https:\/\/client\.example\/signed-out">/);
    for (const name of ["cross-origin-embedder-policy", "cross-origin-opener-policy", "permissions-policy"])
      assert.equal(page.headers[name], undefined, name);
  });

  it("the account has its pages, and an app set up there is asked for [ACCOUNT-1, STEP-5]", async () => {
    const user = { username: "ada", password: "four words in a row" };
    await site.deployment.addUser(user.username, user.password);
    const { agent } = site;
    const signIn = async (browser, url) => browser.signIn(await browser.visit(url), user.username, user.password);
    assert.equal((await signIn(agent, `${site.issuer}/account`)).title, "Your account");
    for (const path of ["password", "app", "codes", "passkeys", "activity", "profile", "devices", "applications"]) {
      const { status, headers } = await agent.visit(`${site.issuer}/account/${path}`);
      assert.ok(headers["x-request-id"], `${path} is answered by the account's program`);
      assert.equal(status, path === "passkeys" && !passkeys ? 404 : 200, path);
    }
    for (const path of ["", "devices/", "nothing"])
      assert.equal((await agent.visit(`${site.issuer}/account/${path}`)).status, 404, path);

    const page = await agent.visit(`${site.issuer}/account/app`);
    const [, key] = page.body.match(/id="key"[^>]*>([A-Z2-7 ]+)</);
    const code = (seconds) => totp(key, Date.now() / 1000 + seconds);
    assert.match((await agent.submit(page, "turn-on", { code: code(0) })).title, /Keep these codes$/);
    const other = site.agent;
    const { url, state } = site.begin();
    const step = await signIn(other, url);
    assert.equal(step.title, "One more step");
    let next = await other.submit(step, "verify", { code: code(30) });
    if (next.form?.buttons.approve) next = await other.approve(next);
    assert.equal(next.location.searchParams.get("state"), state);
    assert.ok(next.location.searchParams.get("code"));
  });

  if (passkeys) {
    it("a passkey is added, and signs in alone and behind the password [WEBAUTHN-11, WEBAUTHN-12]", async () => {
      const user = { username: "grace", password: "four words in a row" };
      await site.deployment.addUser(user.username, user.password);
      const signIn = (agent, page) => agent.signIn(page, user.username, user.password);
      const key = new Authenticator();
      const owner = site.agent;
      await signIn(owner, await owner.visit(`${site.issuer}/account`));
      const form = await owner.visit(`${site.issuer}/account/passkeys?add=yes`);
      assert.match((await owner.submit(form, "add-passkey", key.register(form))).body, /Your passkey is added/);
      for (const behindPassword of [false, true]) {
        const { agent } = site;
        const { url, state } = site.begin();
        let page = await agent.visit(url);
        if (behindPassword) page = await signIn(agent, page);
        page = await agent.submit(page, "use-passkey", key.use(page));
        if (page.form?.buttons.approve) page = await agent.approve(page);
        assert.equal(page.location?.searchParams.get("state"), state, page.title);
        assert.ok(page.location.searchParams.get("code"));
      }
    });
  }

  it("a link is opened at its path, and the web server logs nothing of it [LINK-10, MAIL-9, L29]", async () => {
    const { link } = await site.deployment.postern(["user", "invite", "invited"]);
    const { agent } = site;
    const page = await agent.visit(link);
    assert.equal(page.status, 200, page.title);
    const done = await agent.submit(page, "save", { new: "four words in a row", again: "four words in a row" });
    assert.match(done.title, /is saved/);
    assert.equal((await agent.visit(link)).status, 400);
    assert.equal((await site.ask("/recover")).status, 404);
    assert.equal((await site.ask("/recover/link/")).status, 404);
    await site.ask("/jwks?logged");
    // The last request is written behind its answer. What is shipped for lighttpd and a .htaccess writes no log.
    const file = join(site.deployment.directory, "access_log");
    let logged = "";
    while (existsSync(file) && !logged.includes("/jwks?logged")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      logged = readFileSync(file, "utf8");
    }
    assert.doesNotMatch(logged + site.deployment.log, new RegExp(new URL(link).searchParams.get("t")));
  });

  it("a page of a registered client may call the token endpoint, another may not (CORS)", async () => {
    const preflight = (origin) =>
      site.ask("/token", {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,traceparent",
        },
      });
    const allowed = await preflight(PAGE_ORIGIN);
    assert.deepEqual(
      [allowed.status, allowed.headers["access-control-allow-origin"], allowed.body],
      [204, PAGE_ORIGIN, ""],
    );
    assert.equal(allowed.headers["access-control-allow-headers"], "Authorization, Content-Type, traceparent");
    assert.equal(allowed.headers["access-control-allow-credentials"], "true");
    assert.equal((await preflight("https://evil.example")).headers["access-control-allow-origin"], undefined);
    const refused = await site.post(
      "/token",
      { grant_type: "x", client_id: "page" },
      { origin: PAGE_ORIGIN, authorization: "" },
    );
    assert.equal(refused.headers["access-control-allow-origin"], PAGE_ORIGIN, "refusals can be read, too");
    assert.equal(
      (await site.ask("/jwks", { headers: { origin: "https://any.example" } })).headers["access-control-allow-origin"],
      "https://any.example",
    );
  });

  it("other methods are 405 with Allow, other paths 404 however they are spelled [X17, X19]", async () => {
    for (const [method, path, allow] of [
      ["GET", "/token", /POST/],
      ["PUT", "/token/revoke", /POST/],
      ["POST", "/jwks", /GET/],
      ["DELETE", "/login", /GET/],
    ]) {
      const { status, headers } = await site.ask(path, { method, headers: { "content-length": "0" } });
      assert.equal(status, 405, `${method} ${path}`);
      assert.match(headers.allow, allow);
    }
    const { origin } = site.deployment;
    const spellings = (
      "/token/x /token/ /token;a=b /token%2fintrospect /token%2Fintrospect /token/..;/jwks /token/%0a " +
      "/token%0a /TOKEN /Jwks /jwks/ /jwks/x /jwks. /jwks%00 /%6awks /x/../jwks /./jwks /authorize/resume " +
      "/login/.. /.well-known/openid-configuration/ /cgi-bin/token /discovery /introspect /revoke " +
      "/authorize.d"
    ).split(" ");
    for (const path of [
      ...spellings.map((name) => site.base + name),
      `/${site.base}/token`,
      `//${site.base}//jwks`,
      `${site.base}//jwks`,
    ]) {
      // As it is: a URL object would take dots and slashes away.
      const text = await site.raw(`GET ${path} HTTP/1.1\r\nHost: ${origin.slice(8)}\r\nConnection: close\r\n\r\n`);
      assert.match(text, /^HTTP\/1\.1 40[034] /, `${path}: ${text.slice(0, 300)}`);
    }
  });
}

/// The flow behind the web server `front`, for an issuer at the root of an IP address and for one below a path of a
/// host with a name.
export function flows(title, front, { redirectsPlain = true, bases = ["", "/auth"], config = {}, skip = false } = {}) {
  for (const base of bases) {
    const place = base === "" ? "at the root" : `below ${base}`;
    const host = base === "" ? "127.0.0.1" : "localhost";
    describe(`${title}, issuer ${place}`, { skip }, () =>
      flow(() => Site.open({ front, base, host, config: { frontchannelLogout: true, ...config } }), {
        redirectsPlain,
        passkeys: base !== "",
      }),
    );
  }
}
