// The TypeScript SDK of the Model Context Protocol, unmodified on both sides: a server that is an API, and a client
// that finds its way from the server's address to a token. The client is registered, its id is the URL of a document
// that describes it, or it registers itself.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sql } from "../security/database.mjs";
import { prepared } from "../support/prepared.mjs";
import { DocumentHost, withoutFetching } from "./document_host.mjs";
import { NotesServer, SCOPE } from "./notes_server.mjs";
import { Person } from "./person.mjs";
import { openProvider } from "./provider.mjs";
import { claimsOf } from "./tokens.mjs";

const CLIENT_ID = "assistant";
const CALLBACK = "http://127.0.0.1:33418/callback"; // nothing listens there; the person's browser stops before it

/// What an application of the SDK keeps; its registration is known beforehand.
class Assistant {
  redirectUrl = CALLBACK;
  clientMetadata = { redirect_uris: [CALLBACK], client_name: "Assistant" };
  asked = []; // addresses of authorization requests
  fetched = []; // what the SDK looked at, once each
  pages = []; // that the person was shown

  /// `validate`: the way to choose the resource, in the place of the SDK's own.
  /// `document`: the URL of the application's own, which is its id.
  /// `registers`: it has no id, and takes the one that it gets.
  constructor({ id = CLIENT_ID, validate, document, registers = false } = {}) {
    this.id = document || registers ? "" : id;
    this.clientMetadataUrl = document;
    this.registers = registers;
    if (registers)
      this.clientMetadata = { ...this.clientMetadata, grant_types: ["authorization_code", "refresh_token"] };
    if (validate) this.validateResourceURL = validate;
  }

  clientInformation() {
    return this.id === "" ? undefined : { client_id: this.id };
  }
  saveClientInformation({ client_id: id }) {
    if (!this.registers) assert.equal(id, this.clientMetadataUrl, "registration is closed");
    this.id = id;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens) {
    this.saved = tokens;
  }
  redirectToAuthorization(url) {
    this.asked.push(url);
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }

  #connection(address) {
    return new StreamableHTTPClientTransport(new URL(address), {
      authProvider: this,
      fetch: (url, options) => {
        if (!this.fetched.includes(`${url}`)) this.fetched.push(`${url}`);
        return fetch(url, options);
      },
    });
  }

  get audience() {
    return claimsOf(this.saved.access_token).aud;
  }

  /// What the tool answers. A person signs in where the SDK asks for it.
  async callTool(address, person) {
    let transport = this.#connection(address);
    let client = new Client({ name: "assistant", version: "1" });
    try {
      await client.connect(transport);
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      const until = (page) => page.location?.href.startsWith(CALLBACK);
      const { location } = await person.signIn(this.asked.at(-1).href, { until, seen: this.pages });
      if (location.searchParams.has("error")) throw new Error(location.searchParams.get("error"));
      await transport.finishAuth(location.searchParams.get("code"));
      transport = this.#connection(address);
      client = new Client({ name: "assistant", version: "1" });
      await client.connect(transport);
    }
    try {
      const { content } = await client.callTool({ name: "whoami", arguments: {} });
      return content[0].text;
    } finally {
      await client.close();
    }
  }
}

