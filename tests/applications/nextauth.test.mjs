// NextAuth 4 in Next.js (tests/applications/nextauth).
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider, userinfo as told } from "../clients/provider.mjs";
import { untilExpired } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const DIRECTORY = join(BUILD, "applications/nextauth");
const USER = { name: PERSON.claims.name, email: PERSON.claims.email };

describe("NextAuth 4", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 2, refreshReuseGrace: 0 }));
    await provider.deployment.postern(["group", "add", "members"]);
  });

  /// Runs while `use` has it; `options` are those of `client add`, `settings` the application's.
  async function withApplication(id, use, { options = [], settings = {} } = {}) {
    const { deployment } = provider;
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    await addClientWithSecret(
      deployment,
      id,
      SECRET,
      ...[`${origin}/api/auth/callback/postern`, "--pkce", "required", ...options],
    );
    const application = new WebServer(
      process.execPath,
      [join(DIRECTORY, "node_modules/next/dist/bin/next"), "start", DIRECTORY, "-H", "127.0.0.1", "-p", port],
      {
        env: {
          NEXTAUTH_URL: origin,
          NEXTAUTH_SECRET: randomUUID(),
          NODE_EXTRA_CA_CERTS: deployment.caFile,
          NEXT_TELEMETRY_DISABLED: "1",
          ISSUER: deployment.issuer,
          CLIENT_ID: id,
          CLIENT_SECRET: SECRET,
          ...settings,
        },
      },
    );
    try {
      await application.untilItAnswers(`${origin}/api/auth/providers`, { status: 200 });
      await use(origin, new Person(deployment.ca));
    } finally {
      await application.stop();
    }
  }

  /// Presses the button of a page of NextAuth.
  async function press(person, url) {
    const { form } = await person.open(url);
    return person.post(new URL(form.action, url).href, form.fields);
  }
  const session = async (origin, person) => JSON.parse((await person.open(`${origin}/api/auth/session`)).body);

  /// What the application knows then.
  async function signIn(origin, person) {
    const page = await person.signInFrom(await press(person, `${origin}/api/auth/signin`));
    assert.deepEqual([page.url, page.status], [`${origin}/`, 200], page.title);
    return session(origin, person);
  }
  const userinfo = (token) => told(provider.deployment, token);

  it("signs a user in with PKCE, state and nonce; the name and the address are in the ID token", () =>
    withApplication("app", async (origin, person) => {
      const { sub, user } = await signIn(origin, person);
      assert.deepEqual({ sub, user }, { sub: provider.sub, user: USER });
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

  it("or it asks UserInfo in a function of its own", () =>
    withApplication(
      "userinfo",
      async (origin, person) => {
        const { sub, user } = await signIn(origin, person);
        assert.deepEqual({ sub, user }, { sub: provider.sub, user: USER });
      },
      { options: ["--no-id-token-claims"], settings: { USERINFO: "yes" } },
    ));

  it("idToken: false does not help, since it refuses the ID token of the answer then", () =>
    withApplication(
      "without-id-token",
      async (origin, person) => {
        const page = await person.signInFrom(await press(person, `${origin}/api/auth/signin`));
        assert.match(page.url, /\/api\/auth\/signin\?error=OAuthCallback/);
      },
      { settings: { WITHOUT_ID_TOKEN: "yes" } },
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

  it("a user who may not use the client does not get to the application", () =>
    withApplication(
      "members",
      async (origin, person) => {
        const page = await person.signInFrom(await press(person, `${origin}/api/auth/signin`));
        assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403]);
        assert.deepEqual(await session(origin, person), {});
      },
      { options: ["--allow-group", "members"] },
    ));

  it("a user who denies consent, and a wrong secret, end on its page for signing in", () =>
    withApplication("denied", async (origin, person) => {
      const start = () => press(person, `${origin}/api/auth/signin`);
      const page = await person.signInFrom(await start(), { decision: "deny" });
      assert.match(page.url, /\/api\/auth\/signin\?error=/);
      await provider.deployment.postern(["client", "secret", "denied"]);
      assert.match((await person.signInFrom(await start())).url, /\/api\/auth\/signin\?error=OAuthCallback/);
      assert.deepEqual(await session(origin, person), {});
    }));

  it("signs out of the application alone", () =>
    withApplication("leaving", async (origin, person) => {
      const { access_token: token } = await signIn(origin, person);
      await press(person, `${origin}/api/auth/signout`);
      assert.deepEqual(await session(origin, person), {});
      assert.equal((await userinfo(token)).status, 200);
      const page = await press(person, `${origin}/api/auth/signin`);
      assert.equal(page.url, `${origin}/`, "without a second sign-in at Postern");
    }));
});
