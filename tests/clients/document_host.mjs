// A host with the document of an application whose client ID is its URL, and what a provider is told to fetch it.
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILD } from "../support/deployment.mjs";
import { reachable } from "../support/reachable.mjs";
import { makeCertificate, privateDirectory } from "../support/web_server.mjs";

/// Why a provider cannot fetch, or false.
export const withoutFetching = existsSync(join(BUILD, "libexec/fetch/fetch")) ? false : "built without libcurl";

export class DocumentHost {
  #directory;
  #caFile;
  #server;
  #document;
  asked = []; // paths that were fetched since the last publish()

  static async start() {
    const host = new DocumentHost();
    await host.#begin();
    return host;
  }

  async #begin() {
    this.#directory = await mkdtemp(join(tmpdir(), "pt-cimd-"));
    await chmod(this.#directory, 0o755);
    const own = await privateDirectory(join(this.#directory, "host"));
    const { certificate, key, caFile } = await makeCertificate(own);
    await chmod(own, 0o755);
    await chmod(caFile, 0o644);
    this.#caFile = caFile;
    this.#server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
      this.asked.push(request.url);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(this.#document));
    });
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
  }

  get #port() {
    return this.#server.address().port;
  }
  get url() {
    return `https://localhost:${this.#port}/oauth/client.json`;
  }

  publish(more = {}) {
    this.asked = [];
    this.#document = {
      client_id: this.url,
      client_name: "Assistant",
      redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      ...more,
    };
  }

  /// Keys of a configuration with which a provider accepts the document.
  async config(scope) {
    const { programs } = await reachable({ programs: join(BUILD, "libexec/fetch") });
    const outbound = { enabled: true, ports: [this.#port], allow: ["127.0.0.1", "::1"], ca: this.#caFile };
    return {
      outbound: { ...outbound, program: join(programs, "fetch") },
      clientDocuments: { enabled: true, allow: ["localhost"], scope },
    };
  }

  async stop() {
    this.#server?.closeAllConnections();
    this.#server?.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
