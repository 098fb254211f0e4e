// The systemd units that are shipped: systemd itself reads them, judges their sandbox, and makes users and directories.
import assert from "node:assert/strict";
import { chmod, copyFile, cp, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { EXAMPLES } from "../support/deployment.mjs";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { temporaryDirectory } from "../support/prepared.mjs";
import { run } from "../support/run.mjs";

const HIGHEST_EXPOSURE = 1.0; // of 10; a service without any sandbox has 9.6

const shipped = join(EXAMPLES, "systemd");
const failure = await run("systemd-analyze", ["--version"]).then(
  () => null,
  (error) => error,
);

/// Exit status and everything that was said.
const told = (command, ...args) =>
  run(command, args).then(
    ({ stdout, stderr }) => ({ status: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, text: `${stdout}${stderr}` }),
  );

describe("systemd units", { skip: failure ? "there is no systemd-analyze" : false }, () => {
  let root; // of a machine that has nothing but the units, the programs they name and what systemd needs to read them
  let units;
  before(async () => {
    root = temporaryDirectory();
    const [system, cgiBin] = [join(root, "usr/lib/systemd/system"), join(root, "usr/local/lib/postern/cgi-bin")];
    for (const directory of [system, cgiBin, join(root, "etc")]) await mkdir(directory, { recursive: true });
    const targets = "sysinit basic multi-user sockets slices timers paths shutdown umount local-fs";
    for (const target of targets.split(" ")) {
      await copyFile(`/usr/lib/systemd/system/${target}.target`, join(system, `${target}.target`));
    }
    for (const name of ENDPOINTS) await cp("/usr/bin/true", join(cgiBin, name));
    await mkdir(join(root, "usr/local/bin"), { recursive: true });
    await cp("/usr/bin/true", join(root, "usr/local/bin/postern"));
    await cp(shipped, system, { recursive: true });
    await writeFile(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    await writeFile(join(root, "etc/group"), "root:x:0:\nwww-data:x:33:\n");
    units = (await readdir(shipped)).filter((name) => /\.(socket|service|slice|target|path|timer)$/.test(name));
  });

  const verify = (...names) => told("systemd-analyze", "verify", `--root=${root}`, "--man=no", ...names);
  const unit = (name) => readFile(join(shipped, name), "utf8");

  it("each endpoint has a socket and a service, and postern.target starts them", async () => {
    const target = await unit("postern.target");
    for (const name of ENDPOINTS) {
      assert.match(await unit(`postern-${name}.socket`), new RegExp(`^ListenStream=/run/postern/${name}.sock$`, "m"));
      assert.match(await unit(`postern-${name}.socket`), new RegExp(`^Service=postern-${name}@1.service$`, "m"));
      const service = await unit(`postern-${name}@.service`);
      for (const line of [
        `ExecStart=/usr/local/lib/postern/cgi-bin/${name}`,
        `User=postern-${name}`,
        `Sockets=postern-${name}.socket`,
      ]) {
        assert.ok(service.includes(`\n${line}\n`), `${name}: ${line}`);
      }
      assert.match(target, new RegExp(`^Wants=postern-${name}.socket postern-${name}@1.service`, "m"));
    }
  });

  it("the gate has a port for Apache besides, which nobody gets who does not ask for it [GATE-31]", async () => {
    assert.doesNotMatch(await unit("postern.target"), /gate-tcp/);
    assert.match(await unit("postern-gate-tcp.socket"), /^ListenStream=127\.0\.0\.1:9055$/m);
    assert.match(await unit("postern-gate-tcp.socket"), /^Service=postern-gate-tcp@1.service$/m);
    // Otherwise the same process, with the same rights.
    const settings = (text) => text.split("[Service]\n")[1].split("\n\n")[0].replaceAll("gate-tcp", "gate");
    assert.equal(settings(await unit("postern-gate-tcp@.service")), settings(await unit("postern-gate@.service")));
  });

  it("systemd reads all of them without a word", async () => {
    const names = units.flatMap((name) =>
      name.includes("@.") ? [1, 2].map((n) => name.replace("@", `@${n}`)) : [name],
    );
    assert.equal(names.length, ENDPOINTS.length * 3 + 12);
    assert.deepEqual(await verify(...names), { status: 0, text: "" });
  });

  it("and would have said something about a mistake in the drop-in of all", async () => {
    const file = join(root, "usr/lib/systemd/system/postern-@.service.d/99-mistake.conf");
    await writeFile(file, "[Service]\nPrivateNetwrok=yes\n");
    assert.match((await verify("postern-token@1.service")).text, /PrivateNetwrok/);
    await rm(file);
  });

  it(`the exposure of every service is at most ${HIGHEST_EXPOSURE} of 10`, async () => {
    for (const name of [...ENDPOINTS, "gate-tcp"]) {
      const options = ["--offline=true", `--root=${root}`, "--no-pager"];
      const { text } = await told("systemd-analyze", "security", ...options, `postern-${name}@1.service`);
      const exposure = Number(text.match(/Overall exposure level for [^:]*: ([0-9.]+)/)?.[1]);
      assert.ok(exposure <= HIGHEST_EXPOSURE, `${name}: ${exposure}\n${text}`);
    }
  });

  const rootOnly = { skip: process.getuid() !== 0 && "this needs root" };

  it("sysusers and tmpfiles make the users, groups and directories", rootOnly, async () => {
    for (const kind of ["sysusers", "tmpfiles"]) {
      const options = kind === "tmpfiles" ? ["--create"] : [];
      const result = await told(`systemd-${kind}`, `--root=${root}`, ...options, join(shipped, `postern-${kind}.conf`));
      assert.equal(result.status, 0, result.text);
    }
    const groups = Object.fromEntries(
      (await readFile(join(root, "etc/group"), "utf8"))
        .trim()
        .split("\n")
        .map((line) => {
          const [name, , id, members] = line.split(":");
          return [name, { id: Number(id), members: members.split(",") }];
        }),
    );
    assert.deepEqual(groups["postern-sign"].members, ["postern-notify", "postern-token"]);
    assert.deepEqual(
      groups["postern-seal"].members.sort(),
      ["account", "authorize", "device", "gate", "login", "logout", "par", "recover", "scopes"].map(
        (name) => `postern-${name}`,
      ),
    );
    assert.deepEqual(groups["postern-factor"].members.sort(), ["postern-account", "postern-login"]);
    const marks = async (path) => {
      const { uid, gid, mode } = await stat(join(root, path));
      return [uid, gid, mode & 0o7777];
    };
    assert.deepEqual(await marks("run/postern"), [0, 33, 0o710]);
    assert.deepEqual(await marks("var/lib/postern"), [0, groups.postern.id, 0o2770]);
    assert.deepEqual(await marks("var/lib/postern/keys"), [0, groups.postern.id, 0o751]);
  });

  it("directories of an installation with one user stay as they are", rootOnly, async () => {
    for (const path of ["var/lib/postern", "var/lib/postern/keys"]) await chmod(join(root, path), 0o700);
    await told("systemd-tmpfiles", `--root=${root}`, "--create", join(shipped, "postern-tmpfiles.conf"));
    for (const path of ["var/lib/postern", "var/lib/postern/keys"])
      assert.equal((await stat(join(root, path))).mode & 0o7777, 0o700);
  });
});
