// Node-RED, whose editor signs users in with passport-openidconnect (tests/applications/node_red).
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const DIRECTORY = join(BUILD, "applications/node_red");
const OUTSIDER = { ...PERSON, username: "otto" };

describe("Node-RED", () => {
  let deployment;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider()));
    await deployment.addUser(OUTSIDER.username, OUTSIDER.password);
    await deployment.postern(["group", "add", "members"]);
  });

  /// Runs while `use` has it.
  async function withNodeRed(id, use, { options = [], settings = {} } = {}) {
    const origin = `http://127.0.0.1:${await freePort()}`;
    await addClientWithSecret(deployment, id, SECRET, `${origin}/auth/strategy/callback`, ...options);
    const program = join(DIRECTORY, "node_modules/node-red/red.js");
    const server = new WebServer(process.execPath, [program, "--settings", join(DIRECTORY, "settings.js")], {
      env: {
        ISSUER: deployment.issuer,
        ORIGIN: origin,
        CLIENT_ID: id,
        CLIENT_SECRET: SECRET,
        DIRECTORY: temporaryDirectory(),
        NODE_EXTRA_CA_CERTS: deployment.caFile,
        ...settings,
      },
    });
    try {
      await server.untilItAnswers(`${origin}/auth/login`, { status: 200 });
      await use(origin);
    } finally {
      await server.stop();
    }
  }

  const signIn = (origin, who, options) => new Person(deployment.ca, who).signIn(`${origin}/auth/strategy`, options);
  /// The editor's own token, which it finds in its address; a plus sign there is one.
  const tokenOf = (page) => decodeURIComponent(page.url.match(/\?access_token=(.*)$/)?.[1] ?? page.url);
  const refusal = (page) => new URL(page.url).searchParams.get("session_message");
  const ask = (origin, token) => request(`${origin}/settings`, { headers: { authorization: `Bearer ${token}` } });
  async function worksAs(origin, token, username) {
    const { status, body } = await ask(origin, token);
    assert.equal(status, 200, body);
    assert.equal(JSON.parse(body).user.username, username);
  }

  it("signs a user in, whose name it finds in the ID token, and out of the editor alone", () =>
    withNodeRed("node-red", async (origin) => {
      assert.equal((await request(`${origin}/flows`)).status, 401);
      const person = new Person(deployment.ca);
      const token = tokenOf(await person.signIn(`${origin}/auth/strategy`));
      await worksAs(origin, token, PERSON.username);
      const body = JSON.stringify({ token });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      assert.equal((await request(`${origin}/auth/revoke`, { method: "POST", headers, body })).status, 200);
      assert.equal((await ask(origin, token)).status, 401);
      const again = tokenOf(await person.open(`${origin}/auth/strategy`)); // without the password
      await worksAs(origin, again, PERSON.username);
    }));

  it("a client with --no-id-token-claims needs skipUserProfile: false", () =>
    withNodeRed(
      "without-claims",
      async (origin) => assert.equal(refusal(await signIn(origin)), "AuthenticationError: Unauthorized"),
      { options: ["--no-id-token-claims"] },
    ));

  it("with which it asks UserInfo; a user who is not in users, and one who denies consent, are refused", () =>
    withNodeRed(
      "userinfo",
      async (origin) => {
        const denied = await signIn(origin, PERSON, { decision: "deny" });
        assert.equal(refusal(denied), "AuthenticationError: Unauthorized");
        await worksAs(origin, tokenOf(await signIn(origin)), PERSON.username);
        assert.equal(refusal(await signIn(origin, OUTSIDER)), "AuthenticationError: Unauthorized");
      },
      { options: ["--no-id-token-claims"], settings: { SKIP_USER_PROFILE: "no" } },
    ));

  it("a user who may not use the client does not get to Node-RED", () =>
    withNodeRed(
      "members",
      async (origin) => {
        const page = await signIn(origin);
        assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
      },
      { options: ["--allow-group", "members"] },
    ));

  it("is refused by a client that demands PKCE", () =>
    withNodeRed(
      "demanding",
      async (origin) =>
        assert.equal(refusal(await signIn(origin)), "AuthorizationError: code_challenge is required for this client"),
      { options: ["--pkce", "required"] },
    ));
});
