// Synapse, the home server of Matrix: a Matrix client gets its token after the user has signed in at Postern.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";
import { prepared } from "../support/prepared.mjs";
import { request } from "../support/user_agent.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const MATRIX_CLIENT = "https://element.example/done"; // nothing listens there; the person's browser stops before it

/// As docs/clients/synapse.md has it; `more` are further members.
const provider = (issuer, id, more = {}) => ({
  idp_id: id,
  idp_name: "Postern",
  issuer,
  client_id: id,
  client_secret: SECRET,
  scopes: ["openid", "profile", "email"],
  user_mapping_provider: {
    config: { localpart_template: "{{ user.preferred_username }}", display_name_template: "{{ user.name }}" },
  },
  allow_existing_users: true, // each provider here has the same user
  ...more,
});

class HomeServer {
  static async start(caFile, oidcProviders) {
    const server = new HomeServer();
    server.directory = await mkdtemp(join(tmpdir(), "pt-"));
    const port = await freePort();
    server.origin = `http://127.0.0.1:${port}`;
    const file = (name) => join(server.directory, name);
    // JSON is YAML
    const config = {
      server_name: "matrix.example",
      public_baseurl: `${server.origin}/`,
      pid_file: file("pid"),
      signing_key_path: file("signing.key"),
      media_store_path: file("media"),
      listeners: [
        { port, bind_addresses: ["127.0.0.1"], type: "http", tls: false, resources: [{ names: ["client"] }] },
      ],
      database: { name: "sqlite3", args: { database: file("homeserver.db") } },
      macaroon_secret_key: "of this test",
      form_secret: "of this test",
      report_stats: false,
      trusted_key_servers: [],
      sso: { client_whitelist: [MATRIX_CLIENT] },
      rc_login: Object.fromEntries(
        ["address", "account", "failed_attempts"].map((name) => [name, { per_second: 100, burst_count: 100 }]),
      ),
      oidc_providers: oidcProviders,
    };
    await writeFile(file("homeserver.yaml"), JSON.stringify(config), { mode: 0o600 });
    const python = join(BUILD, "applications/synapse/bin/python");
    const command = ["-m", "synapse.app.homeserver", "-c", file("homeserver.yaml")];
    await run(python, [...command, "--generate-keys"]);
    server.process = new WebServer(python, command, { env: { SSL_CERT_FILE: caFile } });
    await server.process.untilItAnswers(`${server.origin}/_matrix/client/versions`, { status: 200 });
    return server;
  }

  async stop() {
    await this.process.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /// Where a Matrix client sends the browser for the provider `id`.
  login(id) {
    const query = new URLSearchParams({ redirectUrl: MATRIX_CLIENT });
    return `${this.origin}/_matrix/client/v3/login/sso/redirect/oidc-${id}?${query}`;
  }

  /// { status, ...what it answers }
  async call(method, path, { token, body } = {}) {
    const { status, body: text } = await request(`${this.origin}/_matrix/client/v3/${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
    return { status, ...JSON.parse(text) };
  }
}

describe("Synapse", () => {
  let deployment;
  let server;
  const atClient = (page) => page.location?.href.startsWith(MATRIX_CLIENT);
  const CLIENTS = {
    matrix: { options: ["--pkce", "required"] },
    userinfo: { options: ["--no-id-token-claims"], more: { user_profile_method: "userinfo_endpoint" } },
    nameless: { options: ["--no-id-token-claims"] },
    denied: { options: [] },
    members: { options: ["--allow-group", "members"] },
    staff: {
      options: ["--scope", "openid profile groups"],
      more: {
        scopes: ["openid", "profile", "groups"],
        attribute_requirements: [{ attribute: "groups", value: "staff" }],
      },
    },
  };
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider()));
    for (const group of ["members", "staff"]) await deployment.postern(["group", "add", group]);
    const providers = Object.entries(CLIENTS).map(([id, { more }]) => provider(deployment.issuer, id, more));
    server = owned(await HomeServer.start(deployment.caFile, providers));
    for (const [id, { options }] of Object.entries(CLIENTS)) {
      const callback = `${server.origin}/_synapse/client/oidc/callback`;
      await addClientWithSecret(deployment, id, SECRET, callback, ...options);
    }
  });

  /// What the Matrix client gets for the login token that the browser brings.
  async function signIn(id, person = new Person(deployment.ca)) {
    const { location, title, body } = await person.signIn(server.login(id), { until: atClient });
    assert.ok(location, `sent back to the Matrix client, not left on "${title}"\n${body.slice(0, 2000)}`);
    const token = location.searchParams.get("loginToken");
    return server.call("POST", "login", { body: { type: "m.login.token", token } });
  }

  for (const [id, title] of Object.entries({
    matrix: "signs a user in with PKCE, and takes the user's names from the ID token",
    userinfo: "or from UserInfo, with user_profile_method: userinfo_endpoint",
  })) {
    it(title, async () => {
      const { status, user_id, access_token: token } = await signIn(id);
      assert.deepEqual([status, user_id], [200, `@${PERSON.username}:matrix.example`]);
      assert.equal((await server.call("GET", "account/whoami", { token })).user_id, user_id);
      const { displayname } = await server.call("GET", `profile/${encodeURIComponent(user_id)}`, { token });
      assert.equal(displayname, PERSON.claims.name);
    });
  }

  it("without either it knows no user name", async () => {
    const page = await new Person(deployment.ca).signIn(server.login("nameless"), { until: atClient });
    assert.deepEqual([page.url.startsWith(server.origin), atClient(page)], [true, undefined]);
    assert.match(page.body, /localpart is invalid: </);
  });

  it("a user who may not use the client does not get to the home server", async () => {
    const page = await new Person(deployment.ca).signIn(server.login("members"), { until: atClient });
    assert.deepEqual([new URL(page.url).origin, page.status], [deployment.origin, 403]);
  });

  it("attribute_requirements let the members of a group in alone", async () => {
    const person = new Person(deployment.ca);
    const page = await person.signIn(server.login("staff"), { until: atClient });
    assert.match(page.body, /You are not allowed to log in here/);
    await deployment.postern(["group", "member", "add", "staff", PERSON.username]);
    assert.equal((await signIn("staff", new Person(deployment.ca))).status, 200);
  });

  it("a user who denies consent is not signed in", async () => {
    const page = await new Person(deployment.ca).signIn(server.login("denied"), {
      decision: "deny",
      until: atClient,
    });
    assert.equal(new URL(page.url).searchParams.get("error"), "access_denied");
    assert.deepEqual([atClient(page), page.title], [undefined, "Authentication failed"]);
  });

  it("signs out of Synapse alone", async () => {
    const person = new Person(deployment.ca);
    const { access_token: token } = await signIn("matrix", person);
    assert.equal((await server.call("POST", "logout", { token, body: {} })).status, 200);
    assert.equal((await server.call("GET", "account/whoami", { token })).status, 401);
    assert.ok(atClient(await person.signIn(server.login("matrix"), { until: atClient, decision: "none" })));
  });
});
