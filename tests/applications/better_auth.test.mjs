// Better Auth with its generic OAuth plugin and Express (tests/clients/express/better_auth.mjs).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { NodeApplication } from "../clients/program.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo as told } from "../clients/provider.mjs";
import { prepared } from "../support/prepared.mjs";

describe("Better Auth, the generic OAuth plugin", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider());
    await provider.deployment.postern(["group", "add", "members"]);
  });

  /// Runs while `use` has it; `options` are more of `client add`, `settings` the application's.
  async function withApplication(id, use, { options = [], settings = {} } = {}) {
    const { deployment } = provider;
    const application = await NodeApplication.start("express/better_auth.mjs", deployment, {
      CLIENT_ID: id,
      CLIENT_SECRET: SECRET,
      ...settings,
    });
    const { origin } = application;
    try {
      const callback = `${origin}/api/auth/callback/postern`;
      const home = ["--post-logout-redirect-uri", `${origin}/`];
      await addClientWithSecret(deployment, id, SECRET, callback, "--pkce", "required", ...home, ...options);
      await use(origin, new Person(deployment.ca));
    } finally {
      await application.stop();
    }
  }

  const json = async (person, url) => JSON.parse((await person.open(url)).body);

  /// What the application knows then.
  async function signIn(origin, person, options) {
    const page = await person.signIn(`${origin}/login`, options);
    assert.equal(new URL(page.url).origin, origin, `sent back to the application, not left on "${page.title}"`);
    return page;
  }
  const userinfo = (token) => told(provider.deployment, token);

  it("signs a user in with PKCE, verifies the ID token, and reads UserInfo", () =>
    withApplication("app", async (origin, person) => {
      const { location } = await person.visit(`${origin}/login`);
      const { scope, code_challenge_method, nonce } = Object.fromEntries(location.searchParams);
      assert.deepEqual(
        { scope, code_challenge_method },
        { scope: "openid profile email", code_challenge_method: "S256" },
      );
      assert.ok(nonce);
      const { user } = JSON.parse((await signIn(origin, person)).body);
      const { name, email, emailVerified } = user;
      const { claims } = PERSON;
      assert.deepEqual(
        { name, email, emailVerified },
        { name: claims.name, email: claims.email, emailVerified: claims.email_verified },
      );
    }));

  it("refreshes with tokens that rotate", () =>
    withApplication("refreshing", async (origin, person) => {
      await signIn(origin, person);
      const tokens = [await json(person, `${origin}/token`)];
      for (let round = 0; round < 2; ++round) {
        await json(person, `${origin}/refresh`);
        tokens.push(await json(person, `${origin}/token`));
      }
      assert.equal(new Set(tokens.map(({ accessToken }) => accessToken)).size, 3);
      for (const { accessToken } of tokens) assert.equal((await userinfo(accessToken)).status, 200);
    }));

  it("refuses a user without an address", () =>
    withApplication(
      "no-address",
      async (origin, person) => {
        const page = await signIn(origin, person);
        assert.match(page.url, /error=email_not_found/);
        assert.equal(await json(person, `${origin}/`), null);
      },
      { settings: { SCOPE: "openid profile" } },
    ));

  it("a user who may not use the client does not get to the application", () =>
    withApplication(
      "members",
      async (origin, person) => {
        const page = await person.signIn(`${origin}/login`);
        assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403], page.title);
        assert.equal(await json(person, `${origin}/`), null);
      },
      { options: ["--allow-group", "members"] },
    ));

  it("a user who denies consent, and a wrong secret, end on its error page", () =>
    withApplication("denied", async (origin, person) => {
      assert.match((await signIn(origin, person, { decision: "deny" })).url, /error=access_denied/);
      await provider.deployment.postern(["client", "secret", "denied"]);
      assert.match((await signIn(origin, person)).url, /error=/);
      assert.equal(await json(person, `${origin}/`), null);
    }));

  it("signs out of the application and of Postern", () =>
    withApplication("leaving", async (origin, person) => {
      await signIn(origin, person);
      const { accessToken } = await json(person, `${origin}/token`);
      assert.equal((await userinfo(accessToken)).status, 200);
      const page = await person.open(`${origin}/logout`);
      assert.equal(page.url, `${origin}/`);
      assert.equal(page.body, "null");
      assert.equal((await userinfo(accessToken)).status, 401);
      const { form } = await person.open(`${origin}/login`);
      assert.ok(form.buttons.login, "asked for the password again");
    }));
});
