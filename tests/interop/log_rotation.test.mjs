// The shipped logrotate file, run by logrotate while the log is being written: no line is lost, and none is there
// twice.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { Deployment, ROOT } from "../support/deployment.mjs";
import { run } from "../support/run.mjs";

/// What /proc tells everybody: only root may look into processes that see secrets.
async function told(pid) {
  const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
  const parent = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ")[1];
  return { pid, parent, command };
}

/// The FastCGI processes of one deployment, told by the lighttpd that has started them.
async function processesOf(op) {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  // one or the other has ended meanwhile
  const all = (await Promise.all(pids.map((pid) => told(pid).catch(() => null)))).filter(Boolean);
  const server = all.find(({ command }) => command.includes(join(op.directory, "lighttpd.conf")));
  return all.filter(({ parent }) => parent === server.pid).map(({ pid }) => pid);
}

const isThere = (pid) =>
  stat(`/proc/${pid}`).then(
    () => true,
    () => false,
  );

async function until(condition) {
  for (const end = Date.now() + 60000; !(await condition()); ) {
    assert.ok(Date.now() < end, `${condition} within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function linesOf(directory) {
  const lines = [];
  for (const name of await readdir(directory)) {
    if (!name.startsWith("postern.log")) continue;
    const bytes = await readFile(join(directory, name));
    const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    assert.ok(text === "" || text.endsWith("\n"), `${name} ends in the middle of a line`);
    lines.push(
      ...text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
  }
  return lines;
}

test("logrotate with the shipped file: every answered request has its line, in one of the files", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "pt-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const log = join(directory, "postern.log");
  const op = await Deployment.start({ tls: false, config: { log: { target: log } } });
  t.after(() => op.stop());

  // The shipped file with this test's place and user; systemctl does what it would do to the units' processes.
  const shipped = await readFile(join(ROOT, "examples/logrotate/postern"), "utf8");
  const user = (await run("id", ["-un"])).stdout.trim();
  const group = (await run("id", ["-gn", user])).stdout.trim();
  await writeFile(
    join(directory, "rotate.conf"),
    shipped
      .replaceAll("/var/log/postern/", `${directory}/`)
      .replace("create 0640 www-data www-data", `create 0640 ${user} ${group}`),
  );
  await chmod(join(directory, "rotate.conf"), 0o644);
  const stub = `#!/bin/sh
case $* in
"kill --signal=SIGUSR1 postern-*@*.service") kill -USR1 $(cat '${directory}/pids') ;;
"try-reload-or-restart lighttpd.service") exit 5 ;;
*) echo "$*" >>'${directory}/unexpected' ;;
esac
`;
  await writeFile(join(directory, "systemctl"), stub, { mode: 0o755 });

  const answered = [];
  let running = true;
  const traffic = Array.from({ length: 3 }, async (_, number) => {
    while (running) {
      const response = await fetch(
        `${op.issuer}${["/jwks", "/authorize?client_id=nobody", "/userinfo"][number]}`,
      ).catch(() => null);
      await response?.arrayBuffer().catch(() => {});
      // Whatever a program answered has an id; the web server's own 503 while it starts another has none.
      const id = response?.headers.get("x-request-id");
      if (id) answered.push(id);
    }
  });
  try {
    for (let round = 1; round <= 2; ++round) {
      const before = answered.length;
      await until(() => answered.length > before + 20);
      const pids = await processesOf(op);
      assert.ok(pids.length >= 10, `${pids.length} processes`);
      await writeFile(join(directory, "pids"), pids.join(" "));
      await run("logrotate", ["--force", "--state", join(directory, "state"), join(directory, "rotate.conf")], {
        env: { ...process.env, PATH: `${directory}:/usr/sbin:/usr/bin:/sbin:/bin` },
      });
      // they would write to the old file
      await until(async () => !(await Promise.all(pids.map(isThere))).includes(true));
    }
    const before = answered.length;
    await until(() => answered.length > before + 20);
  } finally {
    running = false;
    await Promise.all(traffic);
  }
  await op.stop();

  const names = (await readdir(directory)).filter((name) => name.startsWith("postern.log")).sort();
  assert.deepEqual(names, ["postern.log", "postern.log.1", "postern.log.2.gz"]);
  assert.ok(!(await readdir(directory)).includes("unexpected"));
  const ids = (await linesOf(directory)).filter((line) => line.event === "request").map((line) => line.id);
  assert.equal(new Set(ids).size, ids.length, "a line is there twice");
  assert.deepEqual(
    answered.filter((id) => !ids.includes(id)),
    [],
  );
  assert.ok((await readFile(log, "utf8")).length > 0);
});

test("each FastCGI process logs its version when it starts, before its first request", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "pt-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const op = await Deployment.start({ tls: false, config: { log: { target: join(directory, "postern.log") } } });
  t.after(() => op.stop());
  assert.equal((await fetch(`${op.issuer}/jwks`)).status, 200);
  await op.stop();

  const version = (await readFile(join(ROOT, "VERSION"), "utf8")).trim();
  const lines = await linesOf(directory);
  const programs = new Set(lines.map(({ program }) => program));
  assert.ok(programs.has("jwks") && programs.has("token"), [...programs].join(" "));
  for (const program of programs) {
    const [first] = lines.filter((line) => line.program === program && line.event !== "config"); // a doubtful setting
    assert.deepEqual([first.event, first.level, first.version], ["start", "info", version], program);
  }
});
