// JupyterHub with the GenericOAuthenticator of oauthenticator (tests/applications/jupyterhub_config.py).
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const ADMINISTRATOR = { ...PERSON, username: "alva" };
const OUTSIDER = { ...PERSON, username: "otto" };

describe("JupyterHub, the GenericOAuthenticator", () => {
  let deployment;
  let hub;
  let directory;
  let origin;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider({ accessTokenTTL: 2 })));
    for (const { username, password } of [ADMINISTRATOR, OUTSIDER]) await deployment.addUser(username, password);
    for (const [group, { username }] of Object.entries({ staff: PERSON, admins: ADMINISTRATOR })) {
      await deployment.postern(["group", "add", group]);
      await deployment.postern(["group", "member", "add", group, username]);
    }
    directory = temporaryDirectory();
    origin = `http://127.0.0.1:${await freePort()}`;
    const options = ["--pkce", "required", "--scope", "openid profile email groups"];
    await addClientWithSecret(deployment, "jupyter", SECRET, `${origin}/hub/oauth_callback`, ...options);
    hub = owned(
      new WebServer(
        join(BUILD, "applications/jupyterhub/bin/jupyterhub"),
        ["-f", join(ROOT, "tests/applications/jupyterhub_config.py")],
        {
          env: {
            ISSUER: deployment.issuer,
            ORIGIN: origin,
            CLIENT_ID: "jupyter",
            CLIENT_SECRET: SECRET,
            DATABASE: join(directory, "hub.db"),
            JUPYTERHUB_CRYPT_KEY: randomBytes(32).toString("hex"),
            SSL_CERT_FILE: deployment.caFile,
            PYTHONDONTWRITEBYTECODE: "1",
          },
        },
      ),
    );
    await hub.untilItAnswers(`${origin}/hub/health`, { status: 200 });
  });

  const newPerson = (who = PERSON) => new Person(deployment.ca, who);
  const home = (person) => person.signIn(`${origin}/hub/home`);
  /// Whom the page is for.
  function signedIn(page) {
    assert.deepEqual([page.status, page.url], [200, `${origin}/hub/home`], `${page.title}\n${hub.log.slice(-3000)}`);
    return page.body.match(/user: "([^"]*)"/)[1];
  }

  it("signs a member of an allowed group in, with PKCE; the user name and the groups are from UserInfo", async () => {
    const { location } = await newPerson().visit(`${origin}/hub/oauth_login`);
    assert.equal(location.searchParams.get("code_challenge_method"), "S256");
    const person = newPerson();
    assert.equal(signedIn(await home(person)), PERSON.username);
    assert.equal((await person.open(`${origin}/hub/admin`)).status, 403);
  });

  it("members of a group in admin_groups are administrators", async () => {
    const person = newPerson(ADMINISTRATOR);
    assert.equal(signedIn(await home(person)), ADMINISTRATOR.username);
    assert.equal((await person.open(`${origin}/hub/admin`)).status, 200);
  });

  it("a user of no allowed group is refused by JupyterHub", async () => {
    const page = await home(newPerson(OUTSIDER));
    assert.deepEqual([new URL(page.url).origin, page.status], [origin, 403]);
  });

  it("a user whom Postern does not let use the client does not get to JupyterHub", async () => {
    await deployment.postern(["client", "set", "jupyter", "--allow-group", "staff", "--allow-group", "admins"]);
    const page = await home(newPerson(OUTSIDER));
    assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
  });

  it("refreshes tokens that expire, and signs a user out who was disabled", async () => {
    const person = newPerson();
    signedIn(await home(person));
    for (let round = 0; round < 2; ++round) {
      await new Promise((done) => setTimeout(done, 3500));
      const page = await person.visit(`${origin}/hub/home`);
      assert.equal(page.location, undefined, "not sent to sign in again");
      signedIn(page);
    }
    await deployment.postern(["user", "disable", PERSON.username]);
    await new Promise((done) => setTimeout(done, 3500));
    const page = await person.open(`${origin}/hub/home`);
    assert.ok(page.form?.buttons.login, `asked to sign in, not ${page.url}`);
    await deployment.postern(["user", "enable", PERSON.username]);
  });

  it("signs out of JupyterHub and, when the user confirms it, of Postern", async () => {
    const person = newPerson();
    signedIn(await home(person));
    const page = await person.open(`${origin}/hub/logout`);
    assert.equal(new URL(page.url).origin, deployment.origin);
    assert.equal((await person.press(page, "logout")).title, "You are signed out");
    assert.ok((await person.open(`${origin}/hub/home`)).form.buttons.login, "asked for the password again");
  });
});
