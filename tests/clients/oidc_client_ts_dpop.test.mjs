// oidc-client-ts in Chromium with a key that the browser keeps (DPoP): what somebody copies who has no key is no use.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { openBrowser } from "../browser/browser.mjs";
import { prepared } from "../support/prepared.mjs";
import { newKey, proof } from "../support/signer.mjs";
import { request } from "../support/user_agent.mjs";
import { comeBack, leave, openSite, signedIn, withPage } from "./oidc_client_ts.mjs";
import { PERSON, openProvider } from "./provider.mjs";

const CLIENT = "desk";
const jsonOf = (part) => JSON.parse(Buffer.from(part, "base64url"));

/// The thumbprint of the key in a proof (RFC 7638).
function thumbprintOf(proof) {
  const { crv, kty, x, y } = jsonOf(proof.split(".")[0]).jwk;
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}

describe("oidc-client-ts with DPoP [DPOP-12, DPOP-13, DPOP-15, DPOP-18, DPOP-20, DPOP-22, DPOP-24]", () => {
  let provider;
  let browser;
  let site;
  let userinfo;
  prepared(async (owned) => {
    site = owned(await openSite());
    provider = owned(await openProvider({ dpop: "allowed" }, { tls: false }));
    const bound = ["--public", "--dpop-bound-access-tokens", "--post-logout-redirect-uri", `${site.origin}/`];
    await provider.deployment.addClient(CLIENT, `${site.origin}/callback`, ...bound);
    userinfo = `${provider.deployment.issuer}/userinfo`;
    browser = owned(await openBrowser());
  });

  const withTab = (use, settings = {}) =>
    withPage({ browser, site, provider }, { client_id: CLIENT, dpop: true, loadUserInfo: false, ...settings }, use);

  /// What the page is told by UserInfo.
  const ask = (page, headers) =>
    page.evaluate(
      ([url, headers]) =>
        fetch(url, { headers }).then(async (answer) => ({
          status: answer.status,
          challenge: answer.headers.get("WWW-Authenticate"),
          ...(await answer.json()),
        })),
      [userinfo, headers],
    );
  const withProof = async ({ call }, { access_token: token }) => ({
    authorization: `DPoP ${token}`,
    DPoP: await call("dpopProof", userinfo, { access_token: token }, "GET"),
  });

  /// Somebody else with all that has passed through the page, at the token endpoint.
  async function thief(form, key) {
    const url = `${provider.deployment.issuer}/token`;
    const { status, body } = await request(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...(key ? proof({ jwk: key, url }) : {}) },
      body: new URLSearchParams({ client_id: CLIENT, ...form }).toString(),
    });
    return `${status} ${JSON.parse(body).error}`;
  }

  it("signs a user in: the code and the token are bound to the browser's key", () =>
    withTab(async (tab) => {
      const asked = tab.page.waitForRequest((sent) => new URL(sent.url()).searchParams.has("dpop_jkt"));
      const user = await signedIn(tab);
      const { sub } = user.profile;
      assert.deepEqual([sub, user.token_type], [provider.sub, "DPoP"]);
      const headers = await withProof(tab, user);
      const jkt = thumbprintOf(headers.DPoP);
      assert.equal(new URL((await asked).url()).searchParams.get("dpop_jkt"), jkt);
      assert.deepEqual(jsonOf(user.access_token.split(".")[1]).cnf, { jkt });
    }));

  it("reads UserInfo from its own origin with a proof, and not without it", () =>
    withTab(async (tab) => {
      const user = await signedIn(tab);
      const { status, name, email } = await ask(tab.page, await withProof(tab, user));
      assert.deepEqual([status, name, email], [200, PERSON.claims.name, PERSON.claims.email]);
      const { access_token: token } = user;
      const headers = await withProof(tab, user);
      const next = await tab.call("signinSilent");
      const { jwk } = newKey("thief");
      const stolen = {
        "as a bearer token": { authorization: `Bearer ${token}` },
        "without a proof": { authorization: `DPoP ${token}` },
        "with another key": { authorization: `DPoP ${token}`, ...proof({ jwk, url: userinfo, method: "GET", token }) },
        "with a proof for another token": { ...headers, authorization: `DPoP ${next.access_token}` },
      };
      for (const [how, sent] of Object.entries(stolen)) {
        const answer = await ask(tab.page, sent);
        assert.equal(answer.status, 401, how);
        assert.match(answer.challenge, /^DPoP .*error="invalid_(token|dpop_proof)"/, how);
      }
      assert.equal((await ask(tab.page, headers)).status, 200);
      assert.equal((await ask(tab.page, headers)).status, 401, "a proof is good once");
    }));

  it("renews with the refresh token and a proof, and nobody does without the key", () =>
    withTab(async (tab) => {
      const users = [await signedIn(tab)];
      for (let round = 0; round < 2; ++round) users.push(await tab.call("signinSilent"));
      assert.deepEqual(
        users.map(({ token_type }) => token_type),
        ["DPoP", "DPoP", "DPoP"],
      );
      assert.equal(new Set(users.map(({ refresh_token }) => refresh_token)).size, 3);
      const { refresh_token } = users.at(-1);
      const form = { grant_type: "refresh_token", refresh_token };
      assert.equal(await thief(form, newKey("thief").jwk), "400 invalid_grant");
      assert.equal(await thief(form), "400 invalid_request");
      const renewed = await tab.call("signinSilent");
      assert.equal((await ask(tab.page, await withProof(tab, renewed))).status, 200, "the page may go on");
    }));

  it("signs out: its tokens end, and the key goes", () =>
    withTab(async (tab) => {
      const user = await signedIn(tab);
      const headers = await withProof(tab, user);
      await leave(tab.call, "signoutRedirect");
      await tab.page.waitForURL(({ origin, pathname }) => origin === site.origin && pathname === "/");
      assert.equal((await ask(tab.page, headers)).status, 401);
      assert.equal(await tab.call("dpopProof", userinfo, user, "GET"), null);
    }));

  it("a code that is read on the way is no use to who has another key", () =>
    withTab(async (tab) => {
      const { searchParams } = await comeBack(tab);
      const state = await tab.page.evaluate(
        (name) => sessionStorage.getItem(name),
        `oidc.${searchParams.get("state")}`,
      );
      const { code_verifier } = JSON.parse(state);
      const form = { grant_type: "authorization_code", code: searchParams.get("code"), redirect_uri: tab.callback };
      assert.equal(await thief({ ...form, code_verifier }, newKey("thief").jwk), "400 invalid_grant");
    }));

  it("loadUserInfo sends the token as a bearer token, which is refused: the application asks by itself", () =>
    withTab(
      async (tab) => {
        assert.equal((await signedIn(tab)).failed, "invalid_token");
      },
      { loadUserInfo: true },
    ));
});
