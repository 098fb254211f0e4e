// The script for spawn-fcgi, where processes that serve want more than they may.
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { EXAMPLES } from "../support/deployment.mjs";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { run } from "../support/run.mjs";
import { PATH, identity } from "../support/web_server.mjs";

it("processes that stay, and no file of another place because of a link among the sockets", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pt-"));
  chmodSync(directory, 0o711);
  const [programs, sockets, precious] = ["bin", "s", "precious"].map((name) => join(directory, name));
  for (const made of [programs, sockets]) mkdirSync(made, { mode: 0o755 });
  for (const name of ENDPOINTS) writeFileSync(join(programs, name), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
  writeFileSync(precious, "precious", { mode: 0o600 });
  // As an older script left it, or an operator's mkdir.
  symlinkSync(precious, join(sockets, "token.pid"));
  if (process.getuid() === 0) chownSync(sockets, identity.uid, identity.gid);
  const script = (action) =>
    run(join(EXAMPLES, "spawn-fcgi/postern-fcgi"), [action], {
      env: {
        ...process.env,
        PATH,
        POSTERN_DEFAULTS: "/dev/null",
        POSTERN_CGI_BIN: programs,
        POSTERN_SOCKETS: sockets,
        POSTERN_PROCESSES: "1",
        POSTERN_USER: identity.user,
        POSTERN_GROUP: identity.group,
      },
    });
  try {
    await script("start");
    assert.equal(readFileSync(precious, "utf8"), "precious");
    assert.ok(lstatSync(join(sockets, "token.pid")).isFile());
    assert.equal(statSync(sockets).uid, process.getuid(), "nobody who serves can put another one there");
    // spawn-fcgi replaces none that ends.
    const pid = readFileSync(join(sockets, "token.pid"), "utf8").trim();
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    assert.ok(environment.includes("POSTERN_MAX_AWAY=0"));
  } finally {
    // Those that were started: not all of them, where the script gave up on the way.
    for (const name of ENDPOINTS) {
      const file = join(sockets, `${name}.pid`);
      const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
      try {
        if (pid > 0) process.kill(pid);
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
    }
    rmSync(directory, { recursive: true, force: true });
  }
});
