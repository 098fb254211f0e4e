// passport-openidconnect with Passport and Express, as a web application has them (tests/clients/express/app.mjs).
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { prepared } from "../support/prepared.mjs";
import { UserAgent, request } from "../support/user_agent.mjs";
import { NodeApplication } from "./program.mjs";
import { AWKWARD_SECRETS, PERSON, SECRET, addClientWithSecret, openProvider, walk } from "./provider.mjs";

const load = createRequire(import.meta.url);

describe("passport-openidconnect", () => {
  let provider;
  let shared;
  prepared(async (owned) => {
    provider = owned(await openProvider());
    shared = owned(await openApplication("app"));
  });

  /// The application, running and registered as `id`; `secret` is what it has, `registered` what Postern has.
  async function openApplication(id, secret = SECRET, registered = secret) {
    const { deployment } = provider;
    const application = await NodeApplication.start("express/app.mjs", deployment, {
      CLIENT_ID: id,
      CLIENT_SECRET: secret,
    });
    const { origin } = application;
    const signedOut = ["--post-logout-redirect-uri", `${origin}/`];
    await addClientWithSecret(deployment, id, registered, `${origin}/oauth2/redirect`, ...signedOut);
    return application;
  }

  const visitor = () => new Visitor(shared.origin);

  async function withApplication(id, use, ...secrets) {
    const application = await openApplication(id, ...secrets);
    try {
      await use(new Visitor(application.origin));
    } finally {
      await application.stop();
    }
  }

  /// Somebody whose browser goes back and forth between the application and Postern.
  class Visitor {
    constructor(origin) {
      Object.assign(this, { origin, here: new UserAgent(), there: new UserAgent({ ca: provider.deployment.ca }) });
    }

    visit(path) {
      return this.here.visit(new URL(path, this.origin).href);
    }

    /// From the application's link through Postern's pages: the address that leads back.
    async wayBack(decision) {
      const { location } = await this.visit("/login");
      const page = await walk(this.there, location.href, decision);
      assert.equal(page.location?.origin, this.origin, `sent back to the application, not left on "${page.title}"`);
      return page.location;
    }

    /// What the application knows then.
    async signIn() {
      const { status, body } = await this.visit((await this.wayBack()).href);
      assert.equal(status, 200, body);
      return JSON.parse(body);
    }

    async refresh(query = "") {
      const { status, body } = await this.visit(`/refresh${query}`);
      return { status, ...JSON.parse(body) };
    }
  }

  const userinfo = ({ accessToken }) =>
    request(`${provider.deployment.issuer}/userinfo`, {
      ca: provider.deployment.ca,
      headers: { authorization: `Bearer ${accessToken}` },
    });

  it("is of these versions", (context) => {
    const versions = ["passport-openidconnect", "passport", "express"].map(
      (name) => `${name} ${load(`${name}/package.json`).version}`,
    );
    context.diagnostic(versions.join(", "));
    assert.equal(versions[0], "passport-openidconnect 0.1.2");
  });

  it("signs a user in with state, nonce and max_age, and has the profile of UserInfo", async () => {
    const person = visitor();
    assert.equal((await person.visit("/")).status, 401);
    const user = await person.signIn();
    assert.equal(user.issuer, provider.deployment.issuer);
    assert.equal(user.profile.id, provider.sub);
    assert.equal(user.profile.displayName, PERSON.claims.name);
    assert.deepEqual(user.profile.emails, [{ value: PERSON.claims.email }]);
    assert.equal(user.scope, "openid profile email");
    assert.ok(user.context.timestamp, "auth_time was there");
    assert.equal((await userinfo(user)).status, 200);
  });

  it("tells the application of a denial", () =>
    withApplication("denied", async (visitor) => {
      const back = await visitor.wayBack("deny");
      assert.equal(back.searchParams.get("error"), "access_denied");
      assert.equal((await visitor.visit(back.href)).status, 401);
    }));

  it("refreshes with tokens that rotate", async () => {
    const person = visitor();
    const first = await person.signIn();
    const second = await person.refresh();
    const third = await person.refresh();
    assert.deepEqual([second.status, third.status], [200, 200]);
    assert.equal(new Set([first, second, third].map(({ refreshToken }) => refreshToken)).size, 3);
    assert.equal((await userinfo(third)).status, 200);
  });

  it("loses the grant when it goes on with a token that was replaced", async () => {
    const person = visitor();
    await person.signIn();
    const kept = await person.refresh("?keep=no");
    const { issuer, ca } = provider.deployment;
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: kept.refreshToken,
      client_id: "app",
      client_secret: SECRET,
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal(
      (await request(`${issuer}/token`, { method: "POST", ca, headers, body: form.toString() })).status,
      200,
    );
    const { status, error } = await person.refresh();
    assert.deepEqual([status, error], [500, "invalid_grant"]);
    assert.equal((await userinfo(kept)).status, 401);
  });

  it("signs out of the application and of Postern", async () => {
    const person = visitor();
    const user = await person.signIn();
    const { location } = await person.visit("/logout");
    const page = await person.there.visit(location.href);
    assert.equal(page.location?.href, `${person.origin}/`);
    assert.equal((await person.visit("/")).status, 401);
    assert.equal((await userinfo(user)).status, 401);
    const again = await person.visit("/login");
    assert.ok((await person.there.visit(again.location.href)).form.buttons.login, "asked for the password again");
  });

  it("tells the application of a wrong secret", () =>
    withApplication(
      "wrong",
      async (visitor) => {
        const { status, body } = await visitor.visit((await visitor.wayBack()).href);
        assert.deepEqual([status, JSON.parse(body).error], [500, "invalid_client"]);
      },
      "x".repeat(43),
      SECRET,
    ));

  for (const [which, secret] of AWKWARD_SECRETS.entries()) {
    it(`the secret ${secret} works`, () =>
      withApplication(
        `awkward-${which}`,
        async (visitor) => {
          assert.equal((await visitor.signIn()).profile.id, provider.sub);
          assert.equal((await visitor.refresh()).status, 200);
        },
        secret,
      ));
  }
});
