// FastMCP as server and as client: the server between its clients and Postern (OIDCProxy), and as an API of Postern's
// tokens (RemoteAuthProvider). The client listens at http://localhost with a free port.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { PythonScript } from "../clients/program.mjs";
import { PERSON, SECRET, addClientWithSecret, openProvider } from "../clients/provider.mjs";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { WebServer, freePort } from "../support/web_server.mjs";

const PYTHON = join(BUILD, "applications/fastmcp/bin/python");
const SCOPE = "notes:read";
const LIFETIME = 3; // seconds, of an access token

describe("FastMCP", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: LIFETIME }, { tls: false }));
    await provider.deployment.postern(["group", "add", "members"]);
  });

  /// Runs a server, and registers `id`: as the server's client of Postern with `proxy`, else as that of its clients.
  async function withServer(id, proxy, use) {
    const { deployment } = provider;
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const uri = `${origin}/mcp`;
    await deployment.postern(["resource", "add", uri, "--name", "Notes", "--scope", SCOPE]);
    if (proxy) await addClientWithSecret(deployment, id, SECRET, `${origin}/auth/callback`, "--pkce", "required");
    else await deployment.addClient(id, "http://localhost/callback", "--public", "--native");
    const profile = ["--access-token-profile", "rfc9068", "--default-resource", uri];
    await deployment.postern(["client", "set", id, "--scope", `openid profile email ${SCOPE}`, ...profile]);
    const server = new WebServer(PYTHON, [join(ROOT, "tests/applications/fastmcp_server.py")], {
      env: {
        ...{ ISSUER: deployment.issuer, PORT: String(port), AUDIENCE: uri },
        ...(proxy ? { CLIENT_ID: id, CLIENT_SECRET: SECRET } : {}),
        ...{ PYTHONDONTWRITEBYTECODE: "1", HOME: temporaryDirectory() },
      },
    });
    try {
      await server.untilItAnswers(uri, { status: 401 });
      await use(uri, server);
    } finally {
      await server.stop();
    }
  }

  /// Runs a client; `use` gets it, and the address of its authorization request.
  async function withClient(settings, use) {
    const client = new PythonScript(PYTHON, "../applications/fastmcp_client.py", settings);
    try {
      await use(client, await client.line());
    } finally {
      await client.stop();
    }
  }

  const answer = async (client) => JSON.parse(await client.line());
  /// What the tool says, called once more.
  async function again(client) {
    client.write("");
    return answer(client);
  }
  const expired = () => new Promise((done) => setTimeout(done, (LIFETIME + 2) * 1000));

  /// Refreshes twice, and is asked to sign in again when the user is disabled.
  async function refreshes(client, { sub, jti }) {
    const seen = [jti];
    for (let round = 0; round < 2; ++round) {
      await expired();
      const claims = await again(client);
      assert.equal(claims.sub, sub);
      seen.push(claims.jti);
    }
    assert.equal(new Set(seen).size, 3);
    await provider.deployment.postern(["user", "disable", PERSON.username]);
    try {
      await expired();
      client.write("");
      assert.match(await client.line(), /^http/, "the address of another authorization request");
    } finally {
      await provider.deployment.postern(["user", "enable", PERSON.username]);
    }
  }

  /// From the proxy's own page on, which names the client.
  async function throughProxy(person, address, decision) {
    const page = await person.signIn(address);
    assert.equal(page.title, "Application Access Request");
    return person.signInFrom(await person.post(page.url, { ...page.form.fields, action: "approve" }), { decision });
  }

  it("OIDCProxy: a client that registers there gets tokens of the server, which refreshes those of Postern", () =>
    withServer("proxy", true, (uri) =>
      withClient({ SERVER: uri }, async (client, address) => {
        const { searchParams } = new URL(address);
        assert.match(searchParams.get("redirect_uri"), /^http:\/\/localhost:\d+\/callback$/);
        await throughProxy(new Person(), address);
        const claims = await answer(client);
        assert.deepEqual([claims.sub, claims.aud, claims.client_id], [provider.sub, uri, "proxy"]);
        await refreshes(client, claims);
      }),
    ));

  it("OIDCProxy: a user who denies consent, or may not use the client, gets no token", () =>
    withServer("members", true, async (uri) => {
      await withClient({ SERVER: uri }, async (client, address) => {
        await throughProxy(new Person(), address, "deny");
        assert.match((await answer(client)).error, /access_denied|denied/);
      });
      await provider.deployment.postern(["client", "set", "members", "--allow-group", "members"]);
      await withClient({ SERVER: uri }, async (client, address) => {
        const page = await throughProxy(new Person(), address);
        assert.deepEqual([new URL(page.url).origin, page.status], [provider.deployment.origin, 403]);
      });
    }));

  it("RemoteAuthProvider: a client that Postern knows gets its tokens for the server, and refreshes them", () =>
    withServer("assistant", false, (uri) =>
      withClient({ SERVER: uri, CLIENT_ID: "assistant" }, async (client, address) => {
        const { origin, searchParams } = new URL(address);
        assert.deepEqual([origin, searchParams.get("resource")], [provider.deployment.origin, uri]);
        await new Person().signIn(address);
        const claims = await answer(client);
        assert.deepEqual([claims.sub, claims.aud, claims.client_id], [provider.sub, uri, "assistant"]);
        await refreshes(client, claims);
      }),
    ));

  it("RemoteAuthProvider: a client that registers itself is refused", () =>
    withServer("unknown", false, async (uri) => {
      const client = new PythonScript(PYTHON, "../applications/fastmcp_client.py", { SERVER: uri });
      assert.match((await answer(client)).error, /registration/i);
      await client.stop();
    }));
});