describe("MCP: the TypeScript SDK", () => {
  let provider;
  prepared(async (owned) => {
    // The SDK's `fetch` trusts no authority of one's own, and an issuer on a loopback host may have http.
    provider = owned(
      await openProvider(
        { accessTokenProfile: "rfc9068", defaultResource: "https://default.example/" },
        { tls: false },
      ),
    );
    const native = ["--public", "--native", "--scope", SCOPE];
    await provider.deployment.addClient(CLIENT_ID, "http://127.0.0.1/callback", ...native);
  });

  /// Starts a server and registers it as `${origin}${path}`, while `use` asks it.
  async function withServer(path, aliases, use) {
    const server = await NotesServer.open(provider.deployment, { path, aliases });
    try {
      await use(server, server.uri);
    } finally {
      await server.stop();
    }
  }

  for (const [title, { path = "", aliases = [], address = "/mcp", validate, sent }] of Object.entries({
    "sends the URI that the metadata have": { sent: "" },
    "adds a slash to it, as earlier releases do": { validate: (_, uri) => new URL(uri), sent: "/" },
    "sends an address with a path": { path: "/mcp", sent: "/mcp" },
    "sends the address that was typed, an alias": {
      path: "/mcp",
      aliases: ["/mcp/"],
      address: "/mcp/",
      validate: (typed) => typed,
      sent: "/mcp/",
    },
  })) {
    it(`a client that ${title} gets the registered URI in aud [MCP-2, MCP-5, PRM-1, RES-1, RFC 9728 §5]`, () =>
      withServer(path, aliases, async (server, uri) => {
        const assistant = new Assistant({ validate });
        const person = new Person();
        assert.equal(await assistant.callTool(server.origin + address, person), provider.sub);
        const [{ searchParams }] = assistant.asked;
        assert.equal(searchParams.get("resource"), server.origin + sent);
        assert.equal(searchParams.get("scope"), SCOPE);
        assert.equal(searchParams.get("code_challenge_method"), "S256");
        assert.equal(assistant.audience, uri);
        assert.deepEqual(assistant.fetched, [
          server.origin + address,
          `${server.origin}/.well-known/oauth-protected-resource${path}`,
          `${provider.deployment.issuer}/.well-known/oauth-authorization-server`,
          `${provider.deployment.issuer}/token`,
        ]);

        // A token that the server refuses makes the SDK refresh, and call again.
        const first = assistant.saved;
        assistant.saved = { ...first, access_token: `${first.access_token}x` };
        assert.equal(await assistant.callTool(server.origin + address, person), provider.sub);
        assert.equal(assistant.asked.length, 1, "without a second sign-in");
        assert.notEqual(assistant.saved.refresh_token, first.refresh_token);
        assert.equal(assistant.audience, uri);
      }));
  }

  it("a token for one server is refused by another [MCP-5, RES-1]", () =>
    withServer("", [], (one) =>
      withServer("", [], async (other) => {
        const assistant = new Assistant();
        await assistant.callTool(`${one.origin}/mcp`, new Person());
        const post = (server) =>
          fetch(`${server.origin}/mcp`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${assistant.saved.access_token}`,
              accept: "application/json, text/event-stream",
              "content-type": "application/json",
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } }),
          });
        assert.equal((await post(one)).status, 200);
        const refused = await post(other);
        assert.equal(refused.status, 401);
        assert.match(refused.headers.get("www-authenticate"), /error="invalid_token".*"?aud"?/);
      }),
    ));

  it("what the SDK says of an application, a scope or a URI that is not registered [MCP-5, RES-1, RES-4, RES-5]", () =>
    withServer("/mcp", [], async (server, uri) => {
      const add = (id, ...options) =>
        provider.deployment.addClient(id, "http://127.0.0.1/callback", "--public", "--native", ...options);
      await add("without-scope");
      await add("for-another", "--scope", SCOPE, "--resource", `${uri}/v2`);
      const fails = (options, message, address = uri) =>
        assert.rejects(new Assistant(options).callTool(address, new Person()), message);
      await fails({ id: "" }, /does not support dynamic client registration/);
      await fails({ id: "without-scope" }, /^Error: invalid_scope$/);
      await fails({ id: "for-another" }, /^Error: invalid_target$/);
      await fails({ validate: (typed) => typed }, /401 after successful authentication/, `${uri}/`);
      server.publish({ ...server.document, resource: `${server.origin}/v2` });
      await fails({}, /Protected resource .*\/v2 does not match expected/);
    }));
});

describe("MCP: the TypeScript SDK, whose id is the URL of a document", { skip: withoutFetching }, () => {
  let provider;
  let host;

  const row = async () => await provider.deployment.postern(["client", "show", host.url]);
  /// What is cached is no longer fresh.
  const letCacheEnd = () => sql(provider.deployment, "UPDATE fetched SET fresh_until = 1");

  prepared(async (owned) => {
    host = owned(await DocumentHost.start());
    provider = owned(
      await openProvider(
        { accessTokenProfile: "rfc9068", defaultResource: "https://default.example/", ...(await host.config(SCOPE)) },
        { tls: false },
      ),
    );
  });

  async function withServer(use) {
    const server = await NotesServer.open(provider.deployment);
    try {
      await use(server, server.uri);
    } finally {
      await server.stop();
    }
  }

  const consentOf = (assistant) => assistant.pages.find((page) => page.form?.buttons.approve);

  it(
    "signs in without registration, refreshes, and is asked again after its document has changed " +
      "[CIMD-1, CIMD-9, CIMD-10, CIMD-12, CIMD-13, CIMD-16, MCP-5, MCP-6, RES-3]",
    () =>
      withServer(async (server, uri) => {
        host.publish();
        const person = new Person();
        const assistant = new Assistant({ document: host.url });
        assert.equal(await assistant.callTool(uri, person), provider.sub);
        assert.equal(assistant.asked[0].searchParams.get("client_id"), host.url);
        assert.equal(assistant.audience, uri);
        assert.equal(claimsOf(assistant.saved.access_token).client_id, host.url);
        const consent = consentOf(assistant).body;
        for (const part of [
          "has not checked",
          '"published-at" dir="ltr">localhost<',
          'id="any-program"',
          '<dd><bdi dir="ltr">127.0.0.1</bdi></dd>',
        ])
          assert.ok(consent.includes(part), part);
        assert.deepEqual(host.asked, ["/oauth/client.json"], "once, although four requests needed it");
        const made = await row();
        assert.equal(made.origin, "document");
        assert.equal(made.client_name, "Assistant");
        assert.equal(made.scope, SCOPE);

        // A token that the server refuses makes the SDK refresh, without the document's host.
        const first = assistant.saved;
        assistant.saved = { ...first, access_token: `${first.access_token}x` };
        assert.equal(await assistant.callTool(uri, person), provider.sub);
        assert.equal(assistant.asked.length, 1, "without a second sign-in");
        assert.notEqual(assistant.saved.refresh_token, first.refresh_token);

        // Any program on the machine could use the id, so each sign-in is asked for.
        const second = new Assistant({ document: host.url });
        assert.equal(await second.callTool(uri, person), provider.sub);
        assert.ok(consentOf(second));
        assert.deepEqual(host.asked, ["/oauth/client.json"]);

        host.publish({ client_name: "Assistant 2" });
        await letCacheEnd();
        const third = new Assistant({ document: host.url });
        assert.equal(await third.callTool(uri, person), provider.sub);
        assert.ok(consentOf(third).body.includes("Assistant 2"));
        assert.equal((await row()).client_name, "Assistant 2");
        assert.match(provider.deployment.log, /"event":"client_document_changed"[^\n]*"changed":"client_name"/);

        // Of another method: nothing that was granted before is good, and the page leads nowhere.
        host.publish({ token_endpoint_auth_method: "private_key_jwt" });
        await letCacheEnd();
        await assert.rejects(new Assistant({ document: host.url }).callTool(uri, person));
        third.saved = { ...third.saved, access_token: `${third.saved.access_token}x` };
        await assert.rejects(third.callTool(uri, person), /the refresh token is not valid/);
      }),
  );
});

describe("MCP: the TypeScript SDK, which registers itself", () => {
  let provider;
  prepared(async (owned) => {
    provider = owned(
      await openProvider(
        {
          accessTokenProfile: "rfc9068",
          defaultResource: "https://default.example/",
          registration: { mode: "open", scope: SCOPE },
        },
        { tls: false },
      ),
    );
  });

  it("without an id: its user is asked each time [REG-3, REG-25, REG-26, REG-29, REG-31, MCP-9]", async () => {
    const server = await NotesServer.open(provider.deployment);
    try {
      const { uri } = server;
      const person = new Person();
      const assistant = new Assistant({ registers: true });
      assert.equal(await assistant.callTool(uri, person), provider.sub);
      assert.equal(claimsOf(assistant.saved.access_token).client_id, assistant.id);
      const made = await provider.deployment.postern(["client", "show", assistant.id]);
      assert.equal(made.origin, "dynamic");
      assert.equal(made.client_name, "Assistant");
      assert.equal(made.token_endpoint_auth_method, "none");
      assert.deepEqual(made.client_secrets, []);
      assert.equal(made.pkce, "required");
      assert.ok(made.last_used_at, "a user has signed in");

      const first = assistant.saved;
      assistant.saved = { ...first, access_token: `${first.access_token}x` };
      assert.equal(await assistant.callTool(uri, person), provider.sub);
      assert.equal(assistant.asked.length, 1, "without a second sign-in");
      const again = new Assistant({ id: assistant.id });
      assert.equal(await again.callTool(uri, person), provider.sub);
      assert.ok(again.pages.some((page) => page.form?.buttons.approve));
    } finally {
      await server.stop();
    }
  });
});
