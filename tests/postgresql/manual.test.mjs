// docs/OPERATIONS.md, "Two nodes": its commands are typed, in order, each on the node that the text speaks of.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BUILD, ROOT } from "../support/deployment.mjs";
import { prepared, temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";
import { PostgreSQL } from "./server.mjs";

/// The lines of the blocks that show what is typed.
function blocks() {
  const [, chapter] = readFileSync(join(ROOT, "docs/OPERATIONS.md"), "utf8").split("\n## Two nodes\n");
  return [...chapter.split("\n## ")[0].matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text.trim().split("\n"));
}

describe("OPERATIONS, two nodes", () => {
  let server;
  let directory;
  const of = (node, ...names) => join(directory, node, ...names);
  prepared(async (owned) => {
    // As doctor wants a server to be.
    server = owned(await PostgreSQL.start({ fsync: "on", full_page_writes: "on" }));
    directory = temporaryDirectory();
    for (const node of ["a", "b"]) {
      mkdirSync(of(node, "units"), { recursive: true });
      writeFileSync(
        of(node, "postern.json"),
        JSON.stringify({
          issuer: "https://id.example.org",
          database: server.uri,
          state: of(node, "postern"),
          keys: of(node, "postern/keys"),
          templates: join(ROOT, "templates"),
          node,
        }),
      );
    }
  });

  /// As root types it, or as the user of this test without root's rights.
  function typed(node, line) {
    const words = line
      .replace(/^sudo /, "")
      .replace(/^postern /, `${join(BUILD, "bin/postern")} `)
      .replaceAll("/var/lib/postern", of(node, "postern"))
      .replaceAll("/etc/systemd/system/", of(node, "units/"))
      .replaceAll(" transport.key", ` ${of("a", "postern/keys/transport.key")}`);
    const rights = process.getuid() === 0 ? words : words.replace(/ --owner \S+| -o root -g root/g, "");
    return rights.split(" ");
  }
  async function type(node, lines) {
    for (const line of lines) {
      const [program, ...args] = typed(node, line);
      if (program === "systemctl") continue; // tests/servers lets systemd read the units
      const env = { ...process.env, POSTERN_CONFIG: of(node, "postern.json") };
      await run(program, args, { cwd: ROOT, env }).catch(({ stdout, stderr }) => assert.fail(line + stdout + stderr));
    }
  }

  it("a first and a further node, the timer's files, and a rotation after a theft", { timeout: 60_000 }, async () => {
    const [first, further, timer, units, theft, ...others] = blocks();
    assert.deepEqual(others, []);
    assert.match(units[0], /^for endpoint in/); // tests/servers lets systemd read what it copies
    await type("a", first);
    await type("b", further);
    await type("b", timer);
    let done = false;
    const rotated = type("a", theft).finally(() => (done = true));
    while (!done) {
      await type("b", ["sudo postern key sync"]).catch((error) => assert.match(error.message, /another command/));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await rotated;
    const published = (node) => readFileSync(of(node, "postern/keys/jwks.json"), "utf8");
    assert.equal(published("a"), published("b"));
  });
});
