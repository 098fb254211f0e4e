// Auth.js with Express, as a web application has it (tests/clients/express/authjs.mjs).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { NodeApplication } from "../clients/program.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo as told } from "../clients/provider.mjs";
import { claimsOf, untilExpired } from "../clients/tokens.mjs";
import { prepared } from "../support/prepared.mjs";

/// As docs/clients/authjs.md has it.
const REGISTRATION = ["--pkce", "required"];

describe("Auth.js", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 2, refreshReuseGrace: 0 }));
    await provider.deployment.postern(["group", "add", "members"]);
  });

  /// Runs while `use` has it; `options` are those of `client add`, `settings` the application's.
  async function withApplication(id, use, { options = REGISTRATION, settings = {} } = {}) {
    const { deployment } = provider;
    const application = await NodeApplication.start("express/authjs.mjs", deployment, {
      CLIENT_ID: id,
      CLIENT_SECRET: SECRET,
      ...settings,
    });
    try {
      const callback = `${application.origin}/auth/callback/postern`;
      await addClientWithSecret(deployment, id, SECRET, callback, ...options);
      await use(application.origin, new Person(deployment.ca));
    } finally {
      await application.stop();
    }
  }

  /// Presses the button of a page of Auth.js.
  async function press(person, url) {
    const { form } = await person.open(url);
    return person.post(new URL(form.action, url).href, form.fields);
  }

  /// What the application knows then.
  async function signIn(origin, person) {
    const page = await person.signInFrom(await press(person, `${origin}/auth/signin`));
    assert.equal(new URL(page.url).origin, origin, `sent back to the application, not left on "${page.title}"`);
    return page.status === 200 ? JSON.parse((await person.open(`${origin}/`)).body) : page;
  }
  const session = async (origin, person) => JSON.parse((await person.open(`${origin}/auth/session`)).body);
  const userinfo = (token) => told(provider.deployment, token);

  it("signs a user in with PKCE; the name and the address are in the ID token", () =>
    withApplication("app", async (origin, person) => {
      const { sub, user, access_token: token } = await signIn(origin, person);
      assert.equal(sub, provider.sub);
      assert.deepEqual(user, { name: PERSON.claims.name, email: PERSON.claims.email });
      assert.equal(claimsOf(token).cid, "app");
    }));

  it("has a user without a name and an address if the client has --no-id-token-claims", () =>
    withApplication(
      "without-claims",
      async (origin, person) => {
        const { sub, user } = await signIn(origin, person);
        assert.deepEqual({ sub, user }, { sub: provider.sub, user: {} });
      },
      { options: ["--no-id-token-claims"] },
    ));

  it("or idToken: false, with which it asks UserInfo", () =>
    withApplication(
      "userinfo",
      async (origin, person) => {
        const { sub, user } = await signIn(origin, person);
        assert.equal(sub, provider.sub);
        assert.deepEqual(user, { name: PERSON.claims.name, email: PERSON.claims.email });
      },
      { options: ["--no-id-token-claims"], settings: { USERINFO: "yes" } },
    ));

  it("refreshes where its session is asked for, which stores the rotated refresh token", () =>
    withApplication("refreshing", async (origin, person) => {
      let { access_token: token } = await signIn(origin, person);
      for (let round = 0; round < 2; ++round) {
        await untilExpired(token);
        assert.equal((await userinfo(token)).status, 401);
        const next = await session(origin, person);
        assert.equal(next.error, undefined);
        assert.equal((await userinfo(next.access_token)).status, 200);
        token = next.access_token;
      }
    }));

  it("getSession of @auth/express does not store it, so the next refresh ends the grant", () =>
    withApplication("forgetful", async (origin, person) => {
      const { access_token: token } = await signIn(origin, person);
      await untilExpired(token);
      const { error, access_token: next } = JSON.parse((await person.open(`${origin}/`)).body);
      assert.equal(error, undefined);
      assert.equal((await userinfo(next)).status, 200);
      const again = JSON.parse((await person.open(`${origin}/`)).body);
      assert.equal(again.error, "invalid_grant");
    }));

  it("a user who may not use the client does not get to the application", () =>
    withApplication(
      "members",
      async (origin, person) => {
        const page = await person.signInFrom(await press(person, `${origin}/auth/signin`));
        assert.equal(new URL(page.url).origin, provider.deployment.origin);
        assert.equal(page.status, 403, page.title);
        assert.equal((await person.open(`${origin}/`)).status, 401);
      },
      { options: [...REGISTRATION, "--allow-group", "members"] },
    ));

  it("a user who denies consent, and a wrong secret, end on its error page", () =>
    withApplication("denied", async (origin, person) => {
      const page = await person.signInFrom(await press(person, `${origin}/auth/signin`), { decision: "deny" });
      assert.match(page.url, /^[^?]*\/auth\/(error|signin)\?error=/);
      assert.equal((await person.open(`${origin}/`)).status, 401);
      await provider.deployment.postern(["client", "secret", "denied"]);
      const { url } = await signIn(origin, person);
      assert.match(url, /\/auth\/error\?error=Configuration/);
    }));

  it("signs out of the application alone", () =>
    withApplication("leaving", async (origin, person) => {
      const { access_token: token } = await signIn(origin, person);
      await press(person, `${origin}/auth/signout`);
      assert.equal((await person.open(`${origin}/`)).status, 401);
      assert.equal((await userinfo(token)).status, 200);
      const page = await press(person, `${origin}/auth/signin`);
      assert.equal(new URL(page.url).origin, origin, "without a second sign-in at Postern");
    }));
});
