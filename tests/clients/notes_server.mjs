// A small MCP server of the TypeScript SDK, whose one tool answers with the user's subject.
import { webcrypto } from "node:crypto";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import * as oauth from "oauth4webapi";

globalThis.crypto ??= webcrypto; // Node.js 18 has it under another name

export const SCOPE = "notes:read";

/// An MCP server at /mcp, whose one tool answers with the user's subject. It verifies tokens as RFC 9068 says, and
/// knows nothing of Postern but the issuer.
export class NotesServer {
  /// Starts a server and registers it as an API under its `uri`, its origin with `path`.
  static async open(deployment, { path = "/mcp", aliases = [] } = {}) {
    const server = await NotesServer.start(deployment.issuer);
    try {
      server.uri = server.origin + path;
      const named = aliases.flatMap((alias) => ["--alias", server.origin + alias]);
      await deployment.postern(["resource", "add", server.uri, "--name", "Notes", "--scope", SCOPE, ...named]);
      server.publish(await deployment.postern(["resource", "metadata", server.uri]));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

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
