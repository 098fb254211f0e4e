// The TypeScript SDK of the Model Context Protocol, unmodified on both sides: a server that is an API, and a client
// that finds its way from the server's address to a token. Postern has no dynamic registration, so the client is
// registered.
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import * as oauth from "oauth4webapi";
import { Person } from "./person.mjs";
import { openProvider } from "./provider.mjs";
import { claimsOf } from "./tokens.mjs";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

const CLIENT_ID = "assistant";
const CALLBACK = "http://127.0.0.1:33418/callback"; // nothing listens there; the person's browser stops before it
const SCOPE = "notes:read";

/// An MCP server at /mcp, whose one tool answers with the user's subject. It verifies tokens as RFC 9068 says, and
/// knows nothing of Postern but the issuer.
class NotesServer {
  static async start(issuer) {
    const discovered = await oauth.discoveryRequest(new URL(issuer));
    const metadata = await oauth.processDiscoveryResponse(new URL(issuer), discovered);
    const server = new NotesServer();
    const app = express();
    server.listener = app.listen(0, "127.0.0.1");
    await new Promise((done) => server.listener.once("listening", done));
    server.origin = `http://127.0.0.1:${server.listener.address().port}`;
    const metadataUrl = () =>
      server.origin +
      "/.well-known/oauth-protected-resource" +
      new URL(server.document.resource).pathname.replace(/^\/$/, "");
    app.get(/^\/\.well-known\/oauth-protected-resource/, (request, response) =>
      server.origin + request.url === metadataUrl() ? response.json(server.document) : response.status(404).end(),
    );
    app.all(
      "/mcp",
      (request, response, next) =>
        requireBearerAuth({
          verifier: { verifyAccessToken: (token) => server.#verify(metadata, token) },
          requiredScopes: [SCOPE],
          resourceMetadataUrl: metadataUrl(),
        })(request, response, next),
      express.json(),
      (request, response) => server.#answer(request, response),
    );
    return server;
  }

  /// `document`: its own metadata (RFC 9728), from which it also knows its name.
  publish(document) {
    this.document = document;
  }

  async stop() {
    this.listener.closeAllConnections();
    await new Promise((done) => this.listener.close(done));
  }

  async #verify(metadata, token) {
    const { resource } = this.document;
    const asked = new Request(resource, { headers: { authorization: `Bearer ${token}` } });
    try {
      const claims = await oauth.validateJwtAccessToken(metadata, asked, resource);
      const { client_id: clientId, scope, exp: expiresAt, sub } = claims;
      return { token, clientId, scopes: scope.split(" "), expiresAt, extra: { sub } };
    } catch (error) {
      throw new InvalidTokenError(error.message);
    }
  }

  async #answer(request, response) {
    const mcp = new McpServer({ name: "notes", version: "1" });
    mcp.registerTool("whoami", {}, ({ authInfo }) => ({ content: [{ type: "text", text: authInfo.extra.sub }] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on("close", () => transport.close());
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  }
}

/// What an application of the SDK keeps; its registration is known beforehand.
class Assistant {
  redirectUrl = CALLBACK;
  clientMetadata = { redirect_uris: [CALLBACK], client_name: "Assistant" };
  asked = []; // addresses of authorization requests
  fetched = []; // what the SDK looked at, once each

  /// `validate`: the way to choose the resource, in the place of the SDK's own.
  constructor({ id = CLIENT_ID, validate } = {}) {
    this.id = id;
    if (validate) this.validateResourceURL = validate;
  }

  clientInformation() {
    return this.id === "" ? undefined : { client_id: this.id };
  }
  saveClientInformation() {
    assert.fail("Postern has no dynamic registration");
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
      const { location } = await person.signIn(this.asked.at(-1).href, { until });
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
  before(async () => {
    // The SDK's `fetch` trusts no authority of one's own, and an issuer on a loopback host may have http.
    provider = await openProvider(
      { accessTokenProfile: "rfc9068", defaultResource: "https://default.example/" },
      { tls: false },
    );
    await provider.deployment.addClient(
      CLIENT_ID,
      "http://127.0.0.1/callback",
      "--public",
      "--native",
      "--scope",
      SCOPE,
    );
  });
  after(async () => {
    await provider?.deployment.stop();
  });

  /// Starts a server and registers it as `${origin}${path}`, while `use` asks it.
  async function withServer(path, aliases, use) {
    const { deployment } = provider;
    const server = await NotesServer.start(deployment.issuer);
    try {
      const uri = server.origin + path;
      const named = aliases.flatMap((alias) => ["--alias", server.origin + alias]);
      await deployment.postern(["resource", "add", uri, "--name", "Notes", "--scope", SCOPE, ...named]);
      server.publish(await deployment.postern(["resource", "metadata", uri]));
      await use(server, uri);
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
