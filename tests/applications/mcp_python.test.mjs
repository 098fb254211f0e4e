// The Python SDK of the Model Context Protocol as a client (tests/applications/mcp_client.py), in front of the server
// of tests/clients/notes_server.mjs. Its httpx trusts no authority of one's own, and an issuer on a loopback host may
// have http.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { DocumentHost, withoutFetching } from "../clients/document_host.mjs";
import { NotesServer, SCOPE } from "../clients/notes_server.mjs";
import { Person } from "../clients/person.mjs";
import { PythonScript } from "../clients/program.mjs";
import { openProvider } from "../clients/provider.mjs";
import { claimsOf, untilExpired } from "../clients/tokens.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared } from "../support/prepared.mjs";

const DOCUMENT_SCOPE = `${SCOPE} offline_access`; // what the SDK asks for when it has no registration
const NATIVE = ["--public", "--native", "--scope", SCOPE];
const CALLBACK = "http://127.0.0.1:33418/callback"; // nothing listens there; the person's browser stops before it

describe("MCP: the Python SDK", () => {
  let provider;
  let host;
  let server;
  let uri;
  prepared(async (owned) => {
    host = owned(await DocumentHost.start());
    host.publish();
    provider = owned(
      await openProvider(
        {
          ...{ accessTokenTTL: 5, accessTokenProfile: "rfc9068", defaultResource: "https://default.example/" },
          ...(withoutFetching ? {} : await host.config(DOCUMENT_SCOPE)),
        },
        { tls: false },
      ),
    );
    const { deployment } = provider;
    await deployment.postern(["group", "add", "members"]);
    server = owned(await NotesServer.open(deployment));
    uri = server.uri;
    await add("assistant");
  });

  const add = (id, ...options) => provider.deployment.addClient(id, "http://127.0.0.1/callback", ...NATIVE, ...options);

  /// Runs the client; `use` gets it and the page that the browser came to from the address that it wrote. `identity`:
  /// its CLIENT_ID or CLIENT_DOCUMENT.
  async function withClient(identity, use) {
    const python = join(BUILD, "applications/mcp/bin/python");
    const client = new PythonScript(python, "../applications/mcp_client.py", { ...identity, SERVER: uri });
    try {
      const address = await client.line();
      const until = (page) => page.location?.href.startsWith(CALLBACK);
      await use(client, await new Person().signIn(address, { until }), new URL(address).searchParams);
    } finally {
      await client.stop();
    }
  }

  /// Signs in, calls the tool, refreshes; answers the parameters of the authorization request, and the first tokens.
  async function signInAndRefresh(identity) {
    let seen;
    await withClient(identity, async (client, { location }, asked) => {
      client.write(location.href);
      const { says, tokens } = JSON.parse(await client.line());
      assert.equal(says, provider.sub);
      assert.equal(claimsOf(tokens.access_token).aud, uri);
      await untilExpired(tokens.access_token);
      client.write("again");
      const again = JSON.parse(await client.line());
      assert.equal(again.says, provider.sub);
      assert.notEqual(again.tokens.refresh_token, tokens.refresh_token);
      assert.equal(claimsOf(again.tokens.access_token).aud, uri);
      seen = { asked: Object.fromEntries(asked), tokens };
    });
    return seen;
  }

  it("signs a user in with PKCE and the server's URI, calls its tool, refreshes [MCP-2, MCP-5, PRM-1]", async () => {
    const { asked } = await signInAndRefresh({ CLIENT_ID: "assistant" });
    assert.deepEqual([asked.resource, asked.code_challenge_method], [uri, "S256"]);
  });

  it(
    "does so without registration, when its id is the URL of a document [CIMD-1, CIMD-9, CIMD-10, CIMD-16, MCP-6]",
    { skip: withoutFetching },
    async () => {
      const { asked, tokens } = await signInAndRefresh({ CLIENT_DOCUMENT: host.url });
      assert.deepEqual([asked.client_id, asked.resource, asked.code_challenge_method], [host.url, uri, "S256"]);
      assert.equal(claimsOf(tokens.access_token).client_id, host.url);
      assert.deepEqual(host.asked, ["/oauth/client.json"]);
      const { origin, scope } = await provider.deployment.postern(["client", "show", host.url]);
      assert.deepEqual([origin, scope], ["document", DOCUMENT_SCOPE]);
    },
  );

  it("a user who may not use the client does not get to it", async () => {
    await add("members-only", "--allow-group", "members");
    await withClient({ CLIENT_ID: "members-only" }, async (_, page) => assert.equal(page.status, 403));
  });
});
