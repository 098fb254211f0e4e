// mcp-remote, which lets an MCP client of standard input and output use a server that wants tokens
// (tests/clients/notes_server.mjs).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { NotesServer, SCOPE } from "../clients/notes_server.mjs";
import { Person } from "../clients/person.mjs";
import { openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";

const PROXY = join(BUILD, "applications/mcp_remote/node_modules/mcp-remote/dist/proxy.js");
const DENIED = "Authorization failed: the user denied the request";
const TIMEOUT_MS = 60_000;

describe("MCP: mcp-remote", () => {
  let provider;
  let server;
  let uri;
  prepared(async (owned) => {
    provider = owned(
      await openProvider(
        {
          accessTokenTTL: 5,
          paths: { deviceAuthorization: "/device_authorization", device: "/device" },
        },
        { tls: false },
      ),
    );
    const { deployment } = provider;
    await deployment.postern(["group", "add", "members"]);
    server = owned(await NotesServer.open(deployment));
    uri = server.uri;
    await add("remote");
  });

  const add = (id, ...options) =>
    provider.deployment.addClient(
      ...[id, "http://localhost/oauth/callback", "--public", "--native", "--scope", `${SCOPE} offline_access`],
      ...["--access-token-profile", "rfc9068", "--default-resource", uri, ...options],
    );

  /// The program with what it printed so far, in front of a client that speaks lines of JSON.
  class Proxy {
    said = "";
    #waiting = new Map();
    #id = 0;

    /// `meanwhile` gets all that it has printed, each time that there is more.
    constructor(client, home, options, meanwhile) {
      const info = JSON.stringify(client);
      const args = [PROXY, uri, "--static-oauth-client-info", info, "--auth-timeout", "60", ...options];
      this.child = spawn(process.execPath, args, {
        // Without a PATH it finds no browser to open.
        env: { ...process.env, PATH: "", HOME: home, MCP_REMOTE_CONFIG_DIR: home, NO_PROXY: "*" },
        timeout: TIMEOUT_MS,
      });
      this.ended = new Promise((done) => this.child.once("close", done));
      this.child.stdin.on("error", () => {});
      this.child.stderr.setEncoding("utf8").on("data", (text) => {
        this.said += text;
        meanwhile(this.said);
      });
      createInterface({ input: this.child.stdout }).on("line", (line) => {
        const message = JSON.parse(line);
        this.#waiting.get(message.id)?.(message);
      });
    }

    async call(method, params) {
      const id = ++this.#id;
      const answer = new Promise((done) => this.#waiting.set(id, done));
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      const { result, error } = await Promise.race([answer, this.ended.then(() => ({ error: this.said }))]);
      if (error) throw new Error(`${JSON.stringify(error)}\n${this.said}`);
      return result;
    }

    async initialize() {
      const clientInfo = { name: "test", version: "1" };
      await this.call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    }

    async whoami() {
      return (await this.call("tools/call", { name: "whoami", arguments: {} })).content[0].text;
    }

    async stop() {
      this.child.kill("SIGTERM");
      await this.ended;
    }
  }

  /// Runs while `use` has it; a person goes where it says, with `decision`. Answers the page that the browser ends on.
  async function withProxy(id, use, { options = [], decision = "approve", find = browser, secret } = {}) {
    let visit;
    let visited;
    const client = { client_id: id, client_secret: secret };
    const proxy = new Proxy(client, temporaryDirectory(), options, (said) => {
      const address = find(said);
      if (address) visit ??= new Person().signIn(address, { decision }).then(visited);
    });
    proxy.visited = new Promise((done) => (visited = (page) => done(page) ?? page));
    try {
      await use(proxy);
      return await visit;
    } finally {
      await proxy.stop();
    }
  }
  const browser = (said) => said.match(/^(?:\[\d+\] )?(http:\S+\/authorize\?\S+)$/m)?.[1];
  const code = (said) => said.match(/^.*(http:\S+\/device\?user_code=\S+)$/m)?.[1];

  /// Connects, and calls the tool before and after the access token has expired.
  const worksAs =
    (subject, says = /Refreshed the access token/) =>
    async (proxy) => {
      await proxy.initialize();
      assert.equal(await proxy.whoami(), subject());
      const { length } = proxy.said;
      await new Promise((done) => setTimeout(done, 6000));
      assert.equal(await proxy.whoami(), subject());
      assert.match(proxy.said.slice(length), says);
    };

  it("signs a user in at a port of its own, with PKCE and the server's URI, and refreshes [MCP-2, MCP-5]", async () => {
    let asked;
    const find = (said) => browser(said) && (asked = new URL(browser(said))).href;
    const page = await withProxy(
      "remote",
      worksAs(() => provider.sub),
      { find },
    );
    assert.match(page.body, /Authorization successful/);
    const { searchParams: parameters } = asked;
    assert.deepEqual([parameters.get("code_challenge_method"), parameters.get("resource")], ["S256", uri]);
    assert.match(parameters.get("redirect_uri"), /^http:\/\/localhost:\d+\/oauth\/callback$/);
  });

  it("a user who denies is told so, and one who may not use the client does not get to it", async () => {
    const denied = await withProxy("remote", ({ visited }) => visited, { decision: "deny" });
    assert.deepEqual([denied.status, denied.body.split("\n")[0]], [400, DENIED]);
    await add("members-only", "--allow-group", "members");
    assert.equal((await withProxy("members-only", ({ visited }) => visited)).status, 403);
  });

  it("--device-code: shows a code instead of opening a browser [RFC 8628 §3.3]", async () => {
    const grants = ["authorization_code", "refresh_token", "device_code"].flatMap((grant) => ["--grant", grant]);
    await add("without-browser", ...grants);
    const options = ["--device-code"];
    const page = await withProxy(
      "without-browser",
      worksAs(() => provider.sub),
      { options, find: code },
    );
    assert.equal(page.title, "Your device is connected");
  });

  it("--client-credentials: acts on its own behalf", async () => {
    const grant = ["--grant", "client_credentials", "--scope", SCOPE];
    const profile = ["--access-token-profile", "rfc9068", "--default-resource", uri];
    const { client_secret } = await provider.deployment.postern(["client", "add", "job", ...grant, ...profile]);
    await withProxy(
      "job",
      worksAs(() => "job", /^/),
      { options: ["--client-credentials"], secret: client_secret },
    );
  });
});
