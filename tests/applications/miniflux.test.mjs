// Miniflux, as Debian 13 ships it. Debian 12 has no package of it, and nothing here installs one.
import assert from "node:assert/strict";
import { it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { PostgreSQL } from "../postgresql/server.mjs";
import { describeWith } from "../support/installed.mjs";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const ADMINISTRATOR = { name: "administrator", password: "of this test and of no other" };

describeWith("miniflux", "Miniflux", () => {
  let provider;
  let deployment;
  let database;
  prepared(async (owned) => {
    provider = await openProvider();
    deployment = owned(provider.deployment);
    await deployment.postern(["group", "add", "members"]);
    database = owned(await PostgreSQL.start());
  });

  /// Runs with a database of its own while `use` has it; `settings` are more of its variables.
  async function withMiniflux(id, use, settings = {}) {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const callback = `${origin}/oauth2/oidc/callback`;
    await addClientWithSecret(deployment, id, SECRET, callback, "--pkce", "required");
    database.sql(`CREATE DATABASE ${id}`);
    const miniflux = new WebServer("miniflux", [], {
      env: {
        DATABASE_URL: `host=${database.directory} user=postgres dbname=${id} sslmode=disable`,
        RUN_MIGRATIONS: "1",
        CREATE_ADMIN: "1",
        ADMIN_USERNAME: ADMINISTRATOR.name,
        ADMIN_PASSWORD: ADMINISTRATOR.password,
        DISABLE_SCHEDULER_SERVICE: "1",
        LISTEN_ADDR: new URL(origin).host,
        BASE_URL: origin,
        OAUTH2_PROVIDER: "oidc",
        OAUTH2_OIDC_DISCOVERY_ENDPOINT: deployment.issuer,
        OAUTH2_CLIENT_ID: id,
        OAUTH2_CLIENT_SECRET: SECRET,
        OAUTH2_REDIRECT_URL: callback,
        OAUTH2_USER_CREATION: "1",
        SSL_CERT_FILE: deployment.caFile,
        ...settings,
      },
    });
    try {
      await miniflux.untilItAnswers(`${origin}/healthcheck`, { status: 200 });
      await use(origin);
    } finally {
      await miniflux.stop();
    }
  }

  const newPerson = () => new Person(deployment.ca);
  const login = (origin) => `${origin}/oauth2/oidc/redirect`;
  const isSignedIn = (page) => page.status === 200 && page.body.includes('href="/logout"');
  const signedIn = (page) => assert.ok(isSignedIn(page), `${page.url} ${page.title}\n${page.body}`);

  /// The accounts that users got by signing in.
  async function accounts(origin) {
    const { name, password } = ADMINISTRATOR;
    const basic = Buffer.from(`${name}:${password}`).toString("base64");
    const { body } = await request(`${origin}/v1/users`, { headers: { authorization: `Basic ${basic}` } });
    return JSON.parse(body).filter(({ username }) => username !== name);
  }

  it("signs a user in with PKCE; the account has the subject, and is named by the address", () =>
    withMiniflux("reader", async (origin) => {
      const { location } = await newPerson().visit(login(origin));
      assert.equal(location.searchParams.get("code_challenge_method"), "S256");
      signedIn(await newPerson().signIn(login(origin)));
      const [account] = await accounts(origin);
      assert.deepEqual([account.username, account.openid_connect_id], [PERSON.claims.email, provider.sub]);
      const moved = JSON.stringify({ ...PERSON.claims, email: "mara@example.net" });
      await deployment.postern(["user", "set", PERSON.username, "--claims-stdin"], `${moved}\n`);
      signedIn(await newPerson().signIn(login(origin)));
      assert.deepEqual(
        (await accounts(origin)).map(({ id, username }) => [id, username]),
        [[account.id, PERSON.claims.email]],
      );
    }));

  it("without OAUTH2_USER_CREATION a user without an account is refused", () =>
    withMiniflux(
      "closed",
      async (origin) => {
        const page = await newPerson().signIn(login(origin));
        assert.deepEqual([page.status, isSignedIn(page)], [403, false]);
        assert.deepEqual(await accounts(origin), []);
      },
      { OAUTH2_USER_CREATION: "0" },
    ));

  it("a user who denies consent, or may not use the client, is not signed in", () =>
    withMiniflux("members", async (origin) => {
      const denied = await newPerson().signIn(login(origin), { decision: "deny" });
      assert.deepEqual([new URL(denied.url).origin, isSignedIn(denied)], [origin, false]);
      await deployment.postern(["client", "set", "members", "--allow-group", "members"]);
      const page = await newPerson().signIn(login(origin));
      assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
      assert.deepEqual(await accounts(origin), []);
    }));

  it("signs out of Miniflux alone", () =>
    withMiniflux("leaving", async (origin) => {
      const person = newPerson();
      signedIn(await person.signIn(login(origin)));
      assert.ok(!isSignedIn(await person.open(`${origin}/logout`)));
      signedIn(await person.open(login(origin)));
    }));
});
