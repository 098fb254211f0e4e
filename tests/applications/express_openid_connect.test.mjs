// express-openid-connect in a web application of Express (tests/applications/express_openid_connect).
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { NodeApplication } from "../clients/program.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo as told } from "../clients/provider.mjs";
import { untilExpired } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";

const APPLICATION = join(BUILD, "applications/express_openid_connect/application.js");
const { name, email } = PERSON.claims;

describe("express-openid-connect", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 2, refreshReuseGrace: 0 }));
    await provider.deployment.postern(["group", "add", "members"]);
  });

  /// Runs while `use` has it; `options` are those of `client add`, `settings` the application's.
  async function withApplication(id, use, { options = [], settings = {} } = {}) {
    const { deployment } = provider;
    const identity = { CLIENT_ID: id, CLIENT_SECRET: SECRET };
    const application = await NodeApplication.start(APPLICATION, deployment, { ...identity, ...settings });
    try {
      const { origin } = application;
      const addresses = [`${origin}/callback`, "--post-logout-redirect-uri", origin];
      await addClientWithSecret(deployment, id, SECRET, ...addresses, "--pkce", "required", ...options);
      await use(origin, new Person(deployment.ca));
    } finally {
      await application.stop();
    }
  }

  const userinfo = (token) => told(provider.deployment, token);
  const read = async (person, url) => JSON.parse((await person.open(url)).body);
  async function signIn(origin, person) {
    const page = await person.signIn(`${origin}/`);
    assert.deepEqual([page.url, page.status], [`${origin}/`, 200], page.body.slice(0, 1000));
    return JSON.parse(page.body);
  }

  it("signs a user in with PKCE and a nonce; the name and the address are in the ID token", () =>
    withApplication("app", async (origin, person) => {
      const { searchParams: asked } = (await person.visit(`${origin}/login`)).location;
      assert.equal(asked.get("code_challenge_method"), "S256");
      assert.ok(asked.get("nonce"));
      const { user } = await signIn(origin, person);
      assert.deepEqual([user.sub, user.name, user.email], [provider.sub, name, email]);
    }));

  it("knows sub alone of a client with --no-id-token-claims, and the rest from fetchUserInfo", () =>
    withApplication(
      "without-claims",
      async (origin, person) => {
        const { user } = await signIn(origin, person);
        assert.deepEqual([user.sub, user.name, user.email], [provider.sub, undefined, undefined]);
        const more = await read(person, `${origin}/userinfo`);
        assert.deepEqual([more.sub, more.name, more.email], [provider.sub, name, email]);
      },
      { options: ["--no-id-token-claims"] },
    ));

  it("refreshes, and stores the rotated refresh token", () =>
    withApplication("refreshing", async (origin, person) => {
      let { accessToken: token } = await signIn(origin, person);
      for (let round = 0; round < 2; ++round) {
        await untilExpired(token);
        assert.equal((await userinfo(token)).status, 401);
        const next = await read(person, `${origin}/refresh`);
        assert.equal((await userinfo(next.accessToken)).status, 200, JSON.stringify(next));
        token = next.accessToken;
      }
    }));

  it("a user who may not use the client does not get to the application", () =>
    withApplication(
      "members",
      async (origin, person) => {
        const page = await person.signIn(`${origin}/`);
        assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403]);
      },
      { options: ["--allow-group", "members"] },
    ));

  it("a user who denies consent is refused by the application", () =>
    withApplication("denied", async (origin, person) => {
      const page = await person.signIn(`${origin}/`, { decision: "deny" });
      assert.deepEqual([page.status, JSON.parse(page.body).error], [400, "access_denied"]);
    }));

  it("asks for an ID token without a code unless response_type says code, which Postern refuses", () =>
    withApplication(
      "default-type",
      async (origin, person) => {
        const { searchParams: asked } = (await person.visit(`${origin}/login`)).location;
        assert.deepEqual([asked.get("response_type"), asked.get("response_mode")], ["id_token", "form_post"]);
        const page = await person.signIn(`${origin}/`);
        assert.deepEqual([page.status, JSON.parse(page.body).error], [400, "unsupported_response_type"]);
      },
      { settings: { DEFAULT_RESPONSE_TYPE: "yes" } },
    ));

  it("signs out of the application and of Postern with idpLogout", () =>
    withApplication("leaving", async (origin, person) => {
      await signIn(origin, person);
      const { form } = await person.open(`${origin}/logout`);
      assert.ok(form.buttons.login, "back at the application, which asks for the password again");
    }));
});
